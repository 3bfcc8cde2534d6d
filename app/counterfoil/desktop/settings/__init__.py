"""The Settings page: what is set for the whole home, what it holds, and how it does."""
