"""Subscriptions of feeds at hubs, and what these have pushed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add two tables."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "hub_subscriptions",
        sa.Column("feed_id", number, sa.ForeignKey("feeds.id"), nullable=False, autoincrement=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("hub", "topic", "base", "key", "secret", "callback")),
        sa.Column("ending", sa.Boolean(), nullable=False),
        *(sa.Column(name, sa.BigInteger()) for name in ("asked", "lease_until", "next_attempt")),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        *(sa.Column(name, sa.BigInteger()) for name in ("pushed", "missed")),
        sa.PrimaryKeyConstraint("feed_id"),
        sa.UniqueConstraint("key", name="hub_subscriptions_key"),
        sqlite_with_rowid=False,
    )
    op.create_index("hub_subscriptions_due", "hub_subscriptions", ["next_attempt"])
    op.create_table(
        "pushed_documents",
        sa.Column("id", number, primary_key=True),
        sa.Column("feed_id", number, sa.ForeignKey("feeds.id"), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("content_type", sa.Text(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
    )
    op.create_index("pushed_documents_feed", "pushed_documents", ["feed_id"])
