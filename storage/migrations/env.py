"""Runs the revisions on the connection that ``storage.opening.database`` hands over, inside its transaction.

So a migration happens wholly or not at all, and needs no ``alembic.ini``.
"""

from __future__ import annotations

from alembic import context

from storage.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
