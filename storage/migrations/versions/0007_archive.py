"""Which articles were too old to be news when they arrived.

Of those that are stored already, the ones whose date says so.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

WEEK = 7 * 86_400 * 1_000_000
"""Microseconds."""


def upgrade() -> None:
    """Add a column to two tables and fill it. First decisions stay as they were made."""
    for table in ("articles", "standings"):
        op.add_column(table, sa.Column("archive", sa.Boolean(), nullable=False, server_default=sa.text("0")))
    op.execute(f"UPDATE articles SET archive = 1 WHERE arrived - published > {WEEK}")  # noqa: S608 -- a number
    op.execute(
        "UPDATE standings SET archive = 1, interesting = 0, explore = 0 "
        "WHERE seq IN (SELECT seq FROM articles WHERE archive)"
    )
