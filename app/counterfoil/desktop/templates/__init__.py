"""Templates: the gallery, and the page from which one is run."""
