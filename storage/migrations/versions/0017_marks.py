"""What users mark while they read."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make two tables and an index. Stories that have a verdict are read."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "marks",
        sa.Column("user_id", number, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("story", sa.BigInteger(), nullable=False),
        sa.Column("read_at", sa.BigInteger()),
        sa.Column("kept_unread", sa.Boolean(), nullable=False),
        sa.Column("saved_at", sa.BigInteger()),
        sa.Column("read_all_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("user_id", "story"),
        sqlite_with_rowid=False,
    )
    op.create_index("marks_saved", "marks", ["user_id", "saved_at"])
    op.create_index("marks_read_all", "marks", ["user_id", "read_all_at"])
    op.create_table(
        "labels",
        sa.Column("user_id", number, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("story", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "label", "story"),
        sqlite_with_rowid=False,
    )
    op.create_index("labels_story", "labels", ["user_id", "story"])
    op.create_index("articles_feed", "articles", ["feed_id", "seq"])
    op.execute(
        "INSERT INTO marks (user_id, story, read_at, kept_unread) "
        "SELECT seen.user_id, articles.story, max(feedback.at), false FROM seen "
        "JOIN articles ON articles.seq = seen.story AND articles.story > 0 "
        "JOIN feedback ON feedback.row = seen.row GROUP BY seen.user_id, articles.story"
    )
