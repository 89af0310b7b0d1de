"""What ``services.subscriptions`` answers beside ``FeedView``: frozen values, ready to be shown or serialised."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FeedStatistics:
    """What one feed has brought to the person. Stories count for each feed that carried them."""

    url: str
    """As in ``FeedView``."""
    title: str
    articles: int
    recommended: int
    likes: int
    dislikes: int
    skips: int
    share: float | None
    """Of likes among likes and dislikes; None without any."""
    hint: str
    """Why one might stop following it; empty when nothing speaks for that, or too little is known."""


@dataclass(frozen=True, slots=True)
class FoundFeed:
    """A feed that a page names."""

    url: str
    title: str
    """The page's name for it; may be empty."""


@dataclass(frozen=True, slots=True)
class FeedChoice:
    """A page with several feeds, none of which was followed."""

    page: str
    feeds: tuple[FoundFeed, ...]


@dataclass(frozen=True, slots=True)
class RefusedFeed:
    """An address, or the name of what has none, and what is wrong with it."""

    url: str
    reason: str


@dataclass(frozen=True, slots=True)
class AddedFeeds:
    """What became of addresses that a person gave."""

    added: tuple[str, ...]
    already_there: int
    choices: tuple[FeedChoice, ...] = ()
    refused: tuple[RefusedFeed, ...] = ()
    unseen: tuple[RefusedFeed, ...] = ()
    """Followed as they were given, since they could not be looked at, and why."""


@dataclass(frozen=True, slots=True)
class ImportedFeeds:
    """What became of another reader's list."""

    added: tuple[str, ...]
    already_there: int
    refused: tuple[RefusedFeed, ...]
    """The first of them."""
    more_refused: int = 0
    """How many there are beside those."""
    left_out: int = 0
    """Feeds for which there is no room: ten thousand may be brought along."""


@dataclass(frozen=True, slots=True)
class ExportedFeeds:
    """The subscriptions as OPML."""

    opml: str
    feeds: int
    without_password: int
    """Feeds whose user name and password were left out."""
