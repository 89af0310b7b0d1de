"""Score and decide: new articles once, and the articles of the inbox again when the model has learned.

The first decision about an article is stored for good. Its current score (``current_scores``) follows the model. All
articles of the inbox have one threshold, which depends on nothing but the log and the articles: whatever was learned
and undone in between, the same log recommends the same articles.

Each call that decides is a *round*. The current scores after a round are mostly by the rankings that it was decided
with (``StoredLog``).

What is decided is in ``iscore.filtering.loop``; here are only the queries.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import isnan

from iscore.core import timings
from iscore.core.timings import Progress
from iscore.filtering.delivery.tuning import BATCH
from iscore.filtering.loop import Filter
from iscore.services.learning.article_features import analysed_batch
from iscore.services.learning.current_scores import Window, rescore
from iscore.services.learning.loaded_model import LoadedModel, is_of_other_version
from iscore.services.learning.stored_log import Deciding, StoredLog
from storage.engine.base_database import Transaction
from storage.log import (
    decisions,
    evidence,
    feedback,
    history,
    rule_outcomes,
    snapshots,
)
from storage.opening.database import Database
from storage.records.articles import IngestedArticle
from storage.records.decisions import CurrentScore, Decision, DecisionRound, RecommendationChange
from storage.records.rules import RuleOutcome
from storage.records.users import Kind, User


def _no_rules(_: Sequence[int]) -> list[RuleOutcome]:
    return []


@dataclass(frozen=True, slots=True)
class Scored:
    """How many articles were scored for the first time, and what became of them."""

    scored: int
    recommended: int
    explored: int


@dataclass(frozen=True, slots=True)
class Decided:
    """What a round decided."""

    late: list[Decision]
    """About stories that were hidden before: what is delivered now."""
    first: list[Decision]
    """About new stories."""
    recommended: int
    """How many of these reach the threshold, with the user's rules."""
    window: Window | None
    """What the current scores after the round are computed from; None if they need another fit."""


def score_new(
    database: Database,
    user: User,
    loaded: LoadedModel,
    feature_names: Sequence[str],
    *,
    now: datetime,
    load: Callable[[], LoadedModel],
    apply_rules: Callable[[Sequence[int]], list[RuleOutcome]] = _no_rules,
    save: Callable[[Transaction, LoadedModel], None] | None = None,
    progress: Progress | None = None,
) -> Scored:
    """Score every article that leads a story and has its features but no score yet, and decide about the news among
    them. If there were any or the model is to be saved, all articles of the window are scored again.

    ``apply_rules`` returns the outcomes of the user's rules for some stories. Stored decisions and scores are the
    filter's own; but an article whose decision rules reverse is not explored, and does not count. ``save`` saves a
    model that has changed, ``load`` loads it again.
    """
    started, since = time.perf_counter(), now - loaded.settings.window
    scored = recommended = explored = 0
    before: int | None = None
    is_current = save is None or not loaded.changed
    while True:
        with database.read() as tx:
            waiting = decisions.unscored(tx, user.id, BATCH)
            if not waiting:
                break
            state = evidence.state(tx, user.id)
            before = decisions.recommended(tx, user.id, since) if before is None else before
        is_current = False
        if progress is not None:
            progress(scored, scored + len(waiting), "scoring new articles")
        outcomes = {each.seq: each for each in apply_rules([article.seq for article in waiting])}
        with database.read() as tx:
            newer = evidence.state(tx, user.id)
            known = DecisionRound(
                user_id=user.id,
                number=state.round + 1,
                at=now,
                row=newer.row,
            )
            made = decided(tx, user, known, loaded, feature_names, waiting, outcomes)
        with database.write(user.id) as tx:
            last = evidence.state(tx, user.id)
            if (last.round, last.rule_change) != (state.round, state.rule_change):
                continue  # another process has decided meanwhile, or rules have changed
            decisions.add_late(tx, made.late)
            archive = [(user.id, article.seq, 0.0) for article in waiting if article.archive]
            decisions.add(tx, made.first, archive)
            rule_outcomes.put(tx, user.id, [article.seq for article in waiting], list(outcomes.values()))
            decisions.add_round(tx, known)
            now_known = newer._replace(round=known.number, rule_change=rule_outcomes.last_change(tx, user.id))
            scored += len(made.first)
            is_newest = (snapshots.newest_sequence(tx, user.id) or 0) <= loaded.row
            if made.window is not None and is_newest:
                scores = made.window.scores(tx, user, since)
                _store(tx, user, loaded, scores, since=since, now=now, save=save, before=before, arrived=scored)
                is_current = True
        if made.window is not None:
            loaded.articles.keep(now_known, made.window.explainer())
        recommended += made.recommended
        explored += sum(row.explore for row in (*made.late, *made.first))
        if len(waiting) < BATCH:
            break  # what arrives meanwhile is the next round's
    if not is_current:
        update_scores(
            database,
            user,
            loaded,
            since=since,
            now=now,
            load=load,
            save=save,
            before=before,
            arrived=scored,
            progress=progress,
        )
    timings.add(timings.DECIDE, scored, time.perf_counter() - started)
    return Scored(scored, recommended, explored)


def update_scores(
    database: Database,
    user: User,
    loaded: LoadedModel,
    *,
    since: datetime,
    now: datetime,
    load: Callable[[], LoadedModel],
    save: Callable[[Transaction, LoadedModel], None] | None,
    before: int | None = None,
    arrived: int = 0,
    progress: Progress | None = None,
) -> LoadedModel:
    """Score all articles that arrived ``since`` again and store that; save the model if it has changed.

    If another process learns or decides meanwhile, everything is computed again, with a model that ``load`` returns.
    Returns the model whose scores are stored.

    ``before`` is the number of recommendations before ``arrived`` new articles were decided about, by default what it
    is now.
    """
    while True:
        with database.read() as tx:
            known = _learned_and_decided(tx, user)
        if known[0] > loaded.row:
            loaded = load()
        beta, articles = loaded.settings.beta, loaded.articles
        scores = rescore(database, user, loaded.model, since=since, beta=beta, progress=progress, articles=articles)
        with database.write(user.id) as tx:
            if _learned_and_decided(tx, user) != known:
                continue  # the scores that are stored are newer
            before = decisions.recommended(tx, user.id, since) if before is None else before
            _store(tx, user, loaded, scores, since=since, now=now, save=save, before=before, arrived=arrived)
            return loaded


def _learned_and_decided(tx: Transaction, user: User) -> tuple[int, int]:
    """Return the log row up to which a saved model has learned, and the number of the last round."""
    return snapshots.newest_sequence(tx, user.id) or 0, decisions.last_round(tx, user.id)


def _store(
    tx: Transaction,
    user: User,
    loaded: LoadedModel,
    scores: Sequence[CurrentScore],
    *,
    since: datetime,
    now: datetime,
    save: Callable[[Transaction, LoadedModel], None] | None,
    before: int,
    arrived: int,
) -> None:
    """Store current scores, and save the model if it has changed.

    A large change of the number of recommendations is stored with its causes, and any after an upgrade.
    """
    kinds: Mapping[Kind, int] = {}
    upgraded = False
    needed_save = save if loaded.changed else None
    if needed_save is not None:
        saved = snapshots.newest_fingerprint(tx, user.id)
        upgraded = saved is not None and is_of_other_version(saved)
        kinds = feedback.kinds_after(tx, user.id, snapshots.newest_sequence(tx, user.id) or 0)
        needed_save(tx, loaded)
    decisions.rescore(tx, user.id, scores)
    change = RecommendationChange(
        now,
        before,
        decisions.recommended(tx, user.id, since),
        verdicts=sum(kinds.get(kind, 0) for kind in feedback.VERDICTS),
        undone=kinds.get(Kind.UNDO, 0),
        imported=kinds.get(Kind.IMPORTED, 0),
        arrived=arrived,
        upgraded=upgraded,
    )
    if change.is_worth_explaining or needed_save is not None:
        history.save_change(tx, user.id, change if change.is_worth_explaining else None)


def decided(
    tx: Transaction,
    user: User,
    known: DecisionRound,
    loaded: LoadedModel,
    feature_names: Sequence[str],
    waiting: Sequence[IngestedArticle],
    outcomes: Mapping[int, RuleOutcome],
) -> Decided:
    """Decide about the news among new articles, and again about those of the window that were hidden.

    A function of the database as ``tx`` has it, of the model, its settings and the other arguments: it draws nothing
    and reads no clock.
    ``outcomes`` are those of the user's rules for the new articles.
    """
    settings, since = loaded.settings, known.at - loaded.settings.window
    news = [article for article in waiting if not article.archive]
    deciding = Deciding([article.seq for article in news], [article.seq for article in waiting if article.archive])
    log = StoredLog(tx, replace(user, learns_from_reading=settings.learns_from_reading), loaded.articles, deciding)
    decider = Filter(loaded.model, log, settings.beta, settings.window)
    votes = decider.score(analysed_batch(news, feature_names)).votes
    new = log.candidates(deciding.news, outcomes, votes)
    rows: list[tuple[int, bool]] = []
    is_one_fit = log.has_enough and len(waiting) < BATCH  # after a full batch comes another
    if is_one_fit:
        arrived = [(article.seq, article.archive) for article in waiting if article.arrived >= since]
        rows = sorted([*decisions.window(tx, user.id, since), *arrived])
    candidates = {*log.hidden(since).numbers, *new.numbers}
    others = [seq for seq, _ in rows if seq not in candidates]
    made = decider.decide(new, known.at, others=log.articles(others))
    numbers, all_votes = made.candidates.numbers, made.candidates.articles.votes.tolist()

    def row(place: int) -> Decision:
        d, seq = made.decisions[place], numbers[place]
        parts = (user.id, seq, d.score, d.threshold, d.interesting, d.explore, d.probability, known.at)
        return Decision(*parts, _known(d.margin), _known(all_votes[place]), known.number)

    late = [place for place, _ in made.late()]
    first = range(made.earlier, len(numbers))
    boosts = made.candidates.boosts
    return Decided(
        late=[row(place) for place in late],
        first=[row(place) for place in first],
        recommended=sum(
            each.score + float(boosts[place]) >= each.threshold
            for place in (*late, *first)
            for each in (made.decisions[place],)
        ),
        window=Window(rows, [*numbers, *others], made.articles, made.evidence, made.fit) if is_one_fit else None,
    )


def _known(value: float) -> float | None:
    return None if isnan(value) else value
