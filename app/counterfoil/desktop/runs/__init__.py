"""Runs: the list, and one run with its steps, files, result, checkpoint and trail."""
