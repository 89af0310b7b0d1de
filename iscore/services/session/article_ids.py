"""Finds the article that an id, perhaps abbreviated, refers to."""

from __future__ import annotations

from iscore.core.errors import AmbiguousIdError, UnknownArticleError
from storage.engine.transaction import Transaction
from storage.stream import articles


def find_article(tx: Transaction, user_id: int, article_id: str) -> int:
    """Return the ``seq`` of an article that the user may see. Raises ``UnknownArticleError``, ``AmbiguousIdError``."""
    matches = articles.find(tx, user_id, article_id)
    if not matches:
        raise UnknownArticleError(article_id, articles.SHORTEST_PREFIX)
    if len(matches) > 1:
        raise AmbiguousIdError(article_id, len(matches))
    return matches[0]
