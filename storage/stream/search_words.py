"""What is searched: words and phrases, and how they are compared."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

SHORTEST_STEM = 3
"""Characters before a star: with fewer, half of all words would have to be looked up."""

# Scripts without blanks between words. Each character is a word of its own, and what is searched is a phrase of them.
_UNSPACED = re.compile(
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])"
)
_WORD = re.compile(r'"([^"]*)"?|([^\s"]+)')


@dataclass(frozen=True, slots=True)
class Word:
    """A word or a phrase that is searched."""

    text: str
    prefix: bool
    """Whether its last word may go on."""


@dataclass(frozen=True, slots=True)
class SearchTerm:
    """What an article must have: a word in its title, author or text, or one of some feeds."""

    word: Word
    feeds: tuple[int, ...]
    """Feeds whose names have the word."""


def parse(query: str) -> tuple[Word, ...]:
    """Split a query into words, and phrases in double quotes; a star at the end matches any ending.

    A star after fewer than ``SHORTEST_STEM`` characters is ignored. What has no letter and no digit is left out.
    """
    found = []
    for phrase, word in _WORD.findall(query):
        text = phrase or word
        if any(map(str.isalnum, text)):
            stem = text.rstrip("*")
            found.append(Word(stem, text.endswith("*") and len(stem) >= SHORTEST_STEM))
    return tuple(found)


def spaced(text: str) -> str:
    """Return a text with blanks around each character that is a word of its own."""
    return text if text.isascii() else _UNSPACED.sub(r" \1 ", text)


def folded(text: str) -> str:
    """Return a text without case and accents, as indexes compare words."""
    if text.isascii():
        return text.lower()
    return "".join(each for each in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(each))
