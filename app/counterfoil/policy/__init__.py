"""Who may do what: judged in the runner, at the moment of performing, on the final arguments."""
