"""Search over all articles, in the inbox or not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from iscore.core.errors import SearchError
from iscore.services.reading.search_query import SearchQuery, parse_query
from iscore.services.session.user_session import UserSession
from iscore.services.views.stories import SearchView
from iscore.services.views.view_builders import story_view
from storage.log import feedback
from storage.records.stories import StoryRow
from storage.stories import inbox, search
from storage.stories.article_filter import EVERYTHING, ArticleFilter
from storage.stream import articles, feed_names

EXCERPT = 240
"""Characters: two or three lines of a terminal."""
BEFORE = 60
"""Characters of an excerpt before the first match."""


class Search:
    """Finds one user's articles by their words."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context

    def find(self, query: str, *, only: ArticleFilter = EVERYTHING, limit: int | None = 30) -> SearchView:
        """Find the articles that have all words of ``query`` in title, text, author or source, newest first.

        Double quotes make a phrase, and a star at the end of a word matches any ending; for operators such as
        ``is:saved`` see ``search_query``. Learns nothing. Raises ``SearchError`` for a query without words,
        ``StorageError`` for a filter with an unknown name.
        """
        wanted = self.parse(query, only)
        words, only = wanted.words, wanted.only
        if not words:
            raise SearchError("nothing to search for; give a word, such as `iscore search climate`")
        user = self._context.user_id
        with self._database.read() as tx:
            seqs = search.find(tx, user, words, only, limit=limit)
            matches = search.count(tx, user, words, only)
            found = articles.get(tx, seqs)
            names = feed_names.shown(tx, user, [article.feed_id for article in found])
            stories = [article.story or article.seq for article in found]
            rows = {row.article.seq: row for row in inbox.rows(tx, user, stories)}
            verdicts = feedback.verdicts(tx, user, stories)
        items = []
        for article, story in zip(found, stories, strict=True):
            scored = rows.get(story) or StoryRow(article, None, None, ())
            row = replace(scored, article=replace(article, source=names[article.feed_id]))
            items.append(replace(story_view(row), text=excerpt(article.text, words), verdict=verdicts.get(story)))
        return SearchView(tuple(items), matches, matches >= search.COUNTED)

    def parse(self, query: str, only: ArticleFilter = EVERYTHING) -> SearchQuery:
        """Read a search with its operators; without words it restricts lists. Raises ``SearchError``."""
        return parse_query(query, self._context.clock(), self._context.zone, only)


def excerpt(text: str, words: Sequence[search.Word]) -> str:
    """Return the part of a text around the first of ``words``, as one line; its beginning when it has none of them."""
    line = " ".join(text.split())
    wanted = "|".join(rf"\b{re.escape(word.text)}" for word in words)
    match = re.search(wanted, line, re.IGNORECASE)
    start = max(0, match.start() - BEFORE) if match else 0
    if start:
        start = line.find(" ", start) + 1 or start
    end = start + EXCERPT
    if end < len(line):
        end = max(line.rfind(" ", start, end), start + EXCERPT // 2)
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")
