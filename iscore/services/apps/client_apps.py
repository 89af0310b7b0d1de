"""What client apps read and mark: the user's stories as items of streams.

    stars, labels, read, unread ─► marks, verdicts ─► what all pages show, too

What a mark means can be chosen for each app (``AppOption``). An app sends the state that it wants, not a change: the
same sent again does nothing more, and no verdict is recorded twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from html import escape

from iscore.core.sanitizing import line
from iscore.core.translation import UNTITLED, gettext
from iscore.filtering.delivery.limits import is_trained
from iscore.filtering.delivery.tuning import MIN_VERDICTS
from iscore.services.apps.story_edits import Options, StoryEdit
from iscore.services.reading.contents import text_html
from iscore.services.reading.icons import Icons
from iscore.services.reading.reader import written_label
from iscore.services.rules.rule_application import RuleApplication
from iscore.services.session.user_session import UserSession
from iscore.services.views.other_programs import ClientFeed, ClientItem, UnreadCount
from iscore.services.views.stories import EnclosureView
from storage.engine.base_database import Transaction
from storage.log import feedback, marks
from storage.opening.database import ARRIVALS
from storage.records.articles import Article, Content
from storage.records.stories import UNMARKED, Item, Mark
from storage.records.users import AppOption, Kind
from storage.stories import client_items
from storage.stories.client_items import ItemFilter, Page, Stream, Unread
from storage.stories.places import Place
from storage.stream import articles, contents, feed_names, feeds
from storage.stream.addresses import address_without_password
from storage.stream.headings import heading


class ClientApps:
    """One user's items. Lists raise ``RulesError`` when the rules are invalid."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context
        self._rules = session.service(RuleApplication)
        self._icons = session.service(Icons)

    def numbers(
        self, options: Options, wanted: ItemFilter, *, after: int | None, limit: int | None, oldest_first: bool = False
    ) -> list[int]:
        """List the numbers of items, the last to arrive first, from behind the number ``after``."""
        self._rules.apply()
        user = self._context.user_id
        with self._database.read() as tx:
            unread = self._unread(tx, options)
            return client_items.numbers(tx, user, unread, wanted, after=after, limit=limit, oldest_first=oldest_first)

    def places(
        self,
        options: Options,
        wanted: ItemFilter,
        *,
        after: Place | None,
        limit: int | None,
        oldest_first: bool = False,
    ) -> list[Place]:
        """List the places of items by publication, the newest first, from behind ``after``."""
        self._rules.apply()
        user = self._context.user_id
        with self._database.read() as tx:
            unread = self._unread(tx, options)
            return client_items.places(tx, user, unread, wanted, after=after, limit=limit, oldest_first=oldest_first)

    def page(self, options: Options, wanted: ItemFilter, part: Page) -> tuple[list[int], int]:
        """List the numbers of a part of the items in some order, and count all of them."""
        self._rules.apply()
        with self._database.read() as tx:
            return client_items.page(tx, self._context.user_id, self._unread(tx, options), wanted, part)

    def count(self) -> int:
        """Count all items."""
        with self._database.read() as tx:
            return client_items.count(tx, self._context.user_id)

    def items(self, options: Options, numbers: Sequence[int]) -> list[ClientItem]:
        """Return items by their numbers, in this order; those that the user does not have are left out."""
        self._rules.apply()
        user = self._context.user_id
        with self._database.read() as tx:
            found = client_items.get(tx, user, self._unread(tx, options), list(dict.fromkeys(numbers)))
            seqs = [each.seq for each in found]
            texts = {each.seq: each for each in articles.get(tx, seqs)}
            html = contents.get_all(tx, seqs)
            names = feed_names.shown(tx, user, [each.feed_id for each in found])
            sites = feed_names.pages(tx, [each.feed_id for each in found])
            folders = {number: each.tags for number, each in feed_names.followed(tx, user).items()}
            marked = marks.get(tx, user, [each.story for each in found])
        pictures = self._context.settings.pictures
        return [
            _client_item(
                each,
                texts[each.seq],
                html.get(each.seq),
                feed_name=line(names[each.feed_id]),
                folders=_folders(folders.get(each.feed_id, ())),
                site=address_without_password(sites[each.feed_id]),
                followed=each.feed_id in folders,
                mark=marked.get(each.story, UNMARKED),
                pictures=pictures,
            )
            for each in found
        ]

    def feeds(self) -> list[ClientFeed]:
        """List what the user follows, in their order."""
        user = self._context.user_id
        with self._database.read() as tx:
            names = feed_names.followed(tx, user)
            followed = feeds.followed(tx, user)
        icons = self._icons.keys()
        return [
            ClientFeed(
                number=feed.id,
                name=line(names[feed.id].shown) or address_without_password(mine.url),
                url=address_without_password(mine.url),
                site=address_without_password(feed.site_url),
                icon=icons.get(feed.id, ""),
                updated=feed.last_success,
                folders=_folders(mine.tags),
                asked=feed.last_attempt,
                due=feed.next_due,
                failures=feed.failures,
                error=line(feed.error),
                paused=not mine.enabled,
                fulltext=mine.fulltext,
            )
            for mine, feed in followed
        ]

    def labels(self) -> list[str]:
        """List the user's labels in alphabetical order."""
        with self._database.read() as tx:
            return list(marks.label_counts(tx, self._context.user_id))

    def unread_counts(self, options: Options) -> dict[int, UnreadCount]:
        """Count the unread items of each feed; feeds without any are left out."""
        self._rules.apply()
        with self._database.read() as tx:
            counts = client_items.unread_counts(tx, self._context.user_id, self._unread(tx, options))
        return {feed: UnreadCount(count, newest) for feed, (count, newest) in counts.items()}

    def read_counts(self, options: Options) -> dict[int, int]:
        """Count the read items of each feed; feeds without any are left out."""
        self._rules.apply()
        with self._database.read() as tx:
            return client_items.read_counts(tx, self._context.user_id, self._unread(tx, options))

    def refresh(self, numbers: Sequence[int]) -> None:
        """Have the next poll ask feeds that the user follows; those that failed keep waiting."""
        with self._database.write(ARRIVALS) as tx:
            feeds.bring_forward(tx, self._context.user_id, numbers, self._context.clock())

    def edit(
        self, options: Options, numbers: Sequence[int], add: Iterable[Stream], remove: Iterable[Stream] = ()
    ) -> bool:
        """Take items out of the streams ``remove``, then put them into those of ``add``; return whether a verdict
        was recorded.

        Streams that only the filter fills, such as ``State.BEST``, stay as they are, and so do items that the user does
        not have. When this returns it is on disk. Raises ``LabelError``, with nothing changed.
        """
        user, at = self._context.user_id, self._context.clock()
        with self._database.write(user, durable=True) as tx:
            items = client_items.get(tx, user, self._unread(tx, options), list(dict.fromkeys(numbers)))
            edit = StoryEdit(tx, user, at, items, options)
            for stream in remove:
                edit.remove(stream)
            for stream in add:
                edit.add(stream)
            return edit.recorded

    def mark_all_read(
        self, options: Options, stream: Stream, before: datetime | None = None, feeds: Sequence[int] | None = None
    ) -> int:
        """Mark the unread items of a stream as read that arrived ``before``, but not those that were kept unread.

        With ``feeds`` only items of these. Returns how many there were.
        """
        user, at = self._context.user_id, self._context.clock()
        with self._database.write(user) as tx:
            wanted = ItemFilter(stream, before=before, feeds=None if feeds is None else tuple(feeds))
            stories = client_items.unread_stories(tx, user, self._unread(tx, options), wanted)
            return marks.read_all(tx, user, stories, at)

    def rename_label(self, old: str, new: str) -> bool:
        """Give a label another name; return whether the user had it. Raises ``LabelError``."""
        user = self._context.user_id
        with self._database.write(user) as tx:
            found = self._label(tx, old)
            if found:
                wanted = written_label(tx, user, new)
                marks.rename_label(tx, user, found, " ".join(new.split()) if wanted == found else wanted)
            return bool(found)

    def delete_label(self, name: str) -> bool:
        """Take a label from all stories; return whether the user had it."""
        with self._database.write(self._context.user_id) as tx:
            found = self._label(tx, name)
            if found:
                marks.delete_label(tx, self._context.user_id, found)
            return bool(found)

    def _label(self, tx: Transaction, name: str) -> str:
        known = marks.label_counts(tx, self._context.user_id)
        return next((each for each in known if each.casefold() == name.casefold()), "")

    def _unread(self, tx: Transaction, options: Options) -> Unread:
        """While few verdicts say what to hide, an app would have next to nothing unread, as if it were broken."""
        user = self._context.user_id
        likes, dislikes = (feedback.count(tx, user, kind, MIN_VERDICTS) for kind in (Kind.LIKE, Kind.DISLIKE))
        return Unread(
            self._context.inbox_start(),
            hidden=AppOption.HIDDEN_UNREAD in options,
            learning=not is_trained(likes, dislikes),
        )


def _client_item(
    item: Item,
    article: Article,
    content: Content | None,
    *,
    feed_name: str,
    folders: tuple[str, ...],
    site: str,
    followed: bool,
    mark: Mark,
    pictures: bool,
) -> ClientItem:
    from iscore.feeds.urls import safe_url

    found = content or Content()
    enclosures = [EnclosureView(safe_url(each.url), each.type, each.length) for each in found.enclosures]
    return ClientItem(
        id=article.id,
        title=line(heading(article.title, article.text)) or gettext(UNTITLED),
        url=safe_url(article.url),
        source=feed_name,
        author=line(article.author),
        published=item.dated,
        arrived=article.arrived,
        text="",
        language=article.language,
        verdict=item.verdict,
        mark=mark,
        state=item,
        folders=folders,
        site=site,
        followed=followed,
        html=_html(article.text, found, pictures=pictures),
        enclosures=tuple(each for each in enclosures if each.url),
    )


def _html(text: str, content: Content, *, pictures: bool) -> str:
    """Return an article's content, cleaned again; pictures have their publishers' addresses."""
    from iscore.feeds.parsing.article_html import article_html, first_picture
    from iscore.feeds.urls import safe_url

    html = article_html(content.html, picture=None if pictures else lambda _: "") or text_html(text)
    lead = safe_url(content.thumbnail) if pictures and content.thumbnail and not first_picture(html) else ""
    return f'<p><img src="{escape(lead)}" alt=""></p>{html}' if lead else html


def _folders(tags: Iterable[str]) -> tuple[str, ...]:
    return tuple(filter(None, map(line, tags)))
