"""The inbox: stories that arrived recently and have no verdict yet, with their current scores and rule outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    FromClause,
    Select,
    and_,
    case,
    cast,
    exists,
    func,
    or_,
    select,
    true,
)

from storage.engine.bulk_insert import among, chunks
from storage.engine.transaction import Transaction
from storage.log import rule_outcomes as outcomes_of_rules
from storage.log.marks import first_story
from storage.log.rule_outcomes import EXPLORE, FIRST, INTERESTING, LISTED, MUTED, SCORE, SCORED
from storage.records.articles import Article
from storage.records.decisions import CurrentScore, InboxRow
from storage.records.deliveries import Candidate
from storage.schema import articles, current_scores, deliveries, effective_verdicts, feeds, rule_outcomes, texts
from storage.schema.columns import microseconds
from storage.stories.article_filter import EVERYTHING, ArticleFilter, conditions, dated
from storage.stories.article_filter import stories as fitting
from storage.stream import articles as stored
from storage.stream import feed_names
from storage.stream.visibility import lead, leads_of_feed, visible

NEAR = 1.0
"""Log-odds below the threshold that still are near it: a factor of e in the odds."""
SUMMARY = 600
"""Characters of the text in an inbox row."""
PIECE, GROWTH = 400, 4
"""Stories of a list that are read first to find those that fit, and how many times as many are read next."""

IS_BELOW = and_(~LISTED, ~current_scores.c.archive)
"""Whether a story is neither shown nor archive."""
IS_MAYBE = and_(
    ~current_scores.c.archive, ~INTERESTING, ~MUTED, or_(EXPLORE, current_scores.c.threshold - NEAR <= SCORE)
)
"""Whether a story is not recommended, but explored or near the threshold, and hidden by no rule."""

_WITH_ARTICLE = SCORED.join(articles, articles.c.seq == current_scores.c.seq)
_LEADING = articles.alias("leading_article")
_BEST_FIRST = (FIRST, SCORE.desc(), dated.desc(), current_scores.c.seq.desc())


@dataclass(frozen=True, slots=True)
class Place:
    """Where a story is in a list, best first."""

    rank: int
    """0 for what a rule always shows, else 1."""
    score: float
    dated: datetime
    seq: int


@dataclass(frozen=True, slots=True)
class InboxCounts:
    """How many stories the inbox has."""

    all: int
    listed: int
    """Recommended or explored."""
    archive: int


class Section(Enum):
    """A part of the inbox."""

    LISTED = "listed"
    """Interesting or explored, by score and rules."""
    BELOW = "below the threshold"
    """Neither, and no archive."""
    NEWS = "news"
    """Both."""
    MAYBE = "maybe"
    """Not recommended, but explored or near the threshold, and hidden by no rule."""
    ARCHIVE = "archive"
    """Too old to be news when they arrived."""
    ALL = "all"


def seqs(
    tx: Transaction,
    user_id: int,
    since: datetime,
    *,
    section: Section = Section.LISTED,
    only: ArticleFilter = EVERYTHING,
    limit: int | None = None,
) -> list[int]:
    """List the stories that arrived ``since``, best first; what a rule always shows comes before.

    Equal scores: the newer first, by publication. Like ``ids`` and ``count`` it raises ``UnknownName`` for an unknown
    source or tag.
    """
    query = _waiting(user_id, since, section, current_scores.c.seq, source=_WITH_ARTICLE).where(
        *_fitting(tx, user_id, only)
    )
    query = query.order_by(*_BEST_FIRST).limit(limit)
    return list(tx.connection.execute(query).scalars())


def best(
    tx: Transaction,
    user_id: int,
    since: datetime,
    *,
    section: Section,
    only: ArticleFilter = EVERYTHING,
    after: Place | None = None,
    limit: int | None = None,
) -> list[tuple[int, Place]]:
    """List stories as ``seqs`` does, each with its place; with ``after`` only those behind that place.

    What is restricted is read in pieces, each larger than the one before, until there are enough: looking for fitting
    articles costs more than sorting.
    """
    seq, rank, score = current_scores.c.seq, FIRST, SCORE
    query = _waiting(user_id, since, section, seq, rank, score, dated, source=_WITH_ARTICLE)
    query = query.order_by(*_BEST_FIRST)
    if only.feed:
        query = query.where(seq.in_(leads_of_feed(user_id, only.feed)))
        if replace(only, feed=0) == EVERYTHING:
            only = EVERYTHING
    size = limit if limit is None or only == EVERYTHING else PIECE
    found: list[tuple[int, Place]] = []
    while True:
        piece = _behind(tx, query, after, size)
        fits = None if only == EVERYTHING else fitting(tx, user_id, [each[0] for each in piece], only)
        found += [each for each in piece if fits is None or each[0] in fits]
        if size is None or len(piece) < size or limit is None or len(found) >= limit:
            return found[:limit]
        after, size = piece[-1][1], size * GROWTH


def _behind(tx: Transaction, query: Select[Any], after: Place | None, limit: int | None) -> list[tuple[int, Place]]:
    """Return the stories of a query of ``best`` behind a place, each with its own."""
    if after is not None:
        seq, rank, score = current_scores.c.seq, FIRST, SCORE
        older = or_(dated < after.dated, and_(dated == after.dated, seq < after.seq))
        worse = or_(score < after.score, and_(score == after.score, older))
        query = query.where(or_(rank > after.rank, and_(rank == after.rank, worse)))
    rows = tx.connection.execute(query.limit(limit))
    return [(row[0], Place(row[1], row[2], row[3], row[0])) for row in rows]


def ids(
    tx: Transaction,
    user_id: int,
    since: datetime,
    *,
    section: Section = Section.LISTED,
    only: ArticleFilter = EVERYTHING,
) -> list[str]:
    """List the public ids of what ``seqs`` lists, in the same order."""
    query = _waiting(user_id, since, section, articles.c.id, source=_WITH_ARTICLE)
    query = query.where(*_fitting(tx, user_id, only)).order_by(*_BEST_FIRST)
    return list(tx.connection.execute(query).scalars())


def count(
    tx: Transaction,
    user_id: int,
    since: datetime,
    *,
    section: Section = Section.LISTED,
    only: ArticleFilter = EVERYTHING,
) -> int:
    """Count what ``seqs`` lists without a limit."""
    source = SCORED if section in (Section.LISTED, Section.BELOW) else current_scores
    query = _waiting(user_id, since, section, func.count(), source=source).where(*_fitting(tx, user_id, only))
    return int(tx.connection.execute(query).scalar_one())


def counts(tx: Transaction, user_id: int, since: datetime, only: ArticleFilter = EVERYTHING) -> InboxCounts:
    """Count the stories that arrived ``since`` and have no verdict."""
    listed, archive = (func.sum(case((condition, 1), else_=0)) for condition in (LISTED, current_scores.c.archive))
    query = _waiting(user_id, since, Section.ALL, func.count(), listed, archive)
    row = tx.connection.execute(query.where(*_fitting(tx, user_id, only))).one()
    return InboxCounts(int(row[0]), int(row[1] or 0), int(row[2] or 0))


def scores(tx: Transaction, user_id: int, since: datetime) -> list[CurrentScore]:
    """List the model's own scores of all stories that arrived ``since``, in no order.

    What a rule hides is left out, and archive.
    """
    columns = (current_scores.c.seq, current_scores.c.score, current_scores.c.threshold, current_scores.c.interesting)
    query = _waiting(user_id, since, Section.NEWS, *columns).where(~MUTED)
    return [CurrentScore(*row) for row in tx.connection.execute(query)]


def candidates(tx: Transaction, user_id: int, start: datetime, end: datetime) -> list[Candidate]:
    """List the stories that arrived from ``start`` to before ``end`` and were in no digest yet, best first.

    Equal scores: the newer first, by publication. Archive is left out.
    """
    c = current_scores.c
    columns = (c.seq, SCORE, c.threshold, INTERESTING, EXPLORE, c.arrived, articles.c.feed_id)
    action = func.coalesce(rule_outcomes.c.action, "")
    query = _waiting(user_id, start, Section.NEWS, *columns, action, c.interest, source=_WITH_ARTICLE)
    delivered = exists().where(deliveries.c.user_id == user_id, deliveries.c.seq == c.seq)
    query = query.where(c.arrived < end, ~delivered)
    query = query.order_by(SCORE.desc(), dated.desc(), c.seq.desc())
    return [Candidate(*row) for row in tx.connection.execute(query)]


def joined(tx: Transaction, user_id: int, since: datetime, after_seq: int, up_to_seq: int) -> list[int]:
    """List the stories that arrived ``since`` and that a later article, after ``after_seq``, has joined."""
    later = articles.c.seq.between(after_seq + 1, up_to_seq) & (articles.c.story > 0)
    joined = select(lead(user_id)).where(later, articles.c.seq != lead(user_id), visible(user_id))
    query = _waiting(user_id, since, Section.ALL, current_scores.c.seq, source=current_scores)
    query = query.where(current_scores.c.seq.in_(joined)).order_by(current_scores.c.seq)
    return list(tx.connection.execute(query).scalars())


def rows(tx: Transaction, user_id: int, seqs: Sequence[int]) -> list[InboxRow]:
    """Return stories as the inbox lists them, in the order of ``seqs``, in the inbox or not.

    Stories without a decision are left out.
    """
    found: dict[int, InboxRow] = {}
    for piece in chunks(seqs):
        query = select(
            *(current_scores.c.seq, SCORE.label("score"), current_scores.c.threshold),
            *(INTERESTING.label("interesting"), EXPLORE.label("explore"), rule_outcomes.c.action),
            *(current_scores.c.archive, current_scores.c.interest),
        )
        query = query.select_from(SCORED).where(current_scores.c.user_id == user_id, among(current_scores.c.seq, piece))
        scored = list(tx.connection.execute(query))
        summaries = _summaries(tx, user_id, piece)
        stories = stored.story_sources(tx, user_id, [row.seq for row in scored])
        outcomes = outcomes_of_rules.get(tx, user_id, [row.seq for row in scored if row.action is not None])
        for row in scored:
            article = summaries[row.seq]
            found[row.seq] = InboxRow(
                article=article,
                score=CurrentScore(row.seq, row.score, row.threshold, bool(row.interesting), row.archive, row.interest),
                explore=bool(row.explore),
                sources=stories.get(row.seq, ()),
                outcome=outcomes.get(row.seq),
            )
    return [found[seq] for seq in seqs if seq in found]


def _waiting(
    user_id: int, since: datetime, section: Section, *columns: ColumnElement[Any], source: FromClause = SCORED
) -> Select[Any]:
    """Select from the stories that arrived ``since`` and have no verdict."""
    first = first_story(user_id, since)
    # A list, which SQLite makes once: to look into `effective_verdicts` for each story takes twice as long as all else.
    rated = select(effective_verdicts.c.story).where(
        effective_verdicts.c.user_id == user_id, effective_verdicts.c.story >= first
    )
    # Without a rule outcome the model's own columns decide, before the outcomes are joined.
    has_outcome = current_scores.c.seq.in_(select(rule_outcomes.c.seq).where(rule_outcomes.c.user_id == user_id))
    conditions: dict[Section, ColumnElement[bool]] = {
        Section.LISTED: and_(or_(current_scores.c.interesting, current_scores.c.explore, has_outcome), LISTED),
        Section.BELOW: IS_BELOW,
        Section.NEWS: ~current_scores.c.archive,
        Section.MAYBE: IS_MAYBE,
        Section.ARCHIVE: current_scores.c.archive,
        Section.ALL: true(),
    }
    query = select(*columns).select_from(source)
    # Stories are numbered in order of arrival, and a range of the primary key is read four times as fast as the same
    # stories through the index of arrivals. The cast keeps SQLite from that index.
    arrived = cast(current_scores.c.arrived, BigInteger) >= microseconds(since)
    mine = current_scores.c.user_id == user_id, current_scores.c.seq >= first, current_scores.c.seq.not_in(rated)
    return query.where(*mine, arrived, conditions[section])


def _fitting(tx: Transaction, user_id: int, only: ArticleFilter) -> list[ColumnElement[bool]]:
    """Return the condition that a story has an article that fits."""
    wanted = conditions(tx, user_id, only)
    leading = _LEADING
    of_story = leading.c.seq == current_scores.c.seq, articles.c.story == leading.c.story, visible(user_id)
    query = select(articles.c.seq).select_from(articles, leading).where(*of_story, *wanted)
    return [query.correlate(current_scores).exists()] if wanted else []


def _summaries(tx: Transaction, user_id: int, seqs: Sequence[int]) -> dict[int, Article]:
    beginning = func.coalesce(func.substr(texts.c.text, 1, SUMMARY), "")
    query = (
        select(articles, feeds.c.name.label("source"), beginning.label("text"))
        .join(feeds, feeds.c.id == articles.c.feed_id)
        .outerjoin(texts, texts.c.seq == articles.c.seq)
        .where(articles.c.seq.in_(seqs))
    )
    found = {row.seq: stored.read(row) for row in tx.connection.execute(query)}
    names = feed_names.shown(tx, user_id, [article.feed_id for article in found.values()])
    return {seq: replace(article, source=names[article.feed_id]) for seq, article in found.items()}
