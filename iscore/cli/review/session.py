"""The state of a review: an immutable value, and the effects that a key can ask for.

The order of articles never changes during a session, whatever verdicts are given: an article that moves while you look
for it is worse than one that is slightly out of order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from storage.records.users import Kind


class Page(StrEnum):
    """What is shown. After the last article there is no article, and only ``HELP`` can be opened."""

    ARTICLE = "article"
    TEXT = "text"
    WHY = "why"
    STORY = "story"
    HELP = "help"
    MUTE = "mute"
    """The question what to mute."""
    WORD = "word"
    """The input for a word to mute."""


SCROLLABLE = (Page.TEXT, Page.WHY, Page.STORY, Page.HELP)
"""Pages that may be longer than the screen."""


@dataclass(frozen=True, slots=True)
class Give:
    """Effect: record a verdict."""

    id: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Postpone:
    """Effect: show the article last in the next session."""

    id: str


@dataclass(frozen=True, slots=True)
class Open:
    """Effect: open the article in a browser, or with ``number`` (from 1) that source of its story."""

    id: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class Mute:
    """Effect: add a rule against a word or, with an empty ``text``, against the article's source or author."""

    id: str
    field: str
    """``source``, ``author`` or ``word``."""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Unmute:
    """Effect: remove such a rule."""

    field: str
    text: str


@dataclass(frozen=True, slots=True)
class Refresh:
    """Effect: learn from the new verdicts and restart with the articles that are still unread."""


@dataclass(frozen=True, slots=True)
class Quit:
    """Effect: end the session."""


Effect = Give | Postpone | Open | Mute | Unmute | Refresh | Quit


@dataclass(frozen=True, slots=True)
class GivenVerdict:
    """A verdict given in this session."""

    id: str
    kind: Kind
    before: Kind | None
    """The verdict that it replaced."""


@dataclass(frozen=True, slots=True)
class Muted:
    """A rule added in this session."""

    id: str
    """The article that was on screen."""
    field: str
    text: str


Action = GivenVerdict | Muted
"""What undo can take back."""


@dataclass(frozen=True, slots=True)
class Session:
    """The articles in order, the current position, and what was done so far."""

    ids: tuple[str, ...]
    position: int
    """0 is the first article, ``len(ids)`` the end."""
    verdicts: Mapping[str, Kind] = field(default_factory=dict)
    """The current verdict of each article that has one, from this session or before."""
    hidden: frozenset[str] = frozenset()
    """Articles that a new rule hides."""
    postponed: frozenset[str] = frozenset()
    """Articles postponed in this session."""
    actions: tuple[Action, ...] = ()
    """What can be undone, newest last."""
    target: int = 0
    """How many articles the session wants in total; 0 for as many as it started with."""
    page: Page = Page.ARTICLE
    top: int = 0
    """The first visible line of the page."""
    typed: str = ""
    notice: str = ""
    """A message about the last key."""

    @property
    def here(self) -> str | None:
        """The current article; None at the end."""
        return self.ids[self.position] if self.position < len(self.ids) else None

    @property
    def verdict(self) -> Kind | None:
        """The verdict of the current article."""
        return self.verdicts.get(self.here) if self.here is not None else None

    @property
    def number(self) -> int:
        """The position counted from 1, without hidden articles."""
        hidden = sum(each in self.hidden for each in self.ids[: self.position]) if self.hidden else 0
        return self.position + 1 - hidden

    @property
    def total(self) -> int:
        """The number of articles to review, including those still to be chosen."""
        return max(len(self.ids), self.target) - len(self.hidden)

    @property
    def missing(self) -> int:
        """How many articles must be found before the session can go on; 0 before the end."""
        return max(0, self.target - len(self.ids)) if self.here is None else 0

    @property
    def undecided(self) -> Iterator[str]:
        """The articles without a verdict, in order."""
        return (each for each in self.ids if self.is_undecided(each))

    def is_undecided(self, article_id: str) -> bool:
        """Whether an article has no verdict and is not hidden."""
        return article_id not in self.verdicts and article_id not in self.hidden

    def counts(self) -> dict[Kind, int]:
        """Count the verdicts given in this session, without those taken back."""
        done = {action.id for action in self.actions if isinstance(action, GivenVerdict)}
        return dict(Counter(self.verdicts[each] for each in done if each in self.verdicts))

    def postponed_count(self) -> int:
        """Count the articles postponed in this session that are still undecided."""
        return sum(map(self.is_undecided, self.postponed))

    def next_position(self) -> int:
        """Return the position of the next undecided article; the end if there is none."""
        positions = range(self.position + 1, len(self.ids))
        return next((each for each in positions if self.is_undecided(self.ids[each])), len(self.ids))

    def first_position(self) -> int:
        """Return the position of the first undecided article; the end if there is none."""
        return next((at for at, each in enumerate(self.ids) if self.is_undecided(each)), len(self.ids))

    def at(self, position: int, notice: str = "") -> Session:
        """Move to a position and show its article."""
        position = min(position, len(self.ids))
        return replace(self, position=position, page=Page.ARTICLE, top=0, typed="", notice=notice)

    def at_article(self, article_id: str, notice: str = "") -> Session:
        """Move to an article, which is inserted here if the session does not have it."""
        if article_id in self.ids:
            return self.at(self.ids.index(article_id), notice)
        ids = (*self.ids[: self.position], article_id, *self.ids[self.position :])
        return replace(self, ids=ids).at(self.position, notice)

    def with_verdict(self, article_id: str, verdict: Kind | None) -> Session:
        """Set the verdict of an article; None removes it."""
        verdicts = {each: kind for each, kind in self.verdicts.items() if each != article_id}
        if verdict is not None:
            verdicts[article_id] = verdict
        return replace(self, verdicts=verdicts)

    def with_action(self, action: Action) -> Session:
        """Remember something that can be undone."""
        return replace(self, actions=(*self.actions, action))

    def with_hidden(self, hidden: Collection[str]) -> Session:
        """Hide exactly these articles, and move on if the current one is among them."""
        changed = replace(self, hidden=frozenset(hidden))
        return changed.at(changed.next_position(), self.notice) if self.here in changed.hidden else changed

    def extended(self, ids: Sequence[str]) -> Session:
        """Append articles; if none is new, the session has reached its target."""
        new = tuple(each for each in dict.fromkeys(ids) if each not in self.verdicts and each not in self.ids)
        return replace(self, ids=self.ids + new, target=self.target if new else 0)

    def restarted(self, fresh: Session, notice: str) -> Session:
        """Continue with the articles of ``fresh`` and keep what was done."""
        verdicts = {**self.verdicts, **fresh.verdicts}
        return replace(fresh, actions=self.actions, postponed=self.postponed, verdicts=verdicts, notice=notice)

    def clamped(self, last_top: int) -> Session:
        """Do not scroll past the last screenful, which starts at line ``last_top``."""
        top = max(0, min(self.top, last_top))
        return self if top == self.top else replace(self, top=top)


def start(ids: Sequence[str], verdicts: Mapping[str, Kind], *, target: int = 0, notice: str = "") -> Session:
    """Return a session at the first undecided article."""
    session = Session(ids=tuple(dict.fromkeys(ids)), position=0, verdicts=verdicts, target=target)
    return session.at(session.first_position(), notice)
