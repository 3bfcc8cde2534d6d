"""What a tidy folder needs: the real kinds of files, dates and suppliers with their sources, safe names, and what a person sees."""
