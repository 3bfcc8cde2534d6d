"""Mails of a folder: what can be told by rule is told by rule, the rest is put to an llm, and every word of it is shown as its own."""
