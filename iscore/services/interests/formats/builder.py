"""Builds a clean imported item, and says what is wrong with a document; the same for all formats."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from urllib.parse import unquote, urlsplit

from iscore.feeds.parsing.dates import from_text
from iscore.feeds.parsing.html_to_text import line, line_of_markup, prose
from iscore.feeds.urls import canonical_url, safe_url
from iscore.services.learning.imported_item import Form, ImportedItem

MAX_LABEL = 60
"""Characters of a label, as in ``iscore.services.reading.reader``."""
MOST_CATEGORIES = 20
LONGEST_CATEGORY = 80
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_SECOND = 253_402_300_799  # of the year 9999
_MICROSECONDS = 10_000_000_000_000
_MILLISECONDS = 10_000_000_000
"""Numbers above are no seconds since 1970: nothing was bookmarked in the year 2286."""
_DAY_FIRST = re.compile(r"^([0-9]{2})/([0-9]{2})/([0-9]{4})(?= [0-9:]{8}$)")
_WORD = re.compile(r"[^\W\d_]{2,}")
_ENDING = re.compile(r"\.[a-z]{2,5}$", re.IGNORECASE)
_FEWEST_WORDS = 3
"""Words from which on a part of an address is a title rather than a section or an id."""


class MalformedError(ValueError):
    """A document that violates its format; the message says how, without naming the file."""


def item_of(
    url: str,
    title: str = "",
    markup: str = "",
    *,
    author: str = "",
    categories: Iterable[str] = (),
    added: datetime | None = None,
    saved: bool = False,
    user_labels: Iterable[str] = (),
) -> ImportedItem | None:
    """Return an item with an address; None for one that is no web page. ``title`` and ``markup`` may be HTML."""
    address = canonical_url(safe_url(url.strip()))
    if not address:
        return None
    found = prose(markup)
    name = line_of_markup(title)
    if _is_address(name):  # programs that know no title write the address
        name = ""
    form = Form.TEXT if found.text else Form.TITLE if name else Form.ADDRESS
    return ImportedItem(
        form=form,
        title=name if form is not Form.ADDRESS else words_of(address),
        url=address,
        text=found.text,
        author=line(author),
        categories=labels(categories),
        added=added,
        links=found.links,
        pictures=found.pictures,
        saved=saved,
        labels=tuple(dict.fromkeys(filter(None, (line(word, MAX_LABEL) for word in user_labels))))[:MOST_CATEGORIES],
    )


def work_of(
    title: str, text: str = "", *, author: str = "", categories: Iterable[str] = (), added: datetime | None = None
) -> ImportedItem | None:
    """Return an item without an address, such as a book, as plain text; None without a title."""
    name, paragraphs = line(title), "\n\n".join(filter(None, map(line, text.splitlines())))
    if not name:
        return None
    form = Form.TEXT if paragraphs else Form.TITLE
    return ImportedItem(form, name, text=paragraphs, author=line(author), categories=labels(categories), added=added)


def labels(words: Iterable[str]) -> tuple[str, ...]:
    """Return categories as clean words, each once, not too many."""
    cleaned = (line(word, LONGEST_CATEGORY) for word in words)
    return tuple(dict.fromkeys(word for word in cleaned if word))[:MOST_CATEGORIES]


def words_of(url: str) -> str:
    """Return the words of an address that read like a title: ``/2026/05/grid-storage-doubles`` → these three.

    Empty when its last parts are ids, sections or file names.
    """
    for part in reversed(urlsplit(url).path.split("/")):
        words = _WORD.findall(_ENDING.sub("", unquote(part)))
        if len(words) >= _FEWEST_WORDS:
            return line(" ".join(words))
    return ""


def moment(value: object) -> datetime | None:
    """Return the time that a number of seconds, milli- or microseconds since 1970, or a text means.

    A text is a date as feeds have them, or ``31/12/2026 23:59:59`` as Wallabag writes it in tables.
    """
    if isinstance(value, str):
        value = value.strip()
        if not re.fullmatch(r"[0-9]{1,17}", value):
            return from_text(_DAY_FIRST.sub(r"\3-\2-\1", value))
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    seconds = int(value)
    seconds //= 1_000_000 if seconds > _MICROSECONDS else 1000 if seconds > _MILLISECONDS else 1
    return _EPOCH + timedelta(seconds=seconds) if 0 < seconds <= _LAST_SECOND else None


def _is_address(title: str) -> bool:
    return re.match(r"(?:https?://|www\.)\S+$", title) is not None
