"""Feeds: subscriptions, their state and statistics, and what a poll did."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from storage.records.feeds import FetchCounts


@dataclass(frozen=True, slots=True)
class HubView:
    """A hub that a feed names, and that has been asked to push its new articles (WebSub)."""

    host: str
    state: str
    """``pushes``; ``misses``: a poll has found what it had not pushed; ``asked``: it has not agreed, or not again."""
    until: datetime | None
    """When what was agreed ends, if it is not renewed before; None before the hub has agreed."""
    error: str
    """Why it could not be asked, or what it refuses; empty otherwise."""


@dataclass(frozen=True, slots=True)
class FeedView:
    """One subscription and how its feed is doing."""

    url: str
    """As the user wrote it, but without user name and password."""
    title: str
    tags: tuple[str, ...]
    enabled: bool
    articles: int
    last_success: datetime | None
    next_due: datetime | None
    error: str
    """Why the last attempt failed; empty when it did not."""
    last_attempt: datetime | None = None
    failures: int = 0
    """Failed attempts since the last success."""
    newest: datetime | None = None
    """When its newest article was published, at the latest at its arrival; None without one, or if it has no date."""
    per_week: float | None = None
    """Articles a week, over the last four; None until it has been followed for a week."""
    state: str = "well"
    """How it is doing, in a word: see ``iscore.feeds.subscriptions.health.State``."""
    moved_to: str = ""
    """The new address, without password, if it has moved or seems to; else empty."""
    advice: str = ""
    """What the user may do; empty when nothing needs doing."""
    fulltext: bool = False
    """Whether the pages of its articles are fetched."""
    site: str = ""
    """The web page that it belongs to, without password; empty if it names none."""
    priority: str = "filtered"
    """``always``: all of it is shown; ``best``: only what scores clearly above the threshold; else ``filtered``."""
    hub: HubView | None = None
    """The hub that pushes it, or is to; None for feeds that are only polled."""
    name: str = ""
    """What lists call it: its title, else its host; with its address if another feed is called the same."""


@dataclass(frozen=True, slots=True)
class FetchProgress:
    """How far a user's feeds have been fetched."""

    counts: FetchCounts
    first: bool
    """Whether nothing has been decided about any article yet."""
    articles: int
    """Articles that came; 0 unless ``first``."""


@dataclass(frozen=True, slots=True)
class FeedProblem:
    """A feed whose last attempt failed."""

    url: str
    title: str
    error: str
    advice: str = ""
    """What the user may do, if anything."""


@dataclass(frozen=True, slots=True)
class ExtractorProblem:
    """An extractor that was left out or failed; its features are missing."""

    name: str
    """As it is registered."""
    reason: str


@dataclass(frozen=True, slots=True)
class PollView:
    """What one round of polling did."""

    feeds: int
    """Feeds that were due."""
    changed: int
    unchanged: int
    failed: int
    cooling: int
    """Feeds that a forced round left alone because they had been asked a moment ago."""
    new_articles: int
    updated_articles: int
    decided: int
    recommended: int
    explored: int
    seconds: float
    problems: tuple[FeedProblem, ...]
    next_due: datetime | None
    pages_fetched: int = 0
    """Pages of new articles that were fetched for their full text and read."""
    pages_failed: int = 0
    """Pages that were wanted and could not be read; these articles have the feed's text."""
    page_problems: tuple[FeedProblem, ...] = ()
    """Feeds of which pages could not be read, and why."""
    warnings: tuple[str, ...] = ()
    """What concerns the round as a whole, for instance that an extra is not installed."""
    extractor_problems: tuple[ExtractorProblem, ...] = ()
    moved: tuple[FeedProblem, ...] = ()
    """Feeds whose new address was believed in this round."""
    recommended_older: int = 0
    """How many of ``recommended`` an earlier round had hidden."""


@dataclass(frozen=True, slots=True)
class FeedStatistics:
    """What one feed delivered, and the user's verdicts. A story counts for each of its feeds."""

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
    """Why one might unsubscribe; empty when there is no reason, or too little is known."""
    name: str = ""
    """As in ``FeedView``."""


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
class AddedFeed:
    """A feed that is followed now."""

    url: str
    title: str
    """Empty if the feed has none, or was not looked at."""
    articles: int | None
    """How many it has now; None if it was not looked at."""


@dataclass(frozen=True, slots=True)
class AddedFeeds:
    """What became of addresses that a user gave."""

    added: tuple[str, ...]
    already_there: int
    choices: tuple[FeedChoice, ...] = ()
    refused: tuple[RefusedFeed, ...] = ()
    unseen: tuple[RefusedFeed, ...] = ()
    """Those of ``refused`` that could not be looked at: a feed may be there."""
    feeds: tuple[AddedFeed, ...] = ()
    """Those of ``added``, in this order."""
    known: tuple[str, ...] = ()
    """Feeds that were found at another address, and had been followed before."""


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
    """Feeds beyond the limit of ten thousand."""


@dataclass(frozen=True, slots=True)
class ExportedFeeds:
    """The subscriptions as OPML."""

    opml: str
    feeds: int
    without_password: int
    """Feeds whose user name and password were left out."""
