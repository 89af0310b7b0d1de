"""Feeds have icons of their sites: their table."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from storage.schema.column_types import Moment, Number

revision = "1006"
down_revision = "1005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    bytewise = "C" if op.get_bind().dialect.name == "postgresql" else None
    op.create_table(
        "icons",
        sa.Column("feed_id", Number, sa.ForeignKey("feeds.id"), primary_key=True),
        sa.Column("asked", Moment, nullable=False),
        sa.Column("key", sa.Text(collation=bytewise), nullable=False),
        sa.Column("picture", sa.LargeBinary, nullable=False),
    )
    op.create_index("icons_key", "icons", ["key"])
