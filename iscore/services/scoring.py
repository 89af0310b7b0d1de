"""Score and decide: new articles once, and the articles of the inbox again when the model has learned.

The first decision about an article is stored for good. Its current score, which orders the inbox, follows the model.
All articles of the inbox have one threshold, which depends on nothing but the log and the articles: whatever was
learned and undone in between, the same log recommends the same articles.

What is decided is in ``iscore.filtering.decision``; here are only the queries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
import numpy.typing as npt

from extractors.text.terms import TermVector
from iscore.filtering.decision.decide import BATCH, Batch, current_threshold, decide
from iscore.filtering.decision.past import DecisionCounts, ModelSummary, VerdictCounts, past_for_rescoring, past_of
from iscore.filtering.model import ReaderModel
from iscore.rules.application import ruled_score
from iscore.services.article_mapping import analysed_batch
from storage import decisions, feedback, rule_outcomes
from storage.database import Database
from storage.records import CurrentScore, Decision, RecommendationChange, RuleOutcome, User
from storage.transaction import Transaction

Floats = npt.NDArray[np.float64]
Progress = Callable[[int, int, str], None]


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
    progress: Progress | None = None,
) -> Scored:
    """Score every article that leads a story and has its features but no score yet, and decide about the news among
    them. Then all articles of the window get the threshold that is now in force.

    ``apply_rules`` returns the outcomes of the user's rules for some stories. Stored decisions and scores are the
    model's own; but an article whose decision rules reverse is not explored, and does not count.
    """
    since = now - window
    with database.read() as tx:
        before = decisions.recommended(tx, user.id, since)
    scored = recommended = explored = 0
    while True:
        with database.read() as tx:
            waiting = decisions.unscored(tx, user.id, BATCH)
            if not waiting:
                break
            past = past_of(_StoredLog(tx, user.id), model.summary, now=now, window=window)
        if progress is not None:
            progress(scored, scored + len(waiting), "scoring new articles")
        outcomes = {each.seq: each for each in apply_rules([article.seq for article in waiting])}
        news = [article for article in waiting if not article.archive]
        archive = [article for article in waiting if article.archive]
        articles = analysed_batch(news, article_feature_names)
        scores = model.score_many(articles)
        ruled = [ruled_score(s, outcomes.get(each.seq)) for s, each in zip(scores.tolist(), news, strict=True)]
        batch = Batch.of(articles, scores, np.array(ruled))
        made = decide(batch, past, explore_share=explore_share, seed=user.seed, now=now)
        rows = [
            Decision(user.id, article.seq, d.score, d.threshold, d.interesting, d.explore, d.probability, now)
            for article, d in zip(news, made, strict=True)
        ]
        archive_scores = model.score_many(analysed_batch(archive, article_feature_names)).tolist()
        with database.write() as tx:
            decisions.add(tx, rows, [(user.id, a.seq, s) for a, s in zip(archive, archive_scores, strict=True)])
            rule_outcomes.put(tx, user.id, [article.seq for article in waiting], list(outcomes.values()))
        scored += len(rows)
        recommended += sum(ruled_score(row.score, outcomes.get(row.seq)) >= row.threshold for row in rows)
        explored += sum(row.explore for row in rows)
    if scored:
        with database.write() as tx:
            threshold = _threshold_of(tx, user, model.summary, decisions.recent_scores(tx, user.id, since), since)
            decisions.set_threshold(tx, user.id, since, threshold)
            change = RecommendationChange(now, before, decisions.recommended(tx, user.id, since), arrived=scored)
            if change.is_large:
                decisions.save_change(tx, user.id, change)
    return Scored(scored, recommended, explored)


def rescore(
    database: Database,
    user: User,
    model: ReaderModel,
    article_feature_names: Sequence[str],
    *,
    since: datetime,
    progress: Progress | None = None,
) -> list[CurrentScore]:
    """Return the current score of each scored article that arrived ``since``. Writes nothing.

    Articles with a verdict are scored too, since the threshold depends on the distribution of all scores.
    """
    with database.read() as tx:
        scores: dict[int, float] = {}
        archive: set[int] = set()
        for articles in decisions.recent(tx, user.id, since):
            if progress is not None:
                done = len(scores) + len(articles)
                progress(done, done, "scoring articles again")
            found = model.score_many(analysed_batch(articles, article_feature_names)).tolist()
            scores |= zip((article.seq for article in articles), found, strict=True)
            archive |= {article.seq for article in articles if article.archive}
        news = {seq: score for seq, score in scores.items() if seq not in archive}
        threshold = _threshold_of(tx, user, model.summary, news, since)
    return [
        CurrentScore(seq, score, threshold, score >= threshold and seq not in archive, seq in archive)
        for seq, score in scores.items()
    ]


def _threshold_of(
    tx: Transaction, user: User, summary: ModelSummary, scores: Mapping[int, float], since: datetime
) -> float:
    """Return the threshold for all news that arrived ``since``, by their current scores."""
    never = rule_outcomes.muted(tx, user.id)
    past = past_for_rescoring(_StoredLog(tx, user.id), summary, since)
    muted = [place for place, seq in enumerate(scores) if seq in never]
    return current_threshold(np.array(list(scores.values())), past, muted)


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
        return np.array(list(decisions.recent_scores(self._tx, self._user_id, since).values()))

    def shown(self, limit: int) -> Sequence[TermVector]:
        return [TermVector.from_bytes(each.terms) for each in decisions.delivered(self._tx, self._user_id, limit)]
