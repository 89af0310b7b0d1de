"""Digests and their mails.

A ``DigestView`` is stored as it was made (``digest_serialization``): a new field needs a default, so that what was kept
before it can still be read.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from iscore.services.views.status import StatusView
from iscore.services.views.stories import StoryView
from storage.records.deliveries import MailState

SECTIONS = ("recommended", "by_interest", "stories", "rare", "explore")
"""Of a digest, in the order of its numbers."""


@dataclass(frozen=True, slots=True)
class DigestView:
    """A day's digest. Numbers run through ``recommended``, ``by_interest``, ``stories``, ``rare`` and ``explore``."""

    date: dt.date
    recommended: tuple[StoryView, ...]
    """The best, best first."""
    explore: tuple[StoryView, ...]
    """From below the threshold, to learn from."""
    considered: int
    """Stories that the digest chose from: undecided, and in no digest before."""
    status: StatusView
    """As it was when the digest was made."""
    by_interest: tuple[StoryView, ...] = ()
    """Recommended too, those of one interest behind each other."""
    stories: tuple[StoryView, ...] = ()
    """Recommended too, and in several feeds."""
    rare: tuple[StoryView, ...] = ()
    """From feeds that publish seldom: recommended too, or not far below the threshold."""
    below: tuple[StoryView, ...] = ()
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
    def numbered(self) -> tuple[StoryView, ...]:
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


@dataclass(frozen=True, slots=True)
class MailingView:
    """What became of the mail of one digest."""

    digest: str
    """The digest's date, ``YYYY-MM-DD``."""
    state: MailState
    recipient: str
    message_id: str
    attempts: int
    at: dt.datetime
    """Of the last change."""
    next_attempt: dt.datetime | None
    """Of a waiting mail: not before. None when it is not tried again by itself, or at once."""
    error: str
    """Why the last attempt failed; empty when it did not."""
    advice: str
    """What the user may do; empty when nothing needs doing."""
    made: bool
    """Whether the digest has been made, so that its articles are in no other."""


@dataclass(frozen=True, slots=True)
class TrialMailView:
    """A test message that the server has accepted."""

    recipient: str
    sender: str
    server: str
    """Host and port."""
    security: str
    answer: str
    """The server's answer."""
