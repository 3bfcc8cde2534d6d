"""Gates to people, decisions from people, sealing."""
