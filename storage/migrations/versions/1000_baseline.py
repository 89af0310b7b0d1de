"""The first schema: every table as ``1000.sql`` makes it in an empty SQLite file.

On PostgreSQL nothing is older than this revision: ``storage.opening.postgresql_schema`` makes all tables at once.
"""

from __future__ import annotations

from alembic import op

from storage.opening import creation

revision = "1000"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make all tables, indexes and triggers."""
    for statement in creation.statements(revision):
        op.get_bind().exec_driver_sql(statement)
