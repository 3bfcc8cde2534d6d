"""Alembic's entry: the connection is handed in by `migrating`, nothing is read from an ini file."""

from alembic import context

from counterfoil.store.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
