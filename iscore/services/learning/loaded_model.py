"""A reader's model as services hand it to each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from iscore.services.session.decision_settings import DecisionSettings

if TYPE_CHECKING:
    from extractors.stream.lsa import Basis
    from iscore.filtering.model import ReaderModel
    from iscore.filtering.ranking.contributions import Explainer
    from storage.log.evidence import State


@dataclass(frozen=True, slots=True)
class KnownArticles:
    """What was read or fitted to score articles, and does not change: the same is asked for again and again."""

    terms: dict[int, tuple[bytes, str]] = field(default_factory=dict)
    """Stored term vector and source."""
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
