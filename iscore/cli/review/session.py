"""Where a person is in going through articles: a value that never changes.

The order of a session stays what it was when it began, whatever is said in its course: an article that jumps while one
looks for it is worse than one at a place that is no longer quite right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from storage.records import Kind


class Page(StrEnum):
    """What is looked at. At the end of a session there is no article, and only ``HELP`` is left beside the end."""

    ARTICLE = "article"
    TEXT = "text"
    WHY = "why"
    STORY = "story"
    HELP = "help"
    MUTE = "mute"
    """The question what to mute."""
    WORD = "word"
    """A word to be muted, while it is typed."""


READING = (Page.TEXT, Page.WHY, Page.STORY, Page.HELP)
"""Pages that may be longer than the screen."""


@dataclass(frozen=True, slots=True)
class Said:
    """A verdict of this session."""

    id: str
    kind: Kind
    before: Kind | None
    """What had been said of the article."""


@dataclass(frozen=True, slots=True)
class Muted:
    """A rule that was made in this session."""

    id: str
    """The article that gave rise to it."""
    field: str
    text: str


Deed = Said | Muted


@dataclass(frozen=True, slots=True)
class Session:
    """Articles in their order, the place among them, and what has been done."""

    ids: tuple[str, ...]
    place: int
    """0 is the first article; ``len(ids)`` the end."""
    said: Mapping[str, Kind] = field(default_factory=dict)
    """What stands of the articles, said in this session or before."""
    hidden: frozenset[str] = frozenset()
    """Articles that a new rule holds back."""
    put_off: frozenset[str] = frozenset()
    """Articles passed over in this session."""
    deeds: tuple[Deed, ...] = ()
    """What can be taken back, the newest last."""
    wanted: int = 0
    """So many articles the session wants to have in all; at its end it lacks the others."""
    page: Page = Page.ARTICLE
    top: int = 0
    """The first line of the page that is seen."""
    typed: str = ""
    notice: str = ""
    """What the last key led to, in words."""

    @property
    def here(self) -> str | None:
        """The article that is looked at; None at the end."""
        return self.ids[self.place] if self.place < len(self.ids) else None

    @property
    def verdict(self) -> Kind | None:
        """What stands of the article that is looked at."""
        return self.said.get(self.here) if self.here is not None else None

    @property
    def number(self) -> int:
        """The place as people count, from 1; what is hidden does not count."""
        hidden = sum(each in self.hidden for each in self.ids[: self.place]) if self.hidden else 0
        return self.place + 1 - hidden

    @property
    def total(self) -> int:
        """How many articles there are to go through, or will be."""
        return max(len(self.ids), self.wanted) - len(self.hidden)

    @property
    def lacks(self) -> int:
        """How many articles are to be found before the session can go on; 0 but at the end."""
        return max(0, self.wanted - len(self.ids)) if self.here is None else 0

    @property
    def waiting(self) -> Iterator[str]:
        """The articles that nothing has been said of, in order."""
        return (each for each in self.ids if self.waits(each))

    def waits(self, article_id: str) -> bool:
        """Tell whether an article is still to be judged."""
        return article_id not in self.said and article_id not in self.hidden

    def tally(self) -> dict[Kind, int]:
        """Count what was said in this session and stands."""
        done = {deed.id for deed in self.deeds if isinstance(deed, Said)}
        return dict(Counter(self.said[each] for each in done if each in self.said))

    def passed(self) -> int:
        """Count what was put off in this session and still waits."""
        return sum(map(self.waits, self.put_off))

    def after(self) -> int:
        """Give the place of the next article that waits behind this one; the end when there is none."""
        places = range(self.place + 1, len(self.ids))
        return next((place for place in places if self.waits(self.ids[place])), len(self.ids))

    def first(self) -> int:
        """Give the place of the first article that waits; the end when there is none."""
        return next((place for place, each in enumerate(self.ids) if self.waits(each)), len(self.ids))

    def at(self, place: int, notice: str = "") -> Session:
        """Look at another article."""
        return replace(self, place=min(place, len(self.ids)), page=Page.ARTICLE, top=0, typed="", notice=notice)

    def at_article(self, article_id: str, notice: str = "") -> Session:
        """Look at the article of this id, which is put in here when it is none of those to go through."""
        if article_id in self.ids:
            return self.at(self.ids.index(article_id), notice)
        ids = (*self.ids[: self.place], article_id, *self.ids[self.place :])
        return replace(self, ids=ids).at(self.place, notice)

    def noting(self, article_id: str, verdict: Kind | None) -> Session:
        """Note what stands of an article; None: nothing."""
        said = {each: kind for each, kind in self.said.items() if each != article_id}
        if verdict is not None:
            said[article_id] = verdict
        return replace(self, said=said)

    def doing(self, deed: Deed) -> Session:
        """Remember what can be taken back."""
        return replace(self, deeds=(*self.deeds, deed))

    def hiding(self, hidden: Collection[str]) -> Session:
        """Pass over these articles and no others; from one of them go on to the next."""
        changed = replace(self, hidden=frozenset(hidden))
        return changed.at(changed.after(), self.notice) if self.here in changed.hidden else changed

    def extended(self, ids: Sequence[str]) -> Session:
        """Add articles at the end; when there are none, want no more."""
        new = tuple(each for each in dict.fromkeys(ids) if each not in self.said and each not in self.ids)
        return replace(self, ids=self.ids + new, wanted=self.wanted if new else 0)

    def anew(self, fresh: Session, notice: str) -> Session:
        """Go on with the articles of another session, and keep what has been done."""
        said = {**self.said, **fresh.said}
        return replace(fresh, deeds=self.deeds, put_off=self.put_off, said=said, notice=notice)

    def clamped(self, lowest: int) -> Session:
        """See nothing below the last page, whose first line is ``lowest``."""
        top = max(0, min(self.top, lowest))
        return self if top == self.top else replace(self, top=top)


def begun(ids: Sequence[str], said: Mapping[str, Kind], *, wanted: int = 0, notice: str = "") -> Session:
    """Begin at the first article that nothing has been said of."""
    session = Session(ids=tuple(dict.fromkeys(ids)), place=0, said=said, wanted=wanted)
    return session.at(session.first(), notice)
