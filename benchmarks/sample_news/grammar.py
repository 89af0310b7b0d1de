"""Templates to sentences: ``{slot}`` is replaced by what is bound to it, or else by a draw from the lexicon.

An entry of the lexicon may contain slots of its own. ``{Slot}`` is ``{slot}`` with a capital first letter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from benchmarks.sample_news.draws import Draws

Lexicon = Mapping[str, Sequence[str]]

_SLOT = re.compile(r"\{(\w+)\}")
# "a" before a vowel becomes "an"; the exceptions sound like "you" or "won".
_ARTICLE = re.compile(r"\b([Aa]) (?=[aeioAEIO8]|u(?!ni|se))(?!one|eu|Eu)")


def write(template: str, lexicon: Lexicon, bound: Mapping[str, str], draws: Draws, *, language: str = "en") -> str:
    """Return the template with every slot filled.

    Raises ``KeyError`` for a slot that is neither bound nor in the lexicon.
    """
    text = _fill(template, lexicon, bound, draws)
    return _ARTICLE.sub(r"\1n ", text) if language == "en" else text


def sentence(text: str) -> str:
    """Return ``text`` with a capital first letter and a full stop where it has no closing mark."""
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", "”", ":")) else text + "."


def _fill(template: str, lexicon: Lexicon, bound: Mapping[str, str], draws: Draws) -> str:
    parts = _parts(template)
    if len(parts) == 1:
        return template
    filled = list(parts)
    for place in range(1, len(parts), 2):
        slot = parts[place]
        name = slot.lower()
        value = bound.get(name)
        if value is None:
            value = draws.pick(lexicon[name])
            if "{" in value:
                value = _fill(value, lexicon, bound, draws)
        filled[place] = value[:1].upper() + value[1:] if slot[0].isupper() else value
    return "".join(filled)


@lru_cache(maxsize=4096)
def _parts(template: str) -> tuple[str, ...]:
    """Literal text at even places, slot names at odd ones."""
    return tuple(_SLOT.split(template))
