"""Reading: what the user marks on stories, and the lists that they read.

Marks are no verdicts. Some of them are also reading events, which count a little where the user agreed.

Nothing here loads numbers or models.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum

from iscore.core.errors import LabelError, MarkError, UndoError
from iscore.core.sanitizing import line, one_line
from iscore.core.translation import gettext
from iscore.services.learning.reading_events import record as record_reading
from iscore.services.reading.search import excerpt
from iscore.services.reading.unread_counts import UnreadCounts
from iscore.services.rules.rule_application import RuleApplication
from iscore.services.session.user_session import UserSession, find_article
from iscore.services.views.stories import FeedLink, FolderLink, Navigation, StoryPage, StoryView
from iscore.services.views.view_builders import listed_stories
from storage.engine.base_database import Transaction
from storage.log import feedback, marks, reading_events
from storage.records.reading_events import Act
from storage.records.stories import UNMARKED, Mark
from storage.stories import inbox, story_query
from storage.stories.article_filter import EVERYTHING, ArticleFilter
from storage.stories.search import Word
from storage.stories.story_query import Order, Section, StoryQuery
from storage.stream import articles, feed_names
from storage.stream.headings import heading
from storage.stream.visibility import leads

PAGE = 30
"""Stories on a page of a list."""
MAX_LABEL = 60
"""Characters of a label."""


class ListName(Enum):
    """The lists that every user has."""

    FOR_YOU = "for-you"
    """Recommended and explored stories without a verdict, best first."""
    MAYBE = "maybe"
    """Not recommended, but explored or near the threshold; best first."""
    HIDDEN = "hidden"
    """Below the threshold, the nearest first."""
    ALL = "all"
    """Everything, newest first; by score: what has no verdict, best first."""
    SAVED = "saved"
    """The last saved first."""


SECTIONS = {
    ListName.FOR_YOU: Section.LISTED,
    ListName.MAYBE: Section.MAYBE,
    ListName.HIDDEN: Section.BELOW,
    ListName.ALL: Section.ALL,
}
"""The section of the inbox that a list by score shows."""


@dataclass(frozen=True, slots=True)
class StoryList:
    """Which list: one of ``ListName``, restricted. A feed, a folder, a label is ``ALL`` with a filter."""

    name: ListName = ListName.ALL
    only: ArticleFilter = EVERYTHING
    words: tuple[Word, ...] = ()
    """Of a search; newest first."""
    best_first: bool = False
    """By score: only stories of the last ``inbox_days`` that have no verdict."""
    kinds: tuple[Section, ...] = ()
    """Only stories of these of ``story_query.KINDS``; empty for all."""

    @property
    def order(self) -> Order:
        """The first three are always best first."""
        if self.words:
            return Order.FOUND
        if self.name is ListName.SAVED:
            return Order.SAVED
        return Order.BEST if self.best_first or self.name is not ListName.ALL else Order.NEWEST


class Reader:
    """One user's lists and marks."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context
        self._rules = session.service(RuleApplication)
        self._cache = session.cache
        self._unread = UnreadCounts(session.database, session.context.user_id)

    def page(self, wanted: StoryList, after: str = "", limit: int = PAGE) -> StoryPage:
        """Return the page of a list behind the place ``after``; an invalid place means the first page.

        Raises ``RulesError`` when the rules are invalid, ``StorageError`` for a filter with an unknown name.
        """
        self._rules.apply()
        with self._database.read() as tx:
            found = story_query.page(tx, self._query(wanted, after, limit))
            stories = self._marked(tx, found.seqs)
            if wanted.words:
                texts = {each.seq: each.text for each in articles.get(tx, found.hits)}
                hits = [excerpt(texts[seq], wanted.words) for seq in found.hits]
                stories = tuple(replace(story, text=text) for story, text in zip(stories, hits, strict=True))
            return StoryPage(stories, found.after, found.newest)

    def ids(self, wanted: StoryList, after: str = "", limit: int = PAGE) -> tuple[list[str], str]:
        """Return the ids of a page, and the place behind which the next one begins. Raises as ``page`` does."""
        self._rules.apply()
        with self._database.read() as tx:
            found = story_query.page(tx, self._query(wanted, after, limit))
            return articles.ids(tx, found.seqs), found.after

    def next_unrated(self, ids: Sequence[str]) -> tuple[str, str] | None:
        """Return id and title of the first of these stories without a verdict; None if there is none.

        By the full ids of their leading articles; unknown ones are left out.
        """
        user = self._context.user_id
        with self._database.read() as tx:
            places = articles.seqs(tx, user, ids)
            rated = feedback.verdicts(tx, user, list(places.values()))
            waiting = [places[each] for each in ids if each in places and places[each] not in rated]
            found = articles.get(tx, waiting[:1])
        return (found[0].id, heading(found[0].title, found[0].text)) if found else None

    def stories(self, ids: Sequence[str]) -> tuple[StoryView, ...]:
        """Return stories with their marks, by the full ids of their leading articles; unknown ones are left out."""
        with self._database.read() as tx:
            places = articles.seqs(tx, self._context.user_id, ids)
            return self._marked(tx, [places[each] for each in ids if each in places])

    def kinds(self, only: ArticleFilter = EVERYTHING) -> list[int]:
        """Count the unrated stories of the last days by kinds, as ``inbox.kinds`` does.

        Raises ``StorageError`` for a filter with an unknown name.
        """
        query = StoryQuery(self._context.user_id, self._context.inbox_start(), only=only)

        def count() -> list[int]:
            with self._database.read() as tx:
                return inbox.kinds(tx, query)

        return self._cache.get(("kinds", query), count, marks=False)

    def mark(self, article_id: str) -> Mark:
        """Return the marks on an article's story. Raises ``UnknownArticleError``, ``AmbiguousIdError``."""
        with self._database.read() as tx:
            stories = self._stories(tx, [article_id])
            return marks.get(tx, self._context.user_id, stories).get(stories[0], UNMARKED) if stories else UNMARKED

    def navigation(self) -> Navigation:
        """Return all lists with their unread counts."""
        since = self._context.inbox_start()
        return self._cache.get(("navigation", since), lambda: self._navigation(since))

    def _followed(self) -> tuple[FeedLink, ...]:
        """Return the feeds as links, by name, without counts."""
        with self._database.read() as tx:
            names = feed_names.followed(tx, self._context.user_id)
        links = [
            FeedLink(number, line(each.shown), 0, tuple(filter(None, each.tags)))  # "" is no folder
            for number, each in names.items()
        ]
        return tuple(sorted(links, key=lambda link: link.name.casefold()))

    def _navigation(self, since: datetime) -> Navigation:
        user, feeds = self._context.user_id, self._cache.get("followed feeds", self._followed, marks=False)
        with self._database.read() as tx:
            unread = self._unread.by_feed(tx, since)
            labels = tuple(marks.label_counts(tx, user).items())
            saved = marks.saved_count(tx, user)
        links = [replace(each, unread=unread.get(each.number, 0)) for each in feeds]
        tags = sorted({tag for link in links for tag in link.tags}, key=str.casefold)
        folders = []
        for tag in tags:
            members = tuple(link for link in links if tag in link.tags)
            folders.append(FolderLink(tag, sum(link.unread for link in members), members))
        rest = tuple(link for link in links if not link.tags)
        listed, *_, maybe = self.kinds()
        unread_of_all = sum(link.unread for link in links)
        return Navigation(tuple(folders), rest, labels, saved, unread_of_all, listed, maybe)

    def mark_read(self, article_ids: Sequence[str]) -> None:
        """Mark stories as read.

        This and the next four raise ``UnknownArticleError``, ``AmbiguousIdError``, and ``MarkError`` when there is no
        story to mark: marks are of stories, and the next round decides to which one a new article belongs.
        """
        self._write(article_ids, marks.read)

    def mark_unread(self, article_ids: Sequence[str]) -> None:
        """Mark stories as unread, and keep them so when all are marked as read."""
        self._write(article_ids, lambda tx, user, stories, _: marks.keep_unread(tx, user, stories))

    def save(self, article_ids: Sequence[str]) -> None:
        """Save stories: ``prune`` never deletes their texts."""
        self._write(article_ids, marks.save, Act.SAVED)

    def unsave(self, article_ids: Sequence[str]) -> None:
        """Save stories no longer."""
        self._write(article_ids, lambda tx, user, stories, _: marks.unsave(tx, user, stories), Act.UNSAVED)

    def label(self, name: str, article_ids: Sequence[str], *, remove: bool = False) -> str:
        """Give stories a label, or take it from them; return it as it is written.

        A label that the user has already is found in any case. Raises ``LabelError``.
        """
        user, stories = self._context.user_id, self._to_mark(article_ids)
        with self._unread.change(stories, self._context.inbox_start()) as tx:
            written = written_label(tx, user, name)
            change = marks.remove_label if remove else marks.add_label
            change(tx, user, written, stories)
        return written

    def mark_all_read(
        self,
        wanted: StoryList,
        *,
        above: str = "",
        below: str = "",
        older_than: timedelta | None = None,
        up_to: int | None = None,
        on_screen: Collection[str] = (),
        shown: Sequence[str] = (),
    ) -> tuple[int, datetime]:
        """Mark the stories of a list as read, but not those that were marked as unread.

        Parameters
        ----------
        above, below
            The id of an article: only the stories before or behind its story in the list.
        older_than
            Only what was published longer ago.
        up_to
            ``StoryPage.newest``: only articles up to it, which the user was shown.
        on_screen
            The full ids of articles that were on screen: leaving them unread is a reading event.
        shown
            The full ids of what was shown ``above``, as far as that is known: the order of a list by score changes.

        Returns how many there were, and what ``undo_mark_all_read`` takes. Raises ``UnknownArticleError``,
        ``AmbiguousIdError``, ``StorageError``.
        """
        user, at = self._context.user_id, self._context.clock()
        if older_than is not None:
            limit = at - older_than
            before = min(wanted.only.before or limit, limit)
            wanted = replace(wanted, only=replace(wanted.only, before=before))
        with self._database.write(self._context.user_id) as tx:
            query = replace(self._query(wanted, recent=True), up_to=up_to)
            seqs = story_query.seqs(tx, query)
            if above or below:
                seq = find_article(tx, user, above or below)
                parts = _parts(tx, query, seqs, leads(tx, user, [seq])[seq])
                seqs = parts[0] if above else parts[1]
            if shown and wanted.order is Order.BEST:
                seqs = list(articles.seqs(tx, user, shown).values())
            if up_to is not None:  # of what was saved or found
                seqs = [seq for seq in seqs if seq <= up_to]
            stories = marks.stories(tx, user, seqs)
            seen = articles.seqs(tx, user, list(on_screen)).values()
            self._record_left(tx, [seq for seq in seen if seq in stories], stories, at)
            return marks.read_all(tx, user, [stories[seq] for seq in seqs if seq in stories], at), at

    def undo_mark_all_read(self, at: datetime | None = None) -> int:
        """Make unread what ``mark_all_read`` marked at a time, or the last time; return how many.

        Stories that were marked otherwise since stay as they are. Raises ``UndoError`` when there is nothing to undo.
        """
        with self._database.write(self._context.user_id) as tx:
            when = at or marks.last_read_all(tx, self._context.user_id)
            undone = marks.undo_read_all(tx, self._context.user_id, when) if when else 0
            if when:
                left = reading_events.stories_of(tx, self._context.user_id, Act.LEFT, when)
                record_reading(tx, self._context.user_id, Act.NOT_LEFT, left, self._context.clock())
        if not undone:
            raise UndoError(gettext("there is nothing to undo"))
        return undone

    def _record_left(self, tx: Transaction, seqs: Sequence[int], stories: Mapping[int, int], at: datetime) -> None:
        """Record those stories as left that are about to be marked as read with all others."""
        found = marks.get(tx, self._context.user_id, [stories[seq] for seq in seqs])
        unread = [
            each
            for each in seqs
            if (mark := found.get(stories[each], UNMARKED)).read_at is None and not mark.kept_unread
        ]
        record_reading(tx, self._context.user_id, Act.LEFT, unread, at)

    def _query(
        self, wanted: StoryList, after: str = "", limit: int | None = None, *, recent: bool = False
    ) -> StoryQuery:
        """Return the query of a list; ``recent``: only what arrived within ``inbox_days``."""
        recent = recent or wanted.order is Order.BEST or wanted.only.unread
        section = SECTIONS.get(wanted.name, Section.ALL)
        if wanted.only.unread and section is Section.ALL:
            section = Section.NEWS  # archive is never unread
        return StoryQuery(
            self._context.user_id,
            self._context.inbox_start() if recent else None,
            section,
            wanted.only,
            wanted.words,
            wanted.order,
            after,
            limit,
            kinds=wanted.kinds,
        )

    def _marked(self, tx: Transaction, seqs: Sequence[int]) -> tuple[StoryView, ...]:
        user = self._context.user_id
        stories = marks.stories(tx, user, seqs)
        found = marks.get(tx, user, list(stories.values()))
        listed = listed_stories(tx, user, seqs)
        return tuple(replace(story, mark=found.get(stories.get(seq, 0), UNMARKED)) for seq, story in listed.items())

    def _stories(self, tx: Transaction, article_ids: Sequence[str]) -> list[int]:
        """Return the stories of articles; imported items have none."""
        seqs = [find_article(tx, self._context.user_id, each) for each in article_ids]
        found = marks.stories(tx, self._context.user_id, seqs)
        return list(dict.fromkeys(found[seq] for seq in seqs if seq in found))

    def _to_mark(self, article_ids: Sequence[str]) -> list[int]:
        with self._database.read() as tx:
            stories = self._stories(tx, article_ids)
        if article_ids and not stories:
            raise MarkError(gettext("this article is not in your lists yet; try again in a few minutes"))
        return stories

    def _write(
        self,
        article_ids: Sequence[str],
        change: Callable[[Transaction, int, list[int], datetime], None],
        act: Act | None = None,
    ) -> None:
        user, at, since = self._context.user_id, self._context.clock(), self._context.inbox_start()
        stories = self._to_mark(article_ids)
        with self._unread.change(stories, since) as tx:
            change(tx, user, stories, at)
            if act is not None:
                record_reading(tx, user, act, stories, at)


def _parts(tx: Transaction, query: StoryQuery, seqs: list[int], leader: int) -> tuple[list[int], list[int]]:
    """Return what stands before a story in a list, and what behind it.

    One that is not in the list any more, since it is read or old, still has its place in a list by time.
    """
    if leader in seqs:
        return seqs[: seqs.index(leader)], seqs[seqs.index(leader) + 1 :]
    place = story_query.place_of(tx, query, leader) if query.order is Order.NEWEST else ""
    behind = story_query.seqs(tx, replace(query, after=place)) if place else seqs
    return seqs[: len(seqs) - len(behind)], behind if place else []


def written_label(tx: Transaction, user_id: int, name: str) -> str:
    """Return a label as the user writes it: one that they have is found in any case. Raises ``LabelError``."""
    wanted = one_line(name)
    known = {each.casefold(): each for each in marks.label_counts(tx, user_id)}
    if wanted.casefold() in known:
        return known[wanted.casefold()]
    if not wanted or len(wanted) > MAX_LABEL or wanted != line(wanted):
        raise LabelError(gettext("a label has 1 to %(number)s visible characters", number=MAX_LABEL))
    return wanted
