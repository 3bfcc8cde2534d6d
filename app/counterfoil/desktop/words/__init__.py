"""What the window says, as plain functions without Qt: sentences, amounts, times. One place per kind of sentence."""
