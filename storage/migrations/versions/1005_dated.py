"""Lists are ordered by publication: articles and current scores have it, capped by arrival, in an index."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa
from alembic import context, op

from storage.schema.column_types import Moment

revision = "1005"
down_revision = "1004"
branch_labels = None
depends_on = None

PIECE = 20_000
"""Rows that are filled at once, and between two reports of progress."""
WEEK = 7 * 86_400 * 1_000_000

_ARTICLES = f"""
    UPDATE articles SET dated = CASE WHEN published < arrived THEN published
                                     WHEN published IS NULL AND archive THEN arrived - {WEEK} ELSE arrived END
    WHERE seq > :after AND seq <= :last
"""  # noqa: S608 -- a constant
_SCORES = """
    UPDATE current_scores SET dated = (SELECT a.dated FROM articles AS a WHERE a.seq = current_scores.seq)
    WHERE user_id = :user AND seq > :after AND seq <= :last
"""


def upgrade() -> None:
    """Add the columns, fill them, and index them."""
    database, progress = op.get_bind(), context.config.attributes["progress"]
    for table in ("articles", "current_scores"):
        op.add_column(table, sa.Column("dated", Moment, nullable=False, server_default=sa.text("0")))
    total = database.scalar(sa.text("SELECT (SELECT count(*) FROM articles) + (SELECT count(*) FROM current_scores)"))
    done = 0
    users = database.scalars(sa.text("SELECT id FROM users ORDER BY id")).all()
    for table, statement, user in (("articles", _ARTICLES, 0), *(("current_scores", _SCORES, each) for each in users)):
        for after, last in _pieces(table, user):
            if progress is not None:
                progress(done, total, "preparing lists by publication")
            places = {"after": after, "last": last} | ({"user": user} if user else {})
            done += database.execute(sa.text(statement), places).rowcount
    op.create_index("articles_dated", "articles", ["feed_id", "dated", "seq"])
    op.create_index("current_scores_dated", "current_scores", ["user_id", "dated", "seq"])


def _pieces(table: str, user: int) -> Iterator[tuple[int, int]]:
    """Yield behind which number each piece of a table, or of a user's rows in it, begins, and where it ends."""
    mine = "user_id = :user AND" if user else ""
    some = f"SELECT seq FROM {table} WHERE {mine} seq > :after ORDER BY seq LIMIT {PIECE}"  # noqa: S608 -- constants
    query, after = sa.text(f"SELECT max(seq) FROM ({some}) AS piece"), 0  # noqa: S608 -- constants
    while last := op.get_bind().scalar(query, {"user": user, "after": after} if user else {"after": after}):
        yield after, last
        after = last
