"""What a feed of digests holds, in whatever format: one item for each recommended story of the last editions.

An item's id and address never change, whenever the feed is written. What is drawn to be explored stays out: a feed has
what is recommended, and only where one answers does exploring teach.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from uuid import UUID, uuid5

from iscore.presentation.digest.layout import Edition, Entry, edition
from iscore.presentation.html import render
from iscore.presentation.wording.addresses import web_address
from iscore.presentation.wording.scores import STRENGTHS
from iscore.services.views.digests import DigestListView

TITLE = "iScore"
DESCRIPTION = "What iScore recommends, the last editions."


@dataclass(frozen=True, slots=True)
class Item:
    """One recommended story."""

    id: str
    """A URN."""
    title: str
    url: str
    """An http or https address, or empty."""
    related: tuple[tuple[str, str], ...]
    """Title and address of the other feeds' tellings, and of the page where one answers."""
    author: str
    published: datetime | None
    updated: datetime
    """When its digest was made; a second less for each number, so that a reader that sorts by it has the best first."""
    category: str
    html: str
    entry: Entry
    edition: Edition


@dataclass(frozen=True, slots=True)
class Feed:
    """The last editions as one feed."""

    id: str
    """A URN."""
    address: str
    """Where it is published, or empty."""
    updated: datetime
    items: tuple[Item, ...]
    """The newest edition first, and in each the best."""


def feed_of(view: DigestListView, *, zone: tzinfo | None = UTC) -> Feed:
    """Lay the last editions out as a feed; times in words are told in ``zone``. Pure."""
    identity = UUID(view.identity)
    worded = [edition(each, zone=zone) for each in view.editions]
    items = [item for each in worded for item in _items(identity, each)]
    return Feed(
        id=identity.urn,
        address=web_address(view.feed_address),
        updated=max((each.made for each in worded), default=view.at),
        items=tuple(items),
    )


def _items(identity: UUID, worded: Edition) -> Sequence[Item]:
    return [
        _item(identity, worded, section.heading, entry)
        for section in worded.sections
        if section.name != "explore"
        for entry in section.entries
    ]


def _item(identity: UUID, worded: Edition, category: str, entry: Entry) -> Item:
    story = entry.story
    related = [(other.source, other.url) for other in story.others if other.url]
    if entry.answer:
        related.append(("Like or dislike", entry.answer))
    return Item(
        id=uuid5(identity, story.id).urn,
        title=story.title,
        url=story.url,
        related=tuple(related),
        author=f"{story.author} ({story.source})" if story.author else story.source,
        published=story.time.astimezone(UTC),
        updated=(worded.made - timedelta(seconds=entry.number)).astimezone(UTC).replace(microsecond=0),
        category=category,
        html=render(
            "iscore.presentation.digest", "feed_item.html", entry=entry, edition=worded, strengths=STRENGTHS
        ).strip(),
        entry=entry,
        edition=worded,
    )
