"""A reader's model as services hand it to each other, and what it depends on beside the log. Loads nothing heavy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Self

from iscore import __version__

if TYPE_CHECKING:
    from extractors.stream.word_vectors import Basis
    from iscore.core.settings import Settings
    from iscore.filtering.model import ReaderModel
    from iscore.filtering.ranking.contributions import Explainer
    from storage.log.evidence import State, Words
    from storage.records.users import User


STATE_VERSION = 9
"""Raised whenever the meaning of a saved state changes."""

_BEGINNING = f"{STATE_VERSION}; iscore {__version__}; "


def fingerprint(classifier: str, names: Sequence[str]) -> str:
    """Return versions, classifier and features as a text.

    Processor and library versions are not part of it: they may change the last bits of a score, and that is no reason
    to learn anew.
    """
    return f"{_BEGINNING}{classifier}; {' '.join(names)}"


def is_of_other_version(stored: str) -> bool:
    """Return whether a fingerprint is another version of iScore's, which may score and decide otherwise."""
    return not stored.startswith(_BEGINNING)


@dataclass(frozen=True, slots=True)
class DecisionSettings:
    """Fields have the names and meanings of the settings."""

    classifier: str
    inbox_days: int = 7
    beta: float = 0.5
    learns_from_reading: bool = False
    """Not in the settings, but of the user."""

    @classmethod
    def of(cls, settings: Settings, user: User) -> Self:
        """Take them from the user's settings and record."""
        of_settings = settings.classifier, settings.inbox_days, settings.beta
        return cls(*of_settings, user.learns_from_reading)

    @property
    def window(self) -> timedelta:
        """How long an article that was not delivered is decided about again."""
        return timedelta(days=self.inbox_days)


@dataclass(frozen=True, slots=True)
class KnownArticles:
    """What was read or fitted to score articles, and does not change: the same is asked for again and again."""

    words: dict[int, Words] = field(default_factory=dict)
    votes: dict[int, float] = field(default_factory=dict)
    """The feature classifier's score at the first decision, where there is one; see ``Articles``."""
    bases: dict[int, Basis] = field(default_factory=dict)
    explainers: dict[State, Explainer | None] = field(default_factory=dict)
    """What explains scores, of the last state only; None where nothing is liked."""

    def keep(self, state: State, explainer: Explainer | None) -> None:
        """Keep what explains the scores of a state, instead of that of an earlier one."""
        self.explainers.clear()
        self.explainers[state] = explainer

    def without_articles(self) -> KnownArticles:
        """Return the bases and explainers, which are small enough to be kept."""
        return KnownArticles(bases=self.bases, explainers=self.explainers)


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A reader's model, and the log row up to which it has learned."""

    model: ReaderModel
    row: int
    learned: int
    """Verdicts learned just now, after the snapshot."""
    changed: bool
    """Whether the model differs from the newest snapshot: then it should be saved, and the inbox rescored."""
    settings: DecisionSettings
    """Under which it was made."""
    fingerprint: str
    """Under which its snapshots are valid."""
    articles: KnownArticles = field(default_factory=KnownArticles)
    """What was read to score articles with it."""
