"""The language of searches: words, and operators that restrict what is found.

    climate "sea level" feed:Reuters author:lovelace label:work is:saved is:unread before:2026-03-01 after:7d
    └── words ────────┘ └── operators: ``ArticleFilter`` ──────────────────────────────────────────────────┘

An operator's value may be in double quotes: ``feed:"New York Times"``. What looks like an operator and is none, such as
``C++:`` or an address, is searched as words.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any

from iscore.core.errors import SearchError
from iscore.core.translation import gettext
from storage.stories.article_filter import EVERYTHING, ArticleFilter
from storage.stories.search import Word, parse

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
