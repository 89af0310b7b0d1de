"""An index of the words of all articles; names of feeds without HTML escapes, as they are stored from now on."""

from __future__ import annotations

import html

import sqlalchemy as sa
from alembic import context, op

from storage.engine.transaction import Transaction
from storage.stream import search_fts5, search_index

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

FEEDS = sa.table("feeds", sa.column("id"), sa.column("name"), sa.column("title"))


def upgrade() -> None:
    """Make the index and fill it; decode names."""
    connection = op.get_bind()
    escaped = sa.select(FEEDS).where(FEEDS.c.title.contains("&"))
    for feed in connection.execute(escaped).all():
        decoded = {"name": _decoded(feed.name), "title": _decoded(feed.title)}
        connection.execute(sa.update(FEEDS).where(FEEDS.c.id == feed.id).values(decoded))
    op.execute(search_fts5.CREATE)
    search_index.fill(Transaction(connection), context.config.attributes["progress"])


def _decoded(name: str) -> str:
    return " ".join(html.unescape(name).split())
