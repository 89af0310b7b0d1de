"""What client apps read and mark: the user's stories as items of streams, and folders.

    stars, labels, read, unread ─► marks, verdicts ─► what all pages show, too
    tags of feeds ─► the first is the folder ─► its number, which stays

What a mark means can be chosen for each app (``AppOption``). An app sends the state that it wants, not a change: the
same sent again does nothing more, and no verdict is recorded twice.

Some apps know folders by numbers, and put each feed into one. A feed without tags is in the folder ``NO_FOLDER``.
Numbers are given when an app lists folders; one that only feeds had is forgotten when none has it any more, and one
that an app has made stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from html import escape

from iscore.core.errors import IscoreError
from iscore.core.sanitizing import line
from iscore.core.translation import UNTITLED, gettext
from iscore.services.apps.story_edits import Options, StoryEdit
from iscore.services.reading.contents import text_html
from iscore.services.reading.icons import Icons
from iscore.services.reading.reader import written_label
from iscore.services.rules.rule_application import RuleApplication
from iscore.services.session.user_session import UserSession
from iscore.services.subscriptions.subscriptions import Subscriptions
from iscore.services.views.other_programs import ClientFeed, ClientFolder, ClientItem, UnreadCount
from iscore.services.views.stories import EnclosureView
from storage.engine.base_database import Transaction
from storage.log import marks
from storage.opening.database import ARRIVALS
from storage.people import folders
from storage.records.articles import Article, Content
from storage.records.feeds import Folder, Subscription
from storage.records.stories import UNMARKED, Item, Mark
from storage.records.users import AppOption
from storage.stories import client_items
from storage.stories.client_items import ItemFilter, Page, Stream, Unread
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
        """List the numbers of items, the newest first, from behind the number ``after``."""
        self._rules.apply()
        user, unread = self._context.user_id, self._unread(options)
        with self._database.read() as tx:
            return client_items.numbers(tx, user, unread, wanted, after=after, limit=limit, oldest_first=oldest_first)

    def page(self, options: Options, wanted: ItemFilter, part: Page) -> tuple[list[int], int]:
        """List the numbers of a part of the items in some order, and count all of them."""
        self._rules.apply()
        with self._database.read() as tx:
            return client_items.page(tx, self._context.user_id, self._unread(options), wanted, part)

    def count(self) -> int:
        """Count all items."""
        with self._database.read() as tx:
            return client_items.count(tx, self._context.user_id)

    def items(self, options: Options, numbers: Sequence[int]) -> list[ClientItem]:
        """Return items by their numbers, in this order; those that the user does not have are left out."""
        self._rules.apply()
        user = self._context.user_id
        with self._database.read() as tx:
            found = client_items.get(tx, user, self._unread(options), list(dict.fromkeys(numbers)))
            seqs = [each.seq for each in found]
            texts = {each.seq: each for each in articles.get(tx, seqs)}
            html = contents.get_all(tx, seqs)
            names = feed_names.shown(tx, user, [each.feed_id for each in found])
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
            counts = client_items.unread_counts(tx, self._context.user_id, self._unread(options))
        return {feed: UnreadCount(count, newest) for feed, (count, newest) in counts.items()}

    def read_counts(self, options: Options) -> dict[int, int]:
        """Count the read items of each feed; feeds without any are left out."""
        self._rules.apply()
        with self._database.read() as tx:
            return client_items.read_counts(tx, self._context.user_id, self._unread(options))

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
            items = client_items.get(tx, user, self._unread(options), list(dict.fromkeys(numbers)))
            edit = StoryEdit(tx, user, at, items, options)
            for stream in remove:
                edit.remove(stream)
            for stream in add:
                edit.add(stream)
            return edit.recorded

    def mark_all_read(self, options: Options, stream: Stream, before: datetime | None = None) -> int:
        """Mark the unread items of a stream as read that arrived ``before``, but not those that were kept unread.

        Returns how many there were.
        """
        user, at = self._context.user_id, self._context.clock()
        with self._database.write(user) as tx:
            wanted = ItemFilter(stream, before=before)
            stories = client_items.unread_stories(tx, user, self._unread(options), wanted)
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

    def _unread(self, options: Options) -> Unread:
        return Unread(self._context.inbox_start(), hidden=AppOption.HIDDEN_UNREAD in options)


def _client_item(
    item: Item,
    article: Article,
    content: Content | None,
    *,
    feed_name: str,
    folders: tuple[str, ...],
    mark: Mark,
    pictures: bool,
) -> ClientItem:
    from iscore.feeds.urls import safe_url

    found = content or Content()
    enclosures = [EnclosureView(safe_url(each.url), each.type, each.length) for each in found.enclosures]
    is_dated = article.published is not None and article.published < article.arrived
    return ClientItem(
        id=article.id,
        title=line(heading(article.title, article.text)) or gettext(UNTITLED),
        url=safe_url(article.url),
        source=feed_name,
        author=line(article.author),
        published=article.published if is_dated and article.published else article.arrived,
        arrived=article.arrived,
        text="",
        language=article.language,
        verdict=item.verdict,
        mark=mark,
        state=item,
        folders=folders,
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


NO_FOLDER = 1
"""The number of the folder of feeds that are in none."""


class FolderExistsError(IscoreError):
    """There is a folder of this name."""


class ClientFolders:
    """One user's folders."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context
        self._apps = session.service(ClientApps)
        self._subscriptions = session.service(Subscriptions)

    def all(self) -> list[ClientFolder]:
        """List the folders in the order of their numbers, first that of feeds without any."""
        members: dict[str, list[ClientFeed]] = {"": []}
        names: dict[str, str] = {}
        for feed in self._apps.feeds():
            name = feed.folders[0] if feed.folders else ""
            names.setdefault(name.casefold(), name)
            members.setdefault(name.casefold(), []).append(feed)
        numbered = self._numbered([name for name in names.values() if name])
        rest = [
            ClientFolder(each.number, names.get(each.name.casefold(), each.name), tuple(members.get(key, ())))
            for each in numbered
            for key in (each.name.casefold(),)
        ]
        return [ClientFolder(NO_FOLDER, "", tuple(members[""])), *rest]

    def create(self, name: str) -> int:
        """Make an empty folder and return its number. Raises ``FolderExistsError``."""
        wanted = self._free(name)
        with self._database.write(self._context.user_id) as tx:
            return folders.add(tx, self._context.user_id, wanted, made=True)

    def rename(self, number: int, name: str) -> None:
        """Give a folder another name; its number stays. Raises ``FolderExistsError``, ``SubscriptionsError``."""
        old = self._name(number)
        wanted = self._free(name, but=number)
        if old and wanted != old:
            with self._database.write(self._context.user_id) as tx:
                folders.rename(tx, self._context.user_id, number, wanted)
            self._subscriptions.rename_folder(old, wanted)

    def remove(self, number: int) -> None:
        """Remove a folder; its feeds stay, without it. Raises ``SubscriptionsError``."""
        name = self._name(number)
        if name:
            self._subscriptions.rename_folder(name)
            with self._database.write(self._context.user_id) as tx:
                folders.remove(tx, self._context.user_id, [number])

    def put(self, feed: int, number: int) -> None:
        """Put a feed into a folder in place of the one that it is in. Raises ``UnknownFeedError``,
        ``SubscriptionsError``.
        """
        name = self._name(number)

        def changed(mine: Subscription) -> Subscription:
            rest = [tag for tag in mine.tags[1:] if tag.casefold() != name.casefold()]
            return replace(mine, tags=(name, *rest) if name else ())

        self._subscriptions.change(feed, changed)

    def _name(self, number: int) -> str:
        return next((each.name for each in self.all() if each.number == number), "")

    def _free(self, name: str, but: int = 0) -> str:
        wanted = line(name)
        others = {each.name.casefold() for each in self.all() if each.number != but}
        if wanted.casefold() in others:
            raise FolderExistsError(wanted)
        return wanted

    def _numbered(self, names: list[str]) -> list[Folder]:
        """Return the folders of some names, and those that apps have made; give numbers where there are none."""
        user = self._context.user_id
        used = {name.casefold() for name in names}
        with self._database.read() as tx:
            known = folders.list_folders(tx, user)
        have = {each.name.casefold() for each in known}
        if used <= have and all(each.made or each.name.casefold() in used for each in known):
            return known
        with self._database.write(user) as tx:
            known = folders.list_folders(tx, user)
            have = {each.name.casefold() for each in known}
            folders.remove(
                tx, user, [each.number for each in known if not each.made and each.name.casefold() not in used]
            )
            for name in names:
                if name.casefold() not in have:
                    folders.add(tx, user, name, made=False)
            return folders.list_folders(tx, user)
