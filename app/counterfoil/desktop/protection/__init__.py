"""Protection on the screen: the badge with its sentence, and what is asked before something goes on with less."""
