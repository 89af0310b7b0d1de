"""What ``iscore.services.digests.digests`` answers: frozen values, ready to be shown or serialised.

A ``DigestView`` is stored as it was made (``digest_serialization``): a new field needs a default, so that what was kept
before it can still be read.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from iscore.services.views.inbox import InboxItem, ListedStory
from iscore.services.views.status import StatusView


@dataclass(frozen=True, slots=True)
class DigestView:
    """A day's digest. Numbers run through ``recommended``, ``by_interest``, ``stories``, ``rare`` and ``explore``."""

    date: dt.date
    recommended: tuple[ListedStory, ...]
    """The best, best first."""
    explore: tuple[ListedStory, ...]
    """From below the threshold, to learn from."""
    considered: int
    """Stories that the digest chose from: undecided, and in no digest before."""
    status: StatusView
    """As it was when the digest was made."""
    by_interest: tuple[ListedStory, ...] = ()
    """Recommended too, those of one interest behind each other."""
    stories: tuple[ListedStory, ...] = ()
    """Recommended too, and in several feeds."""
    rare: tuple[ListedStory, ...] = ()
    """From feeds that publish seldom: recommended too, or not far below the threshold."""
    below: tuple[InboxItem, ...] = ()
    """Held back, but not by much, the nearest first: not delivered, and without numbers."""
    hidden: int = 0
    """Of ``considered``: in none of the sections because the threshold or a rule kept them out."""
    arrived: int = 0
    """All stories that arrived in the days that the digest chose from, decided or delivered or not."""
    made: dt.datetime | None = None
    """None for a digest of an earlier version."""
    serve_address: str = ""
    """The address of `iscore serve`, from the settings now; empty without one."""
    rated: int = 0
    """Numbered stories that are left out because the user has rated them since the digest was made."""

    filtered: bool = False
    """Whether stories were left out that do not fit what was asked for; never in a digest that is stored."""

    @property
    def numbered(self) -> tuple[ListedStory, ...]:
        """All that was delivered, by number."""
        return (*self.recommended, *self.by_interest, *self.stories, *self.rare, *self.explore)


@dataclass(frozen=True, slots=True)
class DigestListView:
    """A user's last digests, for a feed."""

    identity: str
    """A UUID of this user's digests; it never changes."""
    digests: tuple[DigestView, ...]
    """The newest first; only such as delivered something."""
    at: dt.datetime
    """When they were asked for."""
    feed_address: str = ""
    """The address at which the feed is published, from the settings; empty without one."""
