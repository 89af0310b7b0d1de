"""Sessions, invitations and passwords of client apps."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make three tables. Nobody is signed in with them yet."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "sessions",
        sa.Column("user_id", number, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("used", sa.BigInteger(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "key"),
        sa.UniqueConstraint("key", name="sessions_key"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "invitations",
        sa.Column("user_id", number, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "key"),
        sa.UniqueConstraint("key", name="invitations_key"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "app_passwords",
        sa.Column("user_id", number, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("used", sa.BigInteger()),
        sa.PrimaryKeyConstraint("user_id", "name"),
        sa.UniqueConstraint("key", name="app_passwords_key"),
        sqlite_with_rowid=False,
    )
