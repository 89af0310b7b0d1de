"""Looking for many words and phrases in one text.

Each is looked for as it is written, between the boundaries of words. Where there are very many, one pass over the text
collects its words first, and only what begins with one of them is looked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from iscore.rules.text_normalization import bare, folded, joins

FEW = 100
"""So many are looked for at once faster than the text's words are collected."""
_RUN = re.compile(r"[a-z0-9_]+")


class Haystack:
    """A text to search, folded once, when it is first searched."""

    def __init__(self, *parts: str) -> None:
        self._parts = parts

    @cached_property
    def folded(self) -> str:
        """The text, folded; nothing reaches from one part into the next."""
        return "\0".join(folded(part) for part in self._parts)

    @cached_property
    def bare(self) -> str:
        """The same without accents."""
        return bare(self.folded)

    @cached_property
    def runs(self) -> frozenset[str]:
        """All longest runs of ASCII letters and digits, of both."""
        found = set(_RUN.findall(self.folded))
        return frozenset(found if self.bare is self.folded else found.union(_RUN.findall(self.bare)))


@dataclass(frozen=True, slots=True)
class Needle:
    """A word or phrase to look for."""

    text: str
    """Folded."""
    accented: bool
    """Whether it is written with accents: then it is not found without."""
    begins: bool
    """Whether it must begin at the beginning of a word; not if it begins with a sign or in a script without spaces."""
    ends: bool
    open_end: bool
    """Whether any ending fits."""
    run: str
    """A run of letters that every text with this needle contains; empty when there is none for sure."""

    @classmethod
    def of(cls, text: str) -> Needle:
        """Make a needle from a rule's text; a star at the end matches any ending."""
        looked_for = folded(text)
        open_end = looked_for.endswith("*") and len(looked_for) > 1
        looked_for = looked_for.removesuffix("*").rstrip() if open_end else looked_for
        begins, ends = joins(looked_for[0]), joins(looked_for[-1]) and not open_end
        run = _RUN.match(looked_for)
        whole = run is not None and (ends if run.end() == len(looked_for) else True)
        return cls(
            text=looked_for,
            accented=bare(looked_for) != looked_for,
            begins=begins,
            ends=ends,
            open_end=open_end,
            run=run[0] if run is not None and whole and begins else "",
        )

    def is_in(self, haystack: Haystack) -> bool:
        """Whether it is found."""
        return self._in(haystack.folded if self.accented else haystack.bare)

    def is_all_of(self, name: str) -> bool:
        """Whether a name is this, or begins with it if it ends with a star."""
        hay = folded(name) if self.accented else bare(folded(name))
        return hay.startswith(self.text) if self.open_end else hay == self.text

    def _in(self, hay: str) -> bool:
        place = hay.find(self.text)
        while place >= 0:
            end = place + len(self.text)
            begins = not self.begins or place == 0 or not joins(hay[place - 1])
            if begins and (not self.ends or end == len(hay) or not joins(hay[end])):
                return True
            place = hay.find(self.text, place + 1)
        return False


def found_in(needles: Sequence[Needle], haystack: Haystack) -> list[int]:
    """Return the places, in the list, of those that are in the text."""
    if len(needles) <= FEW:
        return [place for place, needle in enumerate(needles) if needle.is_in(haystack)]
    runs = haystack.runs
    return [
        place
        for place, needle in enumerate(needles)
        if (not needle.run or needle.run in runs) and needle.is_in(haystack)
    ]
