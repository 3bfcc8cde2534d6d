"""One gate on the screen: what it asks, what a person has filled in, and the one bar that decides."""
