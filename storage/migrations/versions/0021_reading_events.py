"""What users do while they read, for those who let the filter learn from it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

STAYS = "(SELECT role FROM users WHERE id = OLD.user_id) <> 'removed'"
SUMMED = "EXISTS (SELECT 1 FROM reading_sums WHERE user_id = OLD.user_id AND story = OLD.story AND row >= OLD.row)"


def upgrade() -> None:
    """Make two tables and two columns. Nobody was asked yet, so nothing is recorded and no round knew anything."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "reading_events",
        sa.Column("row", number, nullable=False),
        sa.Column("user_id", number, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("story", number, sa.ForeignKey("articles.seq"), nullable=False),
        sa.Column("act", sa.Text(), nullable=False),
        sa.Column("visit", sa.Text(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("row"),
        sa.UniqueConstraint("user_id", "id", name="reading_events_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("reading_events_story", "reading_events", ["user_id", "story", "row"])
    op.create_index("reading_events_at", "reading_events", ["user_id", "at"])
    op.create_table(
        "reading_sums",
        sa.Column("user_id", number, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("story", number, sa.ForeignKey("articles.seq"), nullable=False),
        sa.Column("opened", sa.Boolean(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        *(sa.Column(name, sa.Boolean(), nullable=False) for name in ("saved", "original", "left", "passed")),
        sa.Column("row", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "story"),
        sqlite_with_rowid=False,
    )
    op.add_column("users", sa.Column("learns_from_reading", sa.Boolean(), nullable=False, server_default=sa.text("0")))
    op.add_column("rounds", sa.Column("event", sa.BigInteger(), nullable=False, server_default=sa.text("0")))
    if op.get_bind().dialect.name == "sqlite":
        for action, condition in (("UPDATE", ""), ("DELETE", f"WHEN {STAYS} AND NOT {SUMMED} ")):
            op.execute(
                f"CREATE TRIGGER reading_events_no_{action.lower()} BEFORE {action} ON reading_events {condition}"
                "BEGIN SELECT RAISE(ABORT, 'reading_events is append-only'); END"
            )
