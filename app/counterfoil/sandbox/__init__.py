"""The only second process: hosts outside, the inside, the wire between, and the walls around it, measured before they are spoken of."""
