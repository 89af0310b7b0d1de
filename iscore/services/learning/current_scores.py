"""The current scores of the articles that arrived lately: what the inbox is ordered by.

They are a function of the effective log, the decisions, the stories, the basis and the user's settings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self

import numpy as np

from extractors.arrays import Bools
from iscore.core.timings import Progress
from iscore.filtering.delivery.decide import recommended_a_day, rescored
from iscore.filtering.delivery.tuning import BETA, OLD
from iscore.filtering.model import ReaderModel
from iscore.filtering.ranking.contributions import Explainer
from iscore.filtering.ranking.evidence import Evidence
from iscore.filtering.ranking.labelled import Articles
from iscore.filtering.ranking.ranking import Fitted, fitted
from iscore.services.learning.loaded_model import KnownArticles
from iscore.services.learning.stored_log import StoredLog
from storage.engine.base_database import Transaction
from storage.log import decisions, evidence, rule_outcomes
from storage.opening.database import Database
from storage.records.decisions import CurrentScore
from storage.records.users import User


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """What the scores of the articles that arrived lately are computed from."""

    rows: Sequence[tuple[int, bool]]
    """Their numbers, and whether they are archive, in order of arrival."""
    seqs: Sequence[int]
    """Numbers of everything that is scored: theirs, and perhaps others."""
    articles: Articles
    """In the order of ``seqs``."""
    facts: Evidence
    fit: Fitted | None
    """None while nothing is liked."""

    @classmethod
    def of(cls, log: StoredLog, facts: Evidence, rows: Sequence[tuple[int, bool]]) -> Self:
        """Fit rankings to the evidence, and score articles."""
        seqs = [seq for seq, _ in rows]
        articles = log.articles(seqs)
        return cls(rows, seqs, articles, facts, fitted(articles, facts) if facts.can_rank else None)

    def scores(self, tx: Transaction, user: User, since: datetime) -> list[CurrentScore]:
        """Return the current scores, by the decisions and the rule outcomes that the database has now."""
        hidden, old = np.zeros((2, len(self.seqs)), dtype=np.bool_)
        place_of = {seq: place for place, seq in enumerate(self.seqs)}
        places = np.array([place_of[seq] for seq, _ in self.rows], dtype=np.int64)
        newest = decisions.decided_times(tx, user.id, since)[1]
        waiting, lately = (frozenset(evidence.candidates(tx, user.id, time)) for time in (since, newest - OLD))
        never = rule_outcomes.muted(tx, user.id)
        hidden[places] = [seq in waiting and seq not in never for seq, _ in self.rows]
        old[places] = [seq in waiting and seq not in lately for seq, _ in self.rows]
        today = StoredLog(tx, user).today(newest)
        now = rescored(self.articles, self.facts, hidden=hidden, old=old, today=today, fit=self.fit)
        rows = zip(self.rows, now.scores[places].tolist(), now.thresholds[places].tolist(), strict=True)
        return [
            CurrentScore(
                seq, score, threshold, score >= threshold and not archive, archive, now.interests[place_of[seq]]
            )
            for (seq, archive), score, threshold in rows
        ]

    def explainer(self) -> Explainer | None:
        """Return what explains the scores; None while nothing is liked."""
        return Explainer.of(self.facts, self.fit) if self.fit else None


def rescore(
    database: Database,
    user: User,
    model: ReaderModel,
    *,
    since: datetime,
    beta: float = BETA,
    progress: Progress | None = None,
    articles: KnownArticles | None = None,
) -> list[CurrentScore]:
    """Return the current score of each scored article that arrived ``since``. Writes nothing."""
    with database.read() as tx:
        log = StoredLog(tx, user, articles)
        rows = decisions.window(tx, user.id, since)
        if progress is not None:
            progress(0, len(rows), "scoring articles again")
        window = Window.of(log, log.evidence(model, beta=beta), rows)
        if articles is not None:
            articles.keep(evidence.state(tx, user.id), window.explainer())
        return window.scores(tx, user, since)


def recommendations_a_day(
    database: Database, user: User, model: ReaderModel, betas: Sequence[float], *, since: datetime
) -> list[float]:
    """Return how many recommendations a day each beta would give, by the articles that arrived ``since``."""
    with database.read() as tx:
        log = StoredLog(tx, user)
        rows = decisions.window(tx, user.id, since)
        return recommended_a_day(
            log.articles([seq for seq, _ in rows]),
            _listed(tx, user, rows),
            log.evidence(model),
            days=_days(tx, user, since),
            betas=betas,
        )


def _listed(tx: Transaction, user: User, rows: Sequence[tuple[int, bool]]) -> Bools:
    """Return which articles may be shown: neither archive nor muted."""
    never = rule_outcomes.muted(tx, user.id)
    return np.array([not archive and seq not in never for seq, archive in rows], dtype=np.bool_)


def _days(tx: Transaction, user: User, since: datetime) -> float:
    """Return over how many days the articles of a window arrived that were decided about; at least one.

    What the first round decided about had arrived before, over about as long as what each later one did, but not before
    the window began.
    """
    first, last, rounds = decisions.decided_times(tx, user.id, since)
    if rounds < 2:
        return 1.0
    span = last - first
    return max(1.0, min(span + span / (rounds - 1), last - since) / timedelta(days=1))
