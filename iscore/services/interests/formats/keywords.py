"""Words for what one likes: a file with one interest a line, or a list with commas."""

from __future__ import annotations

import re
from collections.abc import Iterator

from iscore.core.translation import gettext, grouped
from iscore.feeds.parsing.html_to_text import line
from iscore.services.interests.errors import MalformedError
from iscore.services.learning.imported_item import Form, ImportedItem

LONGEST = 200
"""Characters of one interest. What is longer is no keyword: most likely another kind of file was meant."""
MOST = 500
"""Interests in one list."""


def read_keywords(text: str) -> Iterator[ImportedItem]:
    """Yield an item per interest, which may be several words: ``solar power, chess``.

    Raises ``MalformedError`` for a text that is no list of words.
    """
    found: dict[str, ImportedItem] = {}
    for row in text.splitlines():
        for value in re.split("[,;]", "" if row.lstrip().startswith("#") else row):
            words = line(value)
            if len(words) > LONGEST:
                raise MalformedError(
                    gettext(
                        "%(text)s… is too long for a keyword; separate keywords with commas or line breaks",
                        text=repr(words[:40]),
                    )
                )
            if any(character.isalnum() for character in words):
                found.setdefault(words.casefold(), ImportedItem(Form.KEYWORDS, words))
    if len(found) > MOST:
        raise MalformedError(
            gettext("it has %(number)s keywords; use at most %(most)s", number=grouped(len(found)), most=MOST)
        )
    yield from found.values()
