"""Personal feeds: what a user's filter chooses, for any reader of feeds.

key of the user ─► secret addresses, signed links (``web.security.signed_addresses``)
list ─► items: recommended, maybe, saved, a search, a followed feed without what is hidden
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from iscore.core.translation import gettext, gettext_noop
from iscore.services.apps.client_apps import ClientApps
from iscore.services.learning.verdicts import record
from iscore.services.reading.search import Search
from iscore.services.session.user_session import UserSession
from iscore.services.views.other_programs import ClientItem
from storage.people import users
from storage.records.users import Kind
from storage.stories import client_items, story_query
from storage.stories.client_items import ItemFilter, State, Stream, Unread
from storage.stories.story_query import Order, StoryQuery
from storage.stream import articles
from storage.stream.visibility import leads

MOST_ITEMS = 50
"""Items in a feed."""


class PersonalList(StrEnum):
    """The lists that are feeds without more to say."""

    RECOMMENDED = "recommended"
    MAYBE = "maybe"
    SAVED = "saved"


TITLES = {
    PersonalList.RECOMMENDED: gettext_noop("For you"),
    PersonalList.MAYBE: gettext_noop("Maybe"),
    PersonalList.SAVED: gettext_noop("Saved"),
}
_STATES = {
    PersonalList.RECOMMENDED: State.LISTED,
    PersonalList.MAYBE: State.MAYBE,
    PersonalList.SAVED: State.STARRED,
}


@dataclass(frozen=True, slots=True)
class PersonalFeed:
    """A feed."""

    title: str
    items: tuple[ClientItem, ...]
    """The last to arrive first; of a search the last published."""


class PersonalFeeds:
    """One user's feeds."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context
        self._apps = session.service(ClientApps)
        self._search = session.service(Search)

    def key(self) -> str:
        """Return the key of the addresses; empty without any."""
        with self._database.read() as tx:
            return users.feeds_key(tx, self._context.user_id)

    def renew(self) -> None:
        """Make new addresses: those of before, and the links in their entries, lead nowhere then."""
        self._set(secrets.token_urlsafe(24))

    def end(self) -> None:
        """Have no addresses any more."""
        self._set("")

    def listed(self, name: PersonalList) -> PersonalFeed:
        """Return the feed of a list. This and the next two raise ``RulesError`` when the rules are invalid."""
        return self._feed(gettext(TITLES[name]), ItemFilter(Stream(_STATES[name])))

    def of_feed(self, number: int) -> PersonalFeed | None:
        """Return a followed feed without what is hidden; None for one that is not followed."""
        name = next((each.name for each in self._apps.feeds() if each.number == number), None)
        if name is None:
            return None
        return self._feed(name, ItemFilter(Stream(State.LISTED), only=(Stream(with_feed=number),)))

    def found(self, query: str) -> PersonalFeed:
        """Return what a search finds. Raises ``SearchError``, ``StorageError`` for an unknown name."""
        return PersonalFeed(query, tuple(self._apps.items((), self.matching(query))))

    def matching(self, query: str, *, most: int = MOST_ITEMS) -> list[int]:
        """Return the numbers of the stories that a search finds, the newest first. Raises as ``found``."""
        wanted = self._search.parse(query)
        order = Order.FOUND if wanted.words else Order.NEWEST
        stories = StoryQuery(self._context.user_id, only=wanted.only, words=wanted.words, order=order, limit=most)
        with self._database.read() as tx:
            return story_query.seqs(tx, stories)

    def numbers(self, article_ids: Sequence[str]) -> dict[str, int]:
        """Return the numbers of stories by the ids of their articles; those that the user may not see are left out."""
        user = self._context.user_id
        with self._database.read() as tx:
            seqs = articles.seqs(tx, user, article_ids)
            leading = leads(tx, user, list(seqs.values()))
        return {name: leading[seq] for name, seq in seqs.items() if seq in leading}

    def story(self, number: int) -> ClientItem | None:
        """Return a story; None if the user does not have it."""
        return next(iter(self._apps.items((), [number])), None)

    def rate(self, number: int, kind: Kind) -> bool:
        """Record a verdict on a story, or undo it; return whether that changed anything: the same again does not.

        When this returns it is on disk.
        """
        user, at = self._context.user_id, self._context.clock()
        with self._database.write(user, durable=True) as tx:
            found = client_items.get(tx, user, Unread(self._context.inbox_start()), [number])
            if not found or found[0].verdict is (None if kind is Kind.UNDO else kind):
                return False
            record(tx, user, [(kind, number)], at)
            return True

    def _feed(self, title: str, wanted: ItemFilter) -> PersonalFeed:
        numbers = self._apps.numbers((), wanted, after=None, limit=MOST_ITEMS)
        return PersonalFeed(title, tuple(self._apps.items((), numbers)))

    def _set(self, key: str) -> None:
        with self._database.write(self._context.user_id, durable=True) as tx:
            users.set_feeds_key(tx, self._context.user_id, key)
