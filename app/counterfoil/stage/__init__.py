"""The run's private copy of the workspace's files: nothing touches the team's folder until a person has seen the bytes."""
