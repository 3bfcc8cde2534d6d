"""The Connectors page: what reaches outside, which llms are asked, what is allowed without asking, what is remembered."""
