"""The first schema: every table as ``1000_baseline.sql`` makes it in an empty SQLite file.

On PostgreSQL nothing is older than this revision: ``storage.opening.postgresql_schema`` makes all tables at once.
"""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "1000"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make all tables, indexes and triggers."""
    connection = op.get_bind()
    for statement in Path(__file__).with_suffix(".sql").read_text("utf-8").split("\n\n"):
        connection.exec_driver_sql(statement)
