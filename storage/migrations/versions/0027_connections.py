"""Connections to other reader servers, their items, and the tags that wait to be set there."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make three tables: so far nobody has a connection."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "connections",
        sa.Column("user_id", number, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("connected", sa.BigInteger(), nullable=False),
        sa.Column("synced", sa.BigInteger()),
        sa.Column("newest", sa.BigInteger()),
        sa.Column("next_due", sa.BigInteger()),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("user_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "remote_items",
        sa.Column("user_id", number, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("item", sa.BigInteger(), nullable=False),
        sa.Column("seq", number, sa.ForeignKey("articles.seq")),
        sa.Column("starred", sa.Boolean(), nullable=False),
        sa.Column("liked", sa.Boolean(), nullable=False),
        sa.Column("disliked", sa.Boolean(), nullable=False),
        sa.Column("read", sa.Boolean(), nullable=False),
        sa.Column("ours", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "item"),
        sqlite_with_rowid=False,
    )
    op.create_index("remote_items_seq", "remote_items", ["user_id", "seq"])
    op.create_table(
        "remote_tags",
        sa.Column("user_id", number, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("item", sa.BigInteger(), nullable=False),
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("wanted", sa.Boolean(), nullable=False),
        sa.Column("refused", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "item", "tag"),
        sqlite_with_rowid=False,
    )
