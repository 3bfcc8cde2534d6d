"""Routines that keep their word: rules to instants, instants to firings, firings to runs."""
