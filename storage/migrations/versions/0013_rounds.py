"""Rounds: what was known when stories were decided about."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

FACTS = ("decisions", "late_deliveries", "rounds", "rule_changes", "arrived_items")


def upgrade() -> None:
    """Make three tables and four columns. What was decided before belongs to no round."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "rounds",
        sa.Column("user_id", number, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in ("row", "learned", "rule_change", "basis")),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "number"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "rule_changes",
        sa.Column("number", number, nullable=False),
        sa.Column("user_id", number, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("seq", number, sa.ForeignKey("articles.seq"), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("boost", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("number"),
    )
    op.create_index("rule_changes_story", "rule_changes", ["user_id", "seq", "number"])
    op.create_table(
        "arrived_items",
        sa.Column("user_id", number, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("story", sa.BigInteger(), nullable=False),
        sa.Column("item", number, sa.ForeignKey("articles.seq"), nullable=False),
        sa.Column("row", sa.BigInteger(), nullable=False),
        sa.Column("round", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "story", "row"),
        sqlite_with_rowid=False,
    )
    op.execute("INSERT INTO rule_changes (user_id, seq, action, boost) SELECT user_id, seq, action, boost FROM rulings")
    op.execute(
        "INSERT INTO arrived_items (user_id, story, item, row, round) "
        "SELECT seen.user_id, seen.story, feedback.story, seen.row, 1 "
        "FROM seen JOIN feedback ON feedback.row = seen.row WHERE feedback.story <> seen.story"
    )
    for table in ("decisions", "late_deliveries", "standings"):
        op.add_column(table, sa.Column("round", sa.BigInteger()))
    op.add_column("decisions", sa.Column("tags", sa.Text(), nullable=False, server_default="[]"))
    if op.get_bind().dialect.name == "sqlite":
        for table in FACTS:
            _protect(table)


def _protect(table: str) -> None:
    """Let the database itself refuse to change facts."""
    for action in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER {table}_no_{action.lower()} BEFORE {action} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        )
