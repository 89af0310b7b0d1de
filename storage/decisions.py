"""What was decided about articles for a person, what the newest model thinks of them, and the inbox.

Decisions are made about the leading article of a story, whose number is the story's: a story is shown once.
Standings stay when a story has been seen; ``seen`` tells which of them count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, ScalarSelect, Select, bindparam, case, exists, func, or_, select, update

from storage import articles as stored
from storage import rule_outcomes as own_rules
from storage.bulk_insert import Bulk, chunks, insert_new
from storage.columns import microseconds
from storage.features import load, load_pieces, select_arrived
from storage.records import Arrived, Article, CurrentScore, Decision, DecisionCounts, InboxRow
from storage.rule_outcomes import DECISION, EXPLORE, FIRST, INTERESTING, LISTED, MUTED, OVERRULED, SCORE, STANDING
from storage.schema import articles, decisions, features, feeds, rulings, seen, standings, texts, users
from storage.transaction import Transaction

SUMMARY = 600
"""Characters of the text that a row of the inbox carries."""

_BEST_FIRST = (FIRST, SCORE.desc(), standings.c.seq.desc())
_DECISION = ("user_id", "seq", "score", "threshold", "interesting", "explore", "probability", "at")
_STANDING = ("user_id", "seq", "score", "threshold", "interesting", "explore")

_decide = Bulk(insert_new(decisions), _DECISION)
_stand = Bulk(
    insert_new(standings).from_select(
        [*_STANDING, "arrived"],
        select(*(bindparam(name, type_=standings.c[name].type) for name in _STANDING), articles.c.arrived).where(
            articles.c.seq == bindparam("article")
        ),
    ),
    others=(*_STANDING, "article"),
)
_restand = Bulk(
    update(standings).where(standings.c.user_id == bindparam("person"), standings.c.seq == bindparam("article")),
    ["score", "threshold", "interesting"],
    ["person", "article"],
)


def add(tx: Transaction, rows: Sequence[Decision]) -> None:
    """Store first decisions about leading articles, which are their first standings too.

    What has been decided before stays as it was.
    """
    _decide.run(
        tx,
        [
            (
                row.user_id,
                row.seq,
                row.score,
                row.threshold,
                row.interesting,
                row.explore,
                row.probability,
                microseconds(row.at),
            )
            for row in rows
        ],
    )
    _stand.run(
        tx,
        [(row.user_id, row.seq, row.score, row.threshold, row.interesting, row.explore, row.seq) for row in rows],
    )
    for user_id in {row.user_id for row in rows}:
        _advance(tx, user_id)


def unjudged(tx: Transaction, user_id: int, limit: int) -> list[Arrived]:
    """List the assessed leading articles never decided about for this person, in order of arrival."""
    query = (
        select_arrived(user_id)
        .where(features.c.seq > _judged_to(user_id), features.c.seq == features.c.story, _undecided(user_id))
        .order_by(features.c.seq)
        .limit(limit)
    )
    return load(tx, query)


def recent(tx: Transaction, user_id: int, since: datetime) -> Iterator[list[Arrived]]:
    """Give the leading articles that were judged and arrived ``since``, seen or not, in order of arrival, piece by
    piece."""
    judged = select(standings.c.seq).where(standings.c.user_id == user_id, standings.c.arrived >= since)
    return load_pieces(tx, select_arrived(user_id).where(features.c.seq.in_(judged)).order_by(features.c.seq))


def recent_scores(tx: Transaction, user_id: int, since: datetime) -> list[float]:
    """List the newest scores of what arrived ``since``, seen or not, in no order."""
    query = select(standings.c.score).where(standings.c.user_id == user_id, standings.c.arrived >= since)
    return list(tx.connection.execute(query).scalars())


def rescore(tx: Transaction, user_id: int, rows: Sequence[CurrentScore]) -> None:
    """Write what a newer model thinks of articles decided about before; others are passed over."""
    _restand.run(tx, [(row.score, row.threshold, row.interesting, user_id, row.seq) for row in rows])


def inbox(
    tx: Transaction, user_id: int, since: datetime, *, everything: bool = False, limit: int | None
) -> list[InboxRow]:
    """List the stories that arrived ``since``, wait, and are interesting or explored; the best first.

    With ``everything`` also what is held back. What the person's rules always want comes first. Equal scores: the newer
    first.
    """
    query = _standing_rows().where(*_waiting(user_id, since), *_listed(user_id, everything))
    return _inbox_rows(tx, user_id, query.order_by(*_BEST_FIRST).limit(limit))


def inbox_ids(tx: Transaction, user_id: int, since: datetime, *, everything: bool = False) -> list[str]:
    """List what ``inbox`` would list without a limit, in the same order, by public ids alone."""
    query = select(articles.c.id).select_from(STANDING.join(articles, articles.c.seq == standings.c.seq))
    query = query.where(*_waiting(user_id, since), *_listed(user_id, everything)).order_by(*_BEST_FIRST)
    return list(tx.connection.execute(query).scalars())


def ruled_out(tx: Transaction, user_id: int) -> set[str]:
    """Give the public ids of what the person's own rules never let through."""
    query = select(articles.c.id).join(rulings, rulings.c.seq == articles.c.seq)
    return set(tx.connection.execute(query.where(rulings.c.user_id == user_id, rulings.c.action == "never")).scalars())


def waiting(tx: Transaction, user_id: int, since: datetime) -> list[CurrentScore]:
    """List how the model thinks of all that arrived ``since`` and waits, held back or not, in no order.

    What a rule of the person never wants is left out.
    """
    query = select(standings.c.seq, standings.c.score, standings.c.threshold, standings.c.interesting)
    query = query.select_from(STANDING).where(*_waiting(user_id, since), ~MUTED)
    return [CurrentScore(*row) for row in tx.connection.execute(query)]


def waiting_stories(tx: Transaction, user_id: int, since: datetime) -> list[int]:
    """List the stories that were judged, arrived ``since`` and wait, in order of arrival."""
    query = select(standings.c.seq).where(*_waiting(user_id, since)).order_by(standings.c.seq)
    return list(tx.connection.execute(query).scalars())


def judged_stories(tx: Transaction, user_id: int, since: datetime) -> list[int]:
    """List the stories that were judged and arrived ``since``, seen or not, in order of arrival."""
    query = select(standings.c.seq).where(standings.c.user_id == user_id, standings.c.arrived >= since)
    return list(tx.connection.execute(query.order_by(standings.c.seq)).scalars())


def standings_of(tx: Transaction, user_id: int, seqs: Sequence[int]) -> list[tuple[CurrentScore, bool]]:
    """Give what the model thinks of these stories, and whether each was drawn to be explored, in no order."""
    found: list[tuple[CurrentScore, bool]] = []
    for piece in chunks(seqs):
        query = select(*(standings.c[name] for name in ("seq", "score", "threshold", "interesting", "explore")))
        query = query.where(standings.c.user_id == user_id, standings.c.seq.in_(piece))
        found += [(CurrentScore(*row), explore) for *row, explore in tx.connection.execute(query)]
    return found


def rows(tx: Transaction, user_id: int, seqs: Sequence[int]) -> list[InboxRow]:
    """Give these articles as the inbox would list them, in the order of ``seqs``, whether they still wait or not."""
    found: dict[int, InboxRow] = {}
    for piece in chunks(seqs):
        query = _standing_rows().where(standings.c.user_id == user_id, standings.c.seq.in_(piece))
        found |= {row.article.seq: row for row in _inbox_rows(tx, user_id, query)}
    return [found[seq] for seq in seqs if seq in found]


def inbox_count(tx: Transaction, user_id: int, since: datetime, *, everything: bool = False) -> int:
    """Count what ``inbox`` would list without a limit."""
    counted = standings if everything else STANDING
    query = select(func.count()).select_from(counted).where(*_waiting(user_id, since), *_listed(user_id, everything))
    return int(tx.connection.execute(query).scalar_one())


def get(tx: Transaction, user_id: int, seqs: Sequence[int]) -> dict[int, Decision]:
    """Give the first decisions about these articles; what was never decided about is left out."""
    found: dict[int, Decision] = {}
    for piece in chunks(seqs):
        query = select(*(decisions.c[name] for name in _DECISION)).where(
            decisions.c.user_id == user_id, decisions.c.seq.in_(piece)
        )
        found |= {row.seq: Decision(*row) for row in tx.connection.execute(query)}
    return found


def standing(tx: Transaction, user_id: int, seq: int) -> CurrentScore | None:
    """Give what the newest model thinks of an article; None when it was never decided about."""
    query = select(standings.c.seq, standings.c.score, standings.c.threshold, standings.c.interesting)
    row = tx.connection.execute(query.where(standings.c.user_id == user_id, standings.c.seq == seq)).one_or_none()
    return None if row is None else CurrentScore(*row)


def newest_threshold(tx: Transaction, user_id: int, *, default: float) -> float:
    """Give the threshold by which the newest article stands; ``default`` when there is none."""
    query = select(standings.c.threshold).where(standings.c.user_id == user_id)
    found = tx.connection.execute(query.order_by(standings.c.seq.desc()).limit(1)).scalar_one_or_none()
    return default if found is None else float(found)


def judged_count(tx: Transaction, user_id: int, start: datetime, end: datetime) -> int:
    """Count the stories that arrived from ``start`` to before ``end`` and were judged."""
    query = select(func.count()).select_from(standings)
    query = query.where(standings.c.user_id == user_id, standings.c.arrived >= start, standings.c.arrived < end)
    return int(tx.connection.execute(query).scalar_one())


def recent_counts(tx: Transaction, user_id: int, since: datetime | None) -> DecisionCounts:
    """Count first decisions made ``since``, or ever, by what became of them."""
    kinds = case(
        (OVERRULED, "overruled"),
        (decisions.c.interesting, "recommended"),
        (decisions.c.explore, "explored"),
        (MUTED, "muted"),
        else_="held back",
    )
    query = (
        select(kinds, func.count(), func.max(decisions.c.at, type_=decisions.c.at.type))
        .select_from(DECISION)
        .where(decisions.c.user_id == user_id)
        .group_by(kinds)
    )
    if since is not None:
        query = query.where(decisions.c.at >= since)
    found = {kind: (count, latest) for kind, count, latest in tx.connection.execute(query)}

    def count(kind: str) -> int:
        return int(found.get(kind, (0,))[0])

    return DecisionCounts(
        recommended=count("recommended"),
        explored=count("explored"),
        held_back=count("held back"),
        muted=count("muted"),
        overruled=count("overruled"),
        last_explored=found["explored"][1] if "explored" in found else None,
    )


def decided_span(tx: Transaction, user_id: int, since: datetime) -> tuple[datetime, datetime] | None:
    """Give the times of the first and of the last first decision made ``since``; None when there is none."""
    at = decisions.c.at
    query = select(func.min(at, type_=at.type), func.max(at, type_=at.type))
    first, last = tx.connection.execute(query.where(decisions.c.user_id == user_id, at >= since)).one()
    return None if first is None else (first, last)


def delivered(tx: Transaction, user_id: int, limit: int) -> list[Arrived]:
    """List the ``limit`` newest leading articles that were delivered: recommended, explored or demanded by a rule.

    In order of arrival.
    """
    shown = or_(decisions.c.interesting, decisions.c.explore) != OVERRULED
    newest = select(decisions.c.seq).select_from(DECISION).where(decisions.c.user_id == user_id, shown, ~MUTED)
    newest = newest.order_by(decisions.c.seq.desc()).limit(limit)
    return load(tx, select_arrived(user_id).where(features.c.seq.in_(newest)).order_by(features.c.seq))


def _waiting(user_id: int, since: datetime) -> tuple[ColumnElement[bool], ...]:
    """Select standings of stories that arrived ``since`` and have no verdict."""
    verdict = exists().where(seen.c.user_id == user_id, seen.c.story == standings.c.seq)
    return standings.c.user_id == user_id, standings.c.arrived >= since, ~verdict


def _standing_rows() -> Select[Any]:
    return select(
        *(standings.c.seq, SCORE.label("score"), standings.c.threshold),
        *(INTERESTING.label("interesting"), EXPLORE.label("explore"), rulings.c.action),
    ).select_from(STANDING)


def _inbox_rows(tx: Transaction, user_id: int, query: Select[Any]) -> list[InboxRow]:
    found = list(tx.connection.execute(query))
    seqs = [row.seq for row in found]
    short = {each.seq: each for piece in chunks(seqs) for each in _summaries(tx, piece)}
    carriers = stored.story_sources(tx, seqs)
    ruled = own_rules.get(tx, user_id, [row.seq for row in found if row.action is not None])
    listed = []
    for row in found:
        article = short[row.seq]
        standing = CurrentScore(row.seq, row.score, row.threshold, bool(row.interesting))
        sources = tuple(dict.fromkeys((article.source, *carriers.get(row.seq, ()))))
        listed.append(InboxRow(article, standing, bool(row.explore), sources, ruled.get(row.seq)))
    return listed


def _listed(user_id: int, everything: bool) -> tuple[ColumnElement[bool], ...]:
    """Select what is shown; what the model holds back and no rule speaks of is left out before rulings are joined."""
    if everything:
        return ()
    spoken_of = standings.c.seq.in_(select(rulings.c.seq).where(rulings.c.user_id == user_id))
    return or_(standings.c.interesting, standings.c.explore, spoken_of), LISTED


def _summaries(tx: Transaction, seqs: Sequence[int]) -> list[Article]:
    beginning = func.coalesce(func.substr(texts.c.text, 1, SUMMARY), "")
    query = (
        select(articles, feeds.c.name.label("source"), beginning.label("text"))
        .join(feeds, feeds.c.id == articles.c.feed_id)
        .outerjoin(texts, texts.c.seq == articles.c.seq)
        .where(articles.c.seq.in_(seqs))
    )
    return [stored.read(row) for row in tx.connection.execute(query)]


def _undecided(user_id: int) -> ColumnElement[bool]:
    return ~exists().where(decisions.c.user_id == user_id, decisions.c.seq == features.c.seq)


def _judged_to(user_id: int) -> ScalarSelect[Any]:
    return select(users.c.judged_to).where(users.c.id == user_id).scalar_subquery()


def _advance(tx: Transaction, user_id: int) -> None:
    """Move ``judged_to`` up to just before the first article that still has to be assessed or judged.

    Articles get their numbers inside write transactions, of which there is one at a time: no lower number can
    appear later. (A database that hands out numbers to several writers at once would have to stop at the
    oldest of these.)
    """
    judged = exists().where(decisions.c.user_id == user_id, decisions.c.seq == articles.c.seq)
    leads = articles.c.story == articles.c.seq
    waits = or_(articles.c.story.is_(None), leads & ~judged)
    first: Select[Any] = (
        select(articles.c.seq).where(articles.c.seq > _judged_to(user_id), waits).order_by(articles.c.seq).limit(1)
    )
    gap = tx.connection.execute(first).scalar_one_or_none()
    judged_to = stored.last_seq(tx) if gap is None else gap - 1
    tx.connection.execute(update(users).where(users.c.id == user_id).values(judged_to=judged_to))
