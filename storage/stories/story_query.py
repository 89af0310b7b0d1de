"""Which stories a user may see, filtered and ordered: every list of stories asks here.

    StoryQuery ─┬─► page, seqs, ids, count           lists of the reader and of the command line
                └─► .select(columns) ─► inbox        counts, candidates for digests, what was never rated
                                     └► client_items streams of client apps

A list has one row for each story that was scored for the user (``current_scores``); the list of one feed begins with
the feed's articles. Both see only the user's own rows and what is ``visible``.

A list is read in pages. The next page begins behind the place of the last story of the one before, so a page costs
the same wherever it is, and no story is shown twice when others arrive meanwhile. What arrives after the first page was
read is on none of the others: all that stands above a story of the list was shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, ColumnElement, FromClause, Select, and_, cast, exists, func, or_, select, true

from storage.engine.base_database import Transaction
from storage.log.marks import first_since, first_story, is_read
from storage.log.rule_outcomes import EXPLORE, FIRST, INTERESTING, LISTED, MUTED, SCORE, SCORED
from storage.log.saved_items import is_saved_item
from storage.records.articles import NEWS
from storage.schema import articles, current_scores, effective_verdicts, marks, rule_outcomes
from storage.schema.column_types import microseconds, moment_or_none
from storage.stories.article_filter import EVERYTHING, ArticleFilter, conditions
from storage.stories.article_filter import stories as fitting
from storage.stories.places import Place, behind, read_place
from storage.stories.search import Word, places
from storage.stream.visibility import leads, leads_of_feed, scored_lead, visible

NEAR = 1.0
"""Log-odds below the threshold that still are near it: a factor of e in the odds."""
PIECE, GROWTH = 400, 4
"""Stories of a list that are read first to find those that fit, and how many times as many are read next."""

IS_BELOW = and_(~LISTED, ~current_scores.c.archive)
"""Whether a story is neither shown nor archive."""
IS_MAYBE = and_(
    ~current_scores.c.archive, ~INTERESTING, ~MUTED, or_(EXPLORE, current_scores.c.threshold - NEAR <= SCORE)
)
"""Whether a story is not recommended, but explored or near the threshold, and hidden by no rule."""
WITH_ARTICLE = SCORED.join(articles, articles.c.seq == current_scores.c.seq)
"""Current scores with their rule outcomes and leading articles."""

_BEST_FIRST = (FIRST, SCORE.desc(), current_scores.c.dated.desc(), current_scores.c.seq.desc())
_LEADING = articles.alias("leading_article")
_EARLIER, _LATER = articles.alias("earlier_of_story"), articles.alias("later_of_story")
_NUMBER = re.compile(r"[0-9]{1,17}")
_PLACE = re.compile(r"([01])_(-?[0-9]{1,20}(?:\.[0-9]{1,24})?(?:e-?[0-9]{1,3})?)_(.*)")


class Section(Enum):
    """A part of the stories that were scored for a user."""

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


KINDS: dict[Section, ColumnElement[bool]] = {
    Section.LISTED: LISTED,
    Section.MAYBE: and_(IS_MAYBE, ~LISTED),
    Section.BELOW: and_(IS_BELOW, ~IS_MAYBE),
}
"""Each story is of one kind, but archive is of none. Conditions on ``SCORED``."""


class Order(Enum):
    """How a list is ordered."""

    BEST = "best"
    """What a rule always shows first, then by score; equal scores: the newer first, by publication."""
    NEWEST = "newest"
    """By the publication of the leading article, in the list of a feed by that of the feed's first."""
    SAVED = "saved"
    """The last saved first."""
    FOUND = "found"
    """What has all ``words`` of a search, by the publication of the newest article that has them."""


@dataclass(frozen=True, slots=True)
class StoryQuery:
    """Which stories of a user, in which order, and which part of them."""

    user_id: int
    since: datetime | None = None
    """Arrived at or after this; not of what was saved or found."""
    section: Section = Section.ALL
    """By score only."""
    only: ArticleFilter = EVERYTHING
    """Stories with an article that fits."""
    words: tuple[Word, ...] = ()
    """Of a search."""
    order: Order = Order.BEST
    after: str = ""
    """The place behind which the list begins; a place of no such list is the beginning."""
    limit: int | None = None
    unrated: bool = True
    """By score only: whether stories with a verdict are left out."""
    up_to: int | None = None
    """Only articles up to this number. Not of what was saved or found."""
    kinds: tuple[Section, ...] = ()
    """By time or score: only stories of one of these, which are keys of ``KINDS``; empty for all."""

    def select(self, *columns: ColumnElement[Any], source: FromClause = SCORED) -> Select[Any]:
        """Select from the scored stories of the section that arrived ``since``, whatever articles they have.

        ``source`` joins what ``columns`` and later conditions need: a count is slower with more.
        """
        c = current_scores.c
        query = select(*columns).select_from(source).where(c.user_id == self.user_id)
        rated = select(effective_verdicts.c.story).where(effective_verdicts.c.user_id == self.user_id)
        if self.since is not None:
            # Stories are numbered in order of arrival, and a range of the primary key is read four times as fast as
            # the same stories through the index of arrivals. The cast keeps SQLite from that index.
            first = first_story(self.user_id, self.since)
            query = query.where(c.seq >= first, cast(c.arrived, BigInteger) >= microseconds(self.since))
            rated = rated.where(effective_verdicts.c.story >= first)
        if self.unrated:
            # A list, which SQLite makes once: to look into `effective_verdicts` for each story takes twice as long as
            # all else.
            query = query.where(c.seq.not_in(rated))
        if self.up_to is not None:
            query = query.where(c.seq <= self.up_to)
        if self.kinds:
            query = query.where(or_(*(KINDS[each] for each in self.kinds)))
        return query.where(self._in_section())

    def _in_section(self) -> ColumnElement[bool]:
        c, outcomes = current_scores.c, rule_outcomes.c
        # Without a rule outcome the model's own columns decide, before the outcomes are joined.
        has_outcome = c.seq.in_(select(outcomes.seq).where(outcomes.user_id == self.user_id))
        sections: dict[Section, ColumnElement[bool]] = {
            Section.LISTED: and_(or_(c.interesting, c.explore, has_outcome), LISTED),
            Section.BELOW: IS_BELOW,
            Section.NEWS: ~c.archive,
            Section.MAYBE: IS_MAYBE,
            Section.ARCHIVE: c.archive,
            Section.ALL: true(),
        }
        return sections[self.section]

    def fits(self, tx: Transaction) -> list[ColumnElement[bool]]:
        """Return the condition that a scored story has an article that fits ``only``. Raises ``UnknownName``."""
        wanted = conditions(tx, self.user_id, self.only)
        leading = _LEADING
        of_story = leading.c.seq == current_scores.c.seq, articles.c.story == leading.c.story, visible(self.user_id)
        query = select(articles.c.seq).select_from(articles, leading).where(*of_story, *wanted)
        return [query.correlate(current_scores).exists()] if wanted else []


class StoryPage(NamedTuple):
    """A part of a list."""

    seqs: list[int]
    """The leading articles of its stories."""
    after: str
    """The place behind which the next page begins; empty on the last page."""
    newest: int
    """The number of the user's newest story when the first page was read."""
    hits: list[int]
    """Of a search: the articles that have its words, one for each of ``seqs``."""


def page(tx: Transaction, query: StoryQuery) -> StoryPage:
    """Return a page of a list. This and the next three raise ``UnknownName`` for an unknown source, tag or label."""
    query = _continued(query)
    last = _last(tx, query.user_id) if query.up_to is None else query.up_to
    rows = _rows(tx, replace(query, limit=None if query.limit is None else query.limit + 1))
    part = rows[: query.limit]
    following = f"{last}-{_written(part[-1][1:])}" if len(part) < len(rows) else ""
    hits = [row[-1] for row in part] if query.order is Order.FOUND else []
    return StoryPage([row[0] for row in part], following, last, hits)


def seqs(tx: Transaction, query: StoryQuery) -> list[int]:
    """List the stories behind a place by their leading articles."""
    return [row[0] for row in _rows(tx, _continued(query))]


def place_of(tx: Transaction, query: StoryQuery, seq: int) -> str:
    """Return the place of a story, by its leading article, in a list by time; it need not be in it any more."""
    user, feed, c = query.user_id, query.only.feed, articles.c
    scores = current_scores.c
    statement = select(scores.dated, scores.seq).where(scores.user_id == user, scores.seq == seq)
    if feed:
        story = select(_LEADING.c.story).where(_LEADING.c.seq == seq).scalar_subquery()
        statement = select(c.dated, c.seq).where(c.story == story, c.feed_id + 0 == feed, visible(user))
    found = tx.connection.execute(statement.order_by("seq").limit(1)).one_or_none()
    return str(Place(*found)) if found else ""


def ids(tx: Transaction, query: StoryQuery) -> list[str]:
    """List all stories of a list by score, by their public ids."""
    statement = query.select(articles.c.id, source=WITH_ARTICLE).where(*query.fits(tx)).order_by(*_BEST_FIRST)
    return list(tx.connection.execute(statement).scalars())


def count(tx: Transaction, query: StoryQuery) -> int:
    """Count all stories of a list by score."""
    of_rules = query.section in (Section.LISTED, Section.BELOW, Section.MAYBE)
    statement = query.select(func.count(), source=SCORED if of_rules else current_scores)
    return int(tx.connection.execute(statement.where(*query.fits(tx))).scalar_one())


def _continued(query: StoryQuery) -> StoryQuery:
    """Split the place at which a page begins: up to which article its list goes, and the place itself."""
    newest, _, after = query.after.partition("-")
    return replace(query, after=after, up_to=int(newest)) if after and _NUMBER.fullmatch(newest) else query


def _rows(tx: Transaction, query: StoryQuery) -> Sequence[Any]:
    """Return leading articles, each with its place."""
    if query.order is Order.BEST:
        return _scored(tx, query)
    if query.order is Order.FOUND:
        return _found(tx, query)
    return _newest(tx, query) if query.order is Order.NEWEST else tx.connection.execute(_saved(tx, query)).all()


def _fitting(
    tx: Transaction,
    query: StoryQuery,
    only: ArticleFilter,
    statement: Select[Any],
    behind_place: Callable[[str], ColumnElement[bool] | None],
) -> list[Any]:
    """Return those rows of a list, with their places, whose stories have an article that fits.

    They are read in pieces, each larger than the one before, until there are enough: looking for fitting articles costs
    more than sorting, and what few stories have, databases would look for in all of them.
    """
    after, limit = query.after, query.limit
    size = limit if limit is None or only == EVERYTHING else PIECE
    found: list[Any] = []
    while True:
        rest = behind_place(after)
        piece = tx.connection.execute((statement if rest is None else statement.where(rest)).limit(size)).all()
        seqs = [row[0] for row in piece]
        fits = None if only == EVERYTHING else fitting(tx, query.user_id, seqs, only, query.up_to)
        found += [row for row in piece if fits is None or row[0] in fits]
        if size is None or len(piece) < size or limit is None or len(found) >= limit:
            return found[:limit]
        after, size = _written(piece[-1][1:]), size * GROWTH


def _scored(tx: Transaction, query: StoryQuery) -> list[Any]:
    """Return the rows of a list by score."""
    seq, only = current_scores.c.seq, query.only
    place = () if query.limit is None else (FIRST, SCORE, current_scores.c.dated, seq)  # nothing follows on all
    statement = query.select(seq, *place).order_by(*_BEST_FIRST)
    if only.feed:
        statement = statement.where(seq.in_(leads_of_feed(query.user_id, only.feed)))
        only = EVERYTHING if replace(only, feed=0) == EVERYTHING else only
    return _fitting(tx, query, only, statement, _behind_best)


def _newest(tx: Transaction, query: StoryQuery) -> list[Any]:
    """Return the rows of a list by time.

    What was saved elsewhere is nothing new: it is only in lists of what is saved or has a label.
    """
    user, only = query.user_id, query.only
    row = articles.c if only.feed else current_scores.c
    statement = _of_feed(tx, query) if only.feed else _of_all(tx, query)
    if query.kinds and only.feed:
        wanted = StoryQuery(user, unrated=False, kinds=query.kinds).select(current_scores.c.seq)
        statement = statement.where(scored_lead(user).in_(wanted))
    if not (only.saved or only.label):
        statement = statement.where(~is_saved_item(user))
    if query.up_to is not None:
        statement = statement.where(row.seq <= query.up_to)
    if query.since is not None:
        # An article joins a story for as long after the first as news are news.
        first = first_since(tx, user, query.since - NEWS) or 0
        later = select(_LATER.c.seq).where(_LATER.c.story == articles.c.story, _LATER.c.arrived >= query.since)
        # One value, for one story after the other: PostgreSQL would look for all that there are first.
        joined = later.where(visible(user, _LATER)).limit(1).correlate(articles).scalar_subquery()
        statement = statement.where(or_(row.arrived >= query.since, joined.is_not(None)))
        # Archive is never unread. The rest of what is recent is found in a part of the index of dates.
        statement = statement.where(articles.c.seq >= first)
        if only.unread:
            statement = statement.where(~row.archive, row.dated >= query.since - 2 * NEWS)
    # Of what is marked there is little, which SQLite finds without the index of dates.
    dated = cast(row.dated, BigInteger) if only.label or only.saved else row.dated
    statement = statement.order_by(dated.desc(), row.seq.desc())
    rest = EVERYTHING if only.feed else replace(only, label="", saved=False, unread=False)
    return _fitting(tx, query, rest, statement, partial(_behind, row))


def _of_feed(tx: Transaction, query: StoryQuery) -> Select[Any]:
    user, earlier, feed = query.user_id, _EARLIER, query.only.feed
    # A sum uses no index: the story has fewer articles than the feed.
    of_story = earlier.c.story == articles.c.story, earlier.c.seq < articles.c.seq, earlier.c.feed_id + 0 == feed
    rest = conditions(tx, user, replace(query.only, feed=0), earlier)
    other = exists().where(*of_story, visible(user, earlier), *rest)
    lead = scored_lead(user)
    statement = select(lead, articles.c.dated, articles.c.seq).where(articles.c.story > 0, lead.is_not(None))
    return statement.where(visible(user), ~other.correlate(articles), *conditions(tx, user, query.only))


def _of_all(tx: Transaction, query: StoryQuery) -> Select[Any]:
    """Select the stories of a list by time, restricted by what stories have as a whole."""
    c, only = current_scores.c, query.only
    source = (SCORED if query.kinds else current_scores).join(articles, articles.c.seq == c.seq)
    every = StoryQuery(query.user_id, unrated=False, kinds=query.kinds)
    statement = every.select(c.seq, c.dated, c.seq, source=source)
    if only.unread:
        statement = statement.where(~is_read(query.user_id))
    if only.label or only.saved:  # few: they are found first
        marked = conditions(tx, query.user_id, ArticleFilter(label=only.label, saved=only.saved))
        statement = statement.where(c.seq.in_(select(articles.c.seq).where(*marked)))
    return statement


def _saved(tx: Transaction, query: StoryQuery) -> Select[Any]:
    """Select the scored stories that the user saved, each with the time of saving."""
    c = marks.c
    lead = scored_lead(query.user_id)
    statement = select(lead, c.saved_at).join_from(marks, articles, articles.c.seq == c.story)
    statement = statement.where(c.user_id == query.user_id, c.saved_at.is_not(None), lead.is_not(None))
    statement = statement.where(*conditions(tx, query.user_id, query.only))
    if _NUMBER.fullmatch(query.after):
        statement = statement.where(c.saved_at < moment_or_none(int(query.after)))
    return statement.order_by(c.saved_at.desc(), c.story.desc()).limit(query.limit)


def _found(tx: Transaction, query: StoryQuery) -> list[Any]:
    """Return the stories with an article that has all words, each with the place of that article."""
    found = places(tx, query.user_id, query.words, query.only, after=read_place(query.after), limit=query.limit)
    leading = leads(tx, query.user_id, [each.seq for each in found])
    return [(leading[each.seq], *each) for each in found]


def _last(tx: Transaction, user_id: int) -> int:
    newest = select(func.coalesce(func.max(current_scores.c.seq), 0)).where(current_scores.c.user_id == user_id)
    return int(tx.connection.execute(newest).scalar_one())


def _written(place: Sequence[Any]) -> str:
    """Write a place: of a list by score what it is ordered by, of what was saved the time, else that of the article."""
    if len(place) == 1:
        return str(microseconds(place[0]))
    *best, dated, seq = place
    return "_".join((*map(repr, best), str(Place(dated, seq))))


def _behind(row: Any, after: str) -> ColumnElement[bool] | None:
    """Return the condition that a row is behind a place in a list by time; None for the beginning."""
    place = read_place(after)
    return behind(place, row.dated, row.seq) if place else None


def _behind_best(after: str) -> ColumnElement[bool] | None:
    """Return the condition that a story is behind a place in a list by score; None for the beginning."""
    found = _PLACE.fullmatch(after)
    place = read_place(found[3]) if found else None
    if not found or place is None:
        return None
    rank, score, c = FIRST, SCORE, current_scores.c
    worse = or_(score < float(found[2]), and_(score == float(found[2]), behind(place, c.dated, c.seq)))
    return or_(rank > int(found[1]), and_(rank == int(found[1]), worse))
