"""Texts that users write, for when several share a database; and facts of a user who is removed may be deleted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


FACTS = ("feedback", "decisions", "late_deliveries", "rounds", "rule_changes", "arrived_items")
REMOVED = "WHEN (SELECT role FROM users WHERE id = OLD.user_id) <> 'removed'"


def upgrade() -> None:
    """Make an empty table: what an only user writes is in files. Let triggers look at the user's role."""
    op.create_table(
        "documents",
        sa.Column(
            "user_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), sa.ForeignKey("users.id"), nullable=False
        ),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("changed", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "name"),
        sqlite_with_rowid=False,
    )
    if op.get_bind().dialect.name == "sqlite":
        for table in FACTS:
            op.execute(f"DROP TRIGGER {table}_no_delete")
            op.execute(
                f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} {REMOVED} "
                f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            )
