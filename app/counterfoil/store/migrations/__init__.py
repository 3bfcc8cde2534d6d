"""Alembic's folder: one revision per data version, forward only."""
