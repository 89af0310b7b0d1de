"""The items of the digest feed (Atom, JSON Feed): the stories of the last digests.

The id and URL of an item never change. Explored stories are left out where a reader of the feed cannot vote on them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from types import MappingProxyType
from uuid import UUID, uuid5

from iscore.core.translation import gettext, gettext_noop
from iscore.presentation.digest.layout import Digest, build_digest
from iscore.presentation.digest.render_html import rating_links, render_item
from iscore.presentation.wording.story import StoryEntry, web_address
from iscore.services.views.digests import DigestListView

TITLE = "iScore"
DESCRIPTION = gettext_noop("Recommended by iScore.")
_NO_PAGES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Item:
    """One story."""

    id: str
    """A URN."""
    title: str
    url: str
    """An http or https address, or empty."""
    related: tuple[tuple[str, str], ...]
    """Title and URL of the other sources, and of the page with the vote buttons."""
    author: str
    published: datetime | None
    updated: datetime
    """When its digest was made, minus a second per number, so that sorting by it puts the best first."""
    category: str
    html: str
    entry: StoryEntry
    digest: Digest


@dataclass(frozen=True, slots=True)
class Feed:
    """The feed."""

    id: str
    """A URN."""
    address: str
    """Its URL, or empty."""
    updated: datetime
    items: tuple[Item, ...]
    """Newest digest first; in each, best first."""


def feed_of(view: DigestListView, *, zone: tzinfo | None = UTC, pages: Mapping[str, str] = _NO_PAGES) -> Feed:
    """Build the feed of the last digests; times in words are in ``zone``.

    ``pages`` has the addresses at which anybody who reads the feed can rate stories, by the ids of their articles.
    """
    identity = UUID(view.identity)
    digest = [build_digest(each, zone=zone) for each in view.digests]
    items = [item for each in digest for item in _items(identity, each, pages)]
    return Feed(
        id=identity.urn,
        address=web_address(view.feed_address),
        updated=max((each.made for each in digest), default=view.at),
        items=tuple(items),
    )


def _items(identity: UUID, digest: Digest, pages: Mapping[str, str]) -> Sequence[Item]:
    return [
        _item(identity, digest, section.heading, entry, pages.get(entry.id, ""))
        for section in digest.sections
        for entry in section.entries
        if section.name != "explore" or entry.id in pages
    ]


def _item(identity: UUID, digest: Digest, category: str, entry: StoryEntry, page: str) -> Item:
    related = [(other.source, other.url) for other in entry.others if other.url]
    if page or entry.answer:
        related.append((gettext("Like or dislike"), page or entry.answer))
    if page:
        entry = replace(entry, answer="")  # the links at the end need no sign-in
    return Item(
        id=uuid5(identity, entry.id).urn,
        title=entry.title,
        url=entry.url,
        related=tuple(related),
        author=f"{entry.author} ({entry.source})" if entry.author else entry.source,
        published=entry.time.astimezone(UTC),
        updated=(digest.made - timedelta(seconds=entry.number)).astimezone(UTC).replace(microsecond=0),
        category=category,
        html=render_item(entry, digest) + (rating_links(page) if page else ""),
        entry=entry,
        digest=digest,
    )
