"""The inbox: the list of gates, and beside it the one that is open."""
