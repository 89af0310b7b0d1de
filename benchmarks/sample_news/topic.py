"""What a topic is made of: its own words, sentences and running stories, in one language."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from benchmarks.sample_news.common_words import COMMON
from benchmarks.sample_news.grammar import Lexicon
from benchmarks.sample_news.word_lists import lines

Development = tuple[str, str]
"""A headline and its lead sentence, both templates."""


def developments(text: str) -> tuple[Development, ...]:
    """Read lines of the form ``headline | lead``."""
    pairs = [line.split(" | ") for line in lines(text)]
    return tuple((headline, lead) for headline, lead in pairs)


@dataclass(frozen=True)
class Topic:
    """A field of news in one language.

    Templates may use what a story binds — ``{org}``, ``{rival}``, ``{place}``, ``{person}``, ``{thing}`` — and what
    is drawn each time: ``{part}``, ``{other}``, ``{folk}``, ``{role}``, ``{field}`` and the common words.
    """

    key: str
    categories: tuple[str, ...]
    field: tuple[str, ...]
    org: tuple[str, ...]
    thing: tuple[str, ...]
    part: tuple[str, ...]
    folk: tuple[str, ...]
    role: tuple[str, ...]
    facts: tuple[str, ...]
    """Clauses without a full stop, from which bodies are made."""
    claims: tuple[str, ...]
    """What somebody says, as a clause inside quotation marks."""
    arcs: tuple[tuple[Development, ...], ...]
    """Running stories: each a sequence of developments over days."""
    briefs: tuple[Development, ...]
    """News that has no sequel."""
    language: str = "en"

    @cached_property
    def lexicon(self) -> Lexicon:
        """Slot name to options: the topic's own words over the common ones of its language."""
        own = {
            "org": self.org,
            "thing": self.thing,
            "other": self.thing,
            "part": self.part,
            "folk": self.folk,
            "role": self.role,
            "field": self.field,
            "claim": self.claims,
        }
        return {**COMMON[self.language], **own}
