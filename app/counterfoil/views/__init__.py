"""Read-only queries: every document of the contract as plain dicts, for the command line, the window and scripts alike."""
