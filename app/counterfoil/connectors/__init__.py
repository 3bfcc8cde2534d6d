"""Connectors: what a team's agents may reach of the outside, each behind walls and by one way that is watched."""
