"""Words are folded in another way: the index of the search is made anew, and rules are applied anew."""

from __future__ import annotations

from alembic import context, op

from storage.engine.base_database import Transaction
from storage.stream import search_index

revision = "1001"
down_revision = "1000"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Index all articles, and forget that rules were applied."""
    search_index.fill(Transaction(op.get_bind()), context.config.attributes["progress"])
    op.execute("UPDATE users SET ruled_by = ''")
