"""Contracts: the words in force with their places, what an llm finds in them, and of that only what they bear out."""
