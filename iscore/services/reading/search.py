"""Search over all articles, in the inbox or not, and its language: words, and operators that restrict what is found.

    climate "sea level" feed:Reuters author:lovelace label:work is:saved is:unread before:2026-03-01 after:7d
    └── words ────────┘ └── operators: ``ArticleFilter`` ──────────────────────────────────────────────────┘

An operator's value may be in double quotes: ``feed:"New York Times"``. What looks like an operator and is none, such as
``C++:`` or an address, is searched as words.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import accumulate
from typing import Any

from iscore.core.errors import SearchError
from iscore.core.translation import gettext
from iscore.services.session.user_session import UserSession
from iscore.services.views.stories import SearchView
from iscore.services.views.view_builders import story_view
from storage.log import feedback
from storage.records.stories import StoryRow
from storage.stories import inbox, search
from storage.stories.article_filter import EVERYTHING, ArticleFilter
from storage.stories.search import Word, parse
from storage.stream import articles, feed_names
from storage.stream.folding import folded, joins

OPERATORS = ("feed", "tag", "author", "label", "is", "before", "after")

_OPERATOR = re.compile(rf'(?<!\S)({"|".join(OPERATORS)}):(?:"([^"]*)"?|(\S*))', re.IGNORECASE)
_DURATION = re.compile(r"(\d{1,4})([hdw])")
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What a search asks for."""

    words: tuple[Word, ...]
    only: ArticleFilter


def parse_query(text: str, now: datetime, zone: tzinfo | None, only: ArticleFilter = EVERYTHING) -> SearchQuery:
    """Read a search. Operators are added to ``only``, of two of a kind the last counts; a date begins at midnight.

    ``zone`` is the user's, None for the machine's. Raises ``SearchError`` for an operator with a wrong value.

    >>> found = parse_query("tide* is:saved feed:Nature", datetime(2026, 3, 1, tzinfo=UTC), UTC)
    >>> found.words, found.only.saved, found.only.source
    ((Word(text='tide', prefix=True),), True, 'Nature')
    """
    for operator, quoted, plain in _OPERATOR.findall(text):
        name, value = operator.lower(), (quoted or plain).strip()
        if not value:
            raise SearchError(
                gettext("%(name)s: needs a value, such as %(example)s", name=name, example=_EXAMPLES[name])
            )
        only = _RESTRICTIONS[name](only, value, now, zone)
    return SearchQuery(parse(_OPERATOR.sub(" ", text)), only)


def _is(only: ArticleFilter, value: str, *_: Any) -> ArticleFilter:
    if value.lower() == "saved":
        return replace(only, saved=True)
    if value.lower() == "unread":
        return replace(only, unread=True)
    raise SearchError(gettext("is:%(value)s is unknown; there are is:saved and is:unread", value=value))


def _moment(text: str, now: datetime, zone: tzinfo | None) -> datetime:
    if found := _DURATION.fullmatch(text.lower()):
        return now - int(found[1]) * _UNITS[found[2]]
    try:
        day = date.fromisoformat(text)
    except ValueError as error:
        raise SearchError(
            gettext("%(text)s is neither a date nor a duration; write 2026-03-01, 7d or 12h", text=repr(text))
        ) from error
    return datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC)


_RESTRICTIONS: dict[str, Callable[[ArticleFilter, str, datetime, tzinfo | None], ArticleFilter]] = {
    "feed": lambda only, value, *_: replace(only, source=value),
    "tag": lambda only, value, *_: replace(only, tag=value),
    "author": lambda only, value, *_: replace(only, author=value),
    "label": lambda only, value, *_: replace(only, label=value),
    "is": _is,
    "before": lambda only, value, now, zone: replace(only, before=_moment(value, now, zone)),
    "after": lambda only, value, now, zone: replace(only, since=_moment(value, now, zone)),
}
_EXAMPLES = {
    "feed": "feed:Reuters",
    "tag": "tag:science",
    "author": "author:lovelace",
    "label": "label:work",
    "is": "is:saved",
    "before": "before:2026-03-01",
    "after": "after:7d",
}


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
        ``is:saved`` see ``parse_query``. Learns nothing. Raises ``SearchError`` for a query without words,
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


def excerpt(text: str, words: Sequence[Word]) -> str:
    """Return the part of a text around the first of ``words``, as one line; its beginning when it has none of them."""
    line = " ".join(text.split())
    letters = {letter: folded(letter) for letter in set(line)}
    match = re.search("|".join(map(_pattern, words)), "".join(map(letters.__getitem__, line)))
    begins = [*accumulate(map(len, map(letters.__getitem__, line)), initial=0)]
    start = bisect_right(begins, max(0, match.start() - BEFORE)) - 1 if match else 0
    if start:
        start = line.find(" ", start, start + BEFORE) + 1 or start
    end = start + EXCERPT
    if end < len(line):
        end = max(line.rfind(" ", start, end), start + EXCERPT // 2)
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")


def _pattern(word: Word) -> str:
    """Return an expression for a word or phrase in folded text, as the index finds it."""
    parts = re.findall(r"\w+", folded(word.text))
    first, last = (r"\b" if joins(letter) else "" for letter in (parts[0][0], parts[-1][-1]))
    return first + r"\W+".join(parts) + ("" if word.prefix else last)
