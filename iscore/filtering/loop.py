"""The program on one screen: what happens to an article, and what a verdict changes. No I/O.

    document ─► extract ─► score ─► threshold ─► decide ─► recommended, explored or hidden
                              ▲         ▲          ▲                │
                              └─────────┴──────────┴─── learn ◄── verdict

- *Extract*: ``features.computation.ArticleFeatures``, once for all users, when an article arrives.
- *Score*: the feature classifier's vote (``model.ReaderModel``), added to what rankers say that are fitted to the
  newest verdicts and to what was hidden (``ranking.ranking``).
- *Threshold*: the score from which delivering gives the best expected F-beta (``delivery.threshold``).
- *Decide*: what reaches it is recommended, within limits a day, and a little of the rest is explored
  (``delivery.decide``). Hidden articles of the last days are decided about again: what is learned from the first likes
  finds the articles that came before them.
- *Learn*: a verdict changes the model at once, and the rankers when they are next fitted.

The library (``pipeline``), replays (``iscore.evaluation.replay``) and the product (``iscore.services.learning``) run
the same ``Filter``. Only the log differs: in memory (``memory_log``), or in the database (``stored_log``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

import numpy as np

from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.stream.word_vectors import Basis
from extractors.text.terms import TermVector
from iscore.filtering.delivery.changes import evidence_of
from iscore.filtering.delivery.decide import Candidates, Decision, decide, is_diverse
from iscore.filtering.delivery.limits import Today
from iscore.filtering.delivery.tuning import BETA, OLD, WINDOW
from iscore.filtering.model import ReaderModel
from iscore.filtering.ranking.evidence import DecisionLog, Evidence
from iscore.filtering.ranking.labelled import Articles
from iscore.filtering.ranking.ranking import Fitted, fitted


class Log(DecisionLog, Protocol):
    """One user's verdicts and decisions: all that a filter knows besides its model."""

    @property
    def basis(self) -> Basis | None:
        """The basis of stream vectors in force; None before the first."""

    def hidden(self, since: datetime) -> Candidates:
        """Return the articles that arrived ``since``, were not delivered and have no verdict, in order of arrival."""

    def n_hidden(self, since: datetime) -> int:
        """Count them."""

    def today(self, at: datetime) -> Today:
        """Return what arrived and was delivered on the day of a round at this time."""

    def shown(self) -> Sequence[TermVector]:
        """Return the terms of the newest deliveries."""


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """What was decided at one time."""

    candidates: Candidates
    """Those that were hidden before, then the new ones."""
    earlier: int
    """How many were hidden before."""
    decisions: Sequence[Decision]
    """One for each of the candidates."""
    evidence: Evidence
    articles: Articles
    """The candidates, then the others that were scored beside them."""
    fit: Fitted | None
    """What scored them; None while nothing is liked."""

    def late(self) -> Iterator[tuple[int, Decision]]:
        """Yield places and decisions of what was hidden before and is delivered now."""
        return ((place, each) for place, each in enumerate(self.decisions[: self.earlier]) if each.delivered)


@dataclass(slots=True)
class Filter:
    """One user's filter: a model, and the log of what was decided and said."""

    model: ReaderModel
    log: Log
    beta: float = BETA
    """Weight of recall against precision: how many articles the user wants."""
    window: timedelta = WINDOW
    """How long a hidden article is decided about again."""

    def decide(self, new: Candidates, at: datetime, *, others: Articles | None = None) -> Round:
        """Decide about new articles, and again about those of the window that were hidden. Changes nothing.

        ``new`` have the model's votes (``Articles.new``); ``others`` are scored beside them, by the same rankings.
        """
        evidence = evidence_of(self.log, self.log.basis, self.model, new=new.articles, beta=self.beta)
        hidden = self.log.hidden(at - self.window)
        candidates = Candidates.joined(hidden, new)
        articles = candidates.articles if others is None else Articles.joined(candidates.articles, others)
        fit = fitted(articles, evidence) if evidence.can_rank else None
        scored = None if fit is None else fit.scored(articles.votes, evidence).at(np.arange(len(candidates)))
        shown = self.log.shown() if is_diverse(evidence) else []
        batch = candidates.as_batch(len(hidden), len(hidden) - min(self.log.n_hidden(at - OLD), len(hidden)))
        decisions = decide(batch, evidence, self.log.today(at), shown, scored=scored)
        return Round(candidates, len(hidden), decisions, evidence, articles, fit)

    def score(self, articles: AnalysedBatch) -> Articles:
        """Return new articles with the model's votes, with which they are decided about."""
        return Articles.new(articles, self.model)

    def learn(self, article: AnalysedArticle, interesting: bool, *, weight: float = 1.0) -> float:
        """Learn a verdict that the log has; return the score that the classifier gave just before."""
        return self.model.learn(article, interesting, weight=weight)
