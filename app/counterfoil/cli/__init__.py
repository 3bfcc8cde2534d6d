"""The command line: same sentences as the window, data on stdout, everything for people on stderr, exit codes that scripts can use."""

from counterfoil.cli.entry import main

__all__ = ["main"]
