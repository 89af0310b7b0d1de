"""What a person's own rules say of articles, and the mails that carry their digests."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make two tables, and a place for the rules last applied."""
    op.add_column("users", sa.Column("ruled_by", sa.Text(), nullable=False, server_default=""))
    op.create_table(
        "rulings",
        sa.Column("user_id", NUMBER, nullable=False),
        sa.Column("seq", NUMBER, nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("boost", sa.Float(), nullable=False),
        sa.Column("rules", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"]),
        sa.ForeignKeyConstraint(["seq"], ["articles.seq"]),
        sa.PrimaryKeyConstraint("user_id", "seq"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "mailings",
        sa.Column("user_id", NUMBER, nullable=False),
        sa.Column("edition", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("recipient", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("next_attempt", sa.BigInteger()),
        sa.Column("error", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"]),
        sa.PrimaryKeyConstraint("user_id", "edition"),
        sqlite_with_rowid=False,
    )
