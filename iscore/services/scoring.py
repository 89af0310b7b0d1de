"""Decisions: what is new is judged and perhaps explored; what is undecided is judged again when the model has learned.

The first decision about an article is a fact. Its standing, which orders the inbox, follows the model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

import numpy as np

from extractors.text.terms import TermVector
from iscore.filtering.batch import Past, judge_round, open_cut
from iscore.filtering.decision.exploration import TODAY, Draw, RecentDeliveries
from iscore.filtering.decision.threshold_floor import Experience
from iscore.filtering.pipeline import Judgement, ReaderModel
from iscore.rules.application import overlaid
from iscore.services.article_mapping import analysed_batch
from storage import decisions, feedback, rule_outcomes
from storage.database import Database
from storage.records import Action, Arrived, CurrentScore, Decision, RuleOutcome, User
from storage.transaction import Transaction

BATCH = 5000
SHOWN = 500
"""To somebody who liked few so far, articles that resemble one of the newest so many are not shown as news."""


def _no_rules(_: Sequence[int]) -> list[RuleOutcome]:
    return []


@dataclass(frozen=True, slots=True)
class Judged:
    """How many articles were judged for the first time, and what became of them."""

    judged: int
    recommended: int
    explored: int


def judge_new(
    database: Database,
    user: User,
    model: ReaderModel,
    article_feature_names: Sequence[str],
    *,
    explore_share: float,
    window: timedelta,
    now: datetime,
    rule: Callable[[Sequence[int]], list[RuleOutcome]] = _no_rules,
) -> Judged:
    """Judge every measured article that leads a story and has no decision yet.

    ``rule`` says what the person's own rules make of stories. Decisions and standings stay the model's own; but what
    rules decide alone is not drawn to be explored, and does not count.
    """
    total = Judged(0, 0, 0)
    while True:
        with database.read() as tx:
            waiting = decisions.unjudged(tx, user.id, BATCH)
            if not waiting:
                return total
            past = _past(tx, user, model, window, now)
        found = {each.seq: each for each in rule([article.seq for article in waiting])}
        ruled = [found.get(article.seq) for article in waiting]
        judged = judge_round(
            model,
            analysed_batch(waiting, article_feature_names),
            past,
            share=explore_share,
            seed=user.seed,
            now=now,
            muted=_muted(ruled),
            settled=partial(_settled, ruled),
        )
        rows = [
            _decision(user.id, article, judgement, draw, now)
            for article, (judgement, draw) in zip(waiting, judged, strict=True)
        ]
        with database.write() as tx:
            decisions.add(tx, rows)
            rule_outcomes.put(tx, user.id, [row.seq for row in rows], list(found.values()))
        total = Judged(
            total.judged + len(rows),
            total.recommended + sum(overlaid(_standing(row), found.get(row.seq)).interesting for row in rows),
            total.explored + sum(row.explore for row in rows),
        )


def judge_again(
    database: Database, user: User, model: ReaderModel, article_feature_names: Sequence[str], *, since: datetime
) -> list[CurrentScore]:
    """Return the new standing of everything that arrived since then. Writes nothing.

    What has been seen is judged too: the spread of all scores is what the threshold is held against.
    """
    with database.read() as tx:
        experience = _experience(tx, user.id, since)
        seqs: list[int] = []
        found = [np.empty(0)]
        for articles in decisions.recent(tx, user.id, since):
            seqs += [article.seq for article in articles]
            found.append(model.score_many(analysed_batch(articles, article_feature_names)))
        never = rule_outcomes.muted(tx, user.id)
    scores = np.concatenate(found)
    muted = frozenset(place for place, seq in enumerate(seqs) if seq in never)
    cut = open_cut(model, scores, experience, np.empty(0), days=experience.days, muted=muted)
    return [CurrentScore(seq, score, cut, score >= cut) for seq, score in zip(seqs, scores.tolist(), strict=True)]


def _muted(ruled: Sequence[RuleOutcome | None]) -> frozenset[int]:
    """Return the places of what a rule never shows."""
    return frozenset(place for place, each in enumerate(ruled) if each is not None and each.action is Action.NEVER)


def _settled(ruled: Sequence[RuleOutcome | None], judgements: Sequence[Judgement]) -> frozenset[int]:
    """Return the places of what rules decide alone: what is muted, and what they turn round."""
    turned = (
        place
        for place, (each, judgement) in enumerate(zip(ruled, judgements, strict=True))
        if each is not None
        and overlaid(
            CurrentScore(each.seq, judgement.score, judgement.threshold, judgement.interesting), each
        ).interesting
        != judgement.interesting
    )
    return _muted(ruled).union(turned)


def _standing(row: Decision) -> CurrentScore:
    return CurrentScore(row.seq, row.score, row.threshold, row.interesting)


def _experience(tx: Transaction, user_id: int, since: datetime) -> Experience:
    tally = feedback.tally(tx, user_id)
    ever = decisions.recent_counts(tx, user_id, None)
    span = decisions.decided_span(tx, user_id, since)
    return Experience(
        recommended_liked=tally.true_positives,
        recommended_disliked=tally.false_positives,
        explored=feedback.explored(tx, user_id),
        recommended=ever.recommended,
        delivered_unasked=ever.explored,
        held_back=ever.held_back + ever.muted,
        days=1.0 if span is None else 1.0 + (span[1] - span[0]) / timedelta(days=1),
    )


def _past(tx: Transaction, user: User, model: ReaderModel, window: timedelta, now: datetime) -> Past:
    since = now - window
    lately = decisions.recent_counts(tx, user.id, since)
    today = decisions.recent_counts(tx, user.id, now - TODAY)
    shown = [] if model.warm else decisions.delivered(tx, user.id, SHOWN)
    return Past(
        _experience(tx, user.id, since),
        RecentDeliveries(
            lately.recommended,
            lately.explored,
            lately.held_back,
            lately.last_explored,
            today.recommended,
            today.explored,
        ),
        np.array(decisions.recent_scores(tx, user.id, since)),
        [TermVector.from_bytes(article.terms) for article in shown],
    )


def _decision(user_id: int, article: Arrived, judgement: Judgement, draw: Draw, now: datetime) -> Decision:
    return Decision(
        user_id=user_id,
        seq=article.seq,
        score=judgement.score,
        threshold=judgement.threshold,
        interesting=judgement.interesting,
        explore=draw.explore,
        probability=draw.probability,
        at=now,
    )
