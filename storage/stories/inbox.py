"""What the inbox counts and shows of its stories; which these are, ``story_query`` says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import case, exists, func, select

from storage.engine.base_database import Transaction
from storage.engine.bulk_insert import among, chunks
from storage.log import rule_outcomes as outcomes_of_rules
from storage.log.rule_outcomes import EXPLORE, INTERESTING, LISTED, MUTED, SCORE, SCORED
from storage.records.articles import Article
from storage.records.decisions import CurrentScore
from storage.records.deliveries import Candidate
from storage.records.stories import StoryRow
from storage.schema import articles, current_scores, deliveries, feeds, rule_outcomes, texts
from storage.stories.story_query import IS_MAYBE, KINDS, WITH_ARTICLE, Section, StoryQuery
from storage.stream import articles as stored
from storage.stream import feed_names
from storage.stream.visibility import lead, visible

SUMMARY = 600
"""Characters of the text in an inbox row."""


@dataclass(frozen=True, slots=True)
class InboxCounts:
    """How many stories the inbox has."""

    all: int
    listed: int
    """Recommended or explored."""
    archive: int


def counts(tx: Transaction, query: StoryQuery) -> InboxCounts:
    """Count the stories of a list by score, whatever its section. Raises ``UnknownName``."""
    listed, archive = (func.sum(case((condition, 1), else_=0)) for condition in (LISTED, current_scores.c.archive))
    statement = replace(query, section=Section.ALL).select(func.count(), listed, archive)
    row = tx.connection.execute(statement.where(*query.fits(tx))).one()
    return InboxCounts(int(row[0]), int(row[1] or 0), int(row[2] or 0))


def kinds(tx: Transaction, query: StoryQuery) -> list[int]:
    """Count the stories of each kind of ``KINDS`` in a list by score, then those of the list of Maybe."""
    counted = (func.sum(case((condition, 1), else_=0)) for condition in (*KINDS.values(), IS_MAYBE))
    statement = query.select(*counted).where(*query.fits(tx))
    return [int(each or 0) for each in tx.connection.execute(statement).one()]


def interests(tx: Transaction, user_id: int, since: datetime) -> set[str]:
    """Return the names of the interests that stories belong to that arrived ``since``, rated or not."""
    query = StoryQuery(user_id, since, Section.ALL, unrated=False).select(current_scores.c.interest).distinct()
    return set(tx.connection.execute(query).scalars())


def scores(tx: Transaction, user_id: int, since: datetime) -> list[CurrentScore]:
    """List the model's own scores of all stories that arrived ``since``, in no order.

    What a rule hides is left out, and archive.
    """
    columns = (current_scores.c.seq, current_scores.c.score, current_scores.c.threshold, current_scores.c.interesting)
    query = StoryQuery(user_id, since, Section.NEWS).select(*columns).where(~MUTED)
    return [CurrentScore(*row) for row in tx.connection.execute(query)]


def candidates(tx: Transaction, user_id: int, start: datetime, end: datetime) -> list[Candidate]:
    """List the stories that arrived from ``start`` to before ``end`` and were in no digest yet, best first.

    Equal scores: the newer first, by publication. Archive is left out.
    """
    c = current_scores.c
    columns = (c.seq, SCORE, c.threshold, INTERESTING, EXPLORE, c.arrived, articles.c.feed_id)
    action = func.coalesce(rule_outcomes.c.action, "")
    query = StoryQuery(user_id, start, Section.NEWS).select(*columns, action, c.interest, source=WITH_ARTICLE)
    delivered = exists().where(deliveries.c.user_id == user_id, deliveries.c.seq == c.seq)
    query = query.where(c.arrived < end, ~delivered)
    query = query.order_by(SCORE.desc(), c.dated.desc(), c.seq.desc())
    return [Candidate(*row) for row in tx.connection.execute(query)]


def joined(tx: Transaction, user_id: int, since: datetime, after_seq: int, up_to_seq: int) -> list[int]:
    """List the stories that arrived ``since`` and that a later article, after ``after_seq``, has joined."""
    later = articles.c.seq.between(after_seq + 1, up_to_seq) & (articles.c.story > 0)
    joined = select(lead(user_id)).where(later, articles.c.seq != lead(user_id), visible(user_id))
    query = StoryQuery(user_id, since).select(current_scores.c.seq, source=current_scores)
    query = query.where(current_scores.c.seq.in_(joined)).order_by(current_scores.c.seq)
    return list(tx.connection.execute(query).scalars())


def rows(tx: Transaction, user_id: int, seqs: Sequence[int]) -> list[StoryRow]:
    """Return stories as the inbox lists them, in the order of ``seqs``, in the inbox or not.

    Stories without a decision are left out.
    """
    found: dict[int, StoryRow] = {}
    for piece in chunks(seqs):
        query = select(
            *(current_scores.c.seq, SCORE.label("score"), current_scores.c.threshold),
            *(INTERESTING.label("interesting"), EXPLORE.label("explore"), rule_outcomes.c.action),
            *(current_scores.c.archive, current_scores.c.interest, KINDS[Section.BELOW].label("hidden")),
        )
        query = query.select_from(SCORED).where(current_scores.c.user_id == user_id, among(current_scores.c.seq, piece))
        scored = list(tx.connection.execute(query))
        summaries = _summaries(tx, user_id, piece)
        stories = stored.story_sources(tx, user_id, [row.seq for row in scored])
        outcomes = outcomes_of_rules.get(tx, user_id, [row.seq for row in scored if row.action is not None])
        for row in scored:
            article = summaries[row.seq]
            found[row.seq] = StoryRow(
                article=article,
                score=CurrentScore(row.seq, row.score, row.threshold, bool(row.interesting), row.archive, row.interest),
                explore=bool(row.explore) and not row.interesting,
                sources=stories.get(row.seq, ()),
                outcome=outcomes.get(row.seq),
                hidden=bool(row.hidden),
            )
    return [found[seq] for seq in seqs if seq in found]


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
