"""The weekly report's own modules: sheets are opened, columns understood, rows counted, and the paper is made."""
