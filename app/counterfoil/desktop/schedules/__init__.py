"""Schedules: the list, a calendar one can look at, and the sentence in which one is written."""
