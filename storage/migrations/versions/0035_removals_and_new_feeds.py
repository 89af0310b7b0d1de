"""Removing a user without reading everybody's verdicts, and when feeds were added."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Find what refers to a row of the log by an index, and add a column to feeds."""
    for table in ("seen", "seeds"):
        op.create_index(f"{table}_feedback", table, ["row"])
    op.add_column("feeds", sa.Column("added", sa.BigInteger()))
