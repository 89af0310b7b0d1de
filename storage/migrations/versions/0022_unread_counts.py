"""The index of the articles of feeds has all that unread counts read."""

from __future__ import annotations

from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the index again, with three more columns."""
    op.drop_index("articles_feed", "articles")
    op.create_index("articles_feed", "articles", ["feed_id", "seq", "story", "arrived", "archive"])
