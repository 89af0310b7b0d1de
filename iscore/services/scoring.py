"""Score and decide: new articles once, and the articles of the inbox again when the model has learned.

The first decision about an article is stored for good. Its current score, which orders the inbox, follows the model.
What is decided is in ``iscore.filtering.decision``; here are only the queries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
import numpy.typing as npt

from extractors.text.terms import TermVector
from iscore.filtering.decision.decide import BATCH, Batch, current_threshold, decide
from iscore.filtering.decision.past import DecisionCounts, VerdictCounts, past_for_rescoring, past_of
from iscore.filtering.model import ReaderModel
from iscore.rules.application import ruled_score
from iscore.services.article_mapping import analysed_batch
from storage import decisions, feedback, rule_outcomes
from storage.database import Database
from storage.records import CurrentScore, Decision, RuleOutcome, User
from storage.transaction import Transaction

Floats = npt.NDArray[np.float64]


def _no_rules(_: Sequence[int]) -> list[RuleOutcome]:
    return []


@dataclass(frozen=True, slots=True)
class Scored:
    """How many articles were scored for the first time, and what became of them."""

    scored: int
    recommended: int
    explored: int


def score_new(
    database: Database,
    user: User,
    model: ReaderModel,
    article_feature_names: Sequence[str],
    *,
    explore_share: float,
    window: timedelta,
    now: datetime,
    apply_rules: Callable[[Sequence[int]], list[RuleOutcome]] = _no_rules,
) -> Scored:
    """Score and decide about every article that leads a story and has its features but no decision yet.

    ``apply_rules`` returns the outcomes of the user's rules for some stories. Stored decisions and scores are the
    model's own; but an article whose decision rules reverse is not explored, and does not count.
    """
    scored = recommended = explored = 0
    while True:
        with database.read() as tx:
            waiting = decisions.undecided(tx, user.id, BATCH)
            if not waiting:
                return Scored(scored, recommended, explored)
            past = past_of(_StoredLog(tx, user.id), model.summary, now=now, window=window)
        outcomes = {each.seq: each for each in apply_rules([article.seq for article in waiting])}
        articles = analysed_batch(waiting, article_feature_names)
        scores = model.score_many(articles)
        ruled = [ruled_score(s, outcomes.get(each.seq)) for s, each in zip(scores.tolist(), waiting, strict=True)]
        batch = Batch.of(articles, scores, np.array(ruled))
        made = decide(batch, past, explore_share=explore_share, seed=user.seed, now=now)
        rows = [
            Decision(user.id, article.seq, d.score, d.threshold, d.interesting, d.explore, d.probability, now)
            for article, d in zip(waiting, made, strict=True)
        ]
        with database.write() as tx:
            decisions.add(tx, rows)
            rule_outcomes.put(tx, user.id, [row.seq for row in rows], list(outcomes.values()))
        scored += len(rows)
        recommended += sum(ruled_score(row.score, outcomes.get(row.seq)) >= row.threshold for row in rows)
        explored += sum(row.explore for row in rows)


def rescore(
    database: Database, user: User, model: ReaderModel, article_feature_names: Sequence[str], *, since: datetime
) -> list[CurrentScore]:
    """Return the current score of each decided article that arrived ``since``. Writes nothing.

    Articles with a verdict are scored too, since the threshold depends on the distribution of all scores.
    """
    with database.read() as tx:
        past = past_for_rescoring(_StoredLog(tx, user.id), model.summary, since)
        seqs: list[int] = []
        found = [np.empty(0)]
        for articles in decisions.recent(tx, user.id, since):
            seqs += [article.seq for article in articles]
            found.append(model.score_many(analysed_batch(articles, article_feature_names)))
        never = rule_outcomes.muted(tx, user.id)
    scores = np.concatenate(found)
    threshold = current_threshold(scores, past, [place for place, seq in enumerate(seqs) if seq in never])
    return [
        CurrentScore(seq, score, threshold, score >= threshold)
        for seq, score in zip(seqs, scores.tolist(), strict=True)
    ]


class _StoredLog:
    """The verdicts and decisions of one user in the database: a ``DecisionLog``."""

    def __init__(self, tx: Transaction, user_id: int) -> None:
        self._tx = tx
        self._user_id = user_id

    def verdicts(self) -> VerdictCounts:
        tally = feedback.tally(self._tx, self._user_id)
        explored = feedback.explored(self._tx, self._user_id)
        return VerdictCounts(tally.true_positives, tally.false_positives, explored)

    def counts(self, since: datetime | None) -> DecisionCounts:
        found = decisions.recent_counts(self._tx, self._user_id, since)
        return DecisionCounts(found.recommended, found.explored, found.held_back, found.muted, found.last_explored)

    def span(self, since: datetime) -> tuple[datetime, datetime] | None:
        return decisions.decided_span(self._tx, self._user_id, since)

    def scores(self, since: datetime) -> Floats:
        return np.array(decisions.recent_scores(self._tx, self._user_id, since))

    def shown(self, limit: int) -> Sequence[TermVector]:
        return [TermVector.from_bytes(each.terms) for each in decisions.delivered(self._tx, self._user_id, limit)]
