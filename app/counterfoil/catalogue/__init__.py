"""Templates: what one says of itself, where it lies, how its version is kept and loaded, what is wrong with it."""
