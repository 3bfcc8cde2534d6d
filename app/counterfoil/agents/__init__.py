"""The runner's side of agents: what a team has written down for them. The loop itself is in `authoring.agents`."""
