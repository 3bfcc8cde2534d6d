"""The Connectors page: what reaches outside, and what is allowed without asking."""
