"""From the address that a person has to the feed that they mean.

    address ─► a feed? ─► that is it
               a page? ─► the feeds that it declares ─► one: that is it, once looked at; several: the person chooses
                          none ─► links that look like feeds, then addresses that are usual, one after the other

Everything is asked for as when polling: checked, with pauses, limits and without cookies. A server that refuses or
fails is not asked further.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from urllib.parse import urljoin, urlsplit

from iscore.feeds.errors import AddressError, FeedError
from iscore.feeds.http.address import check_url, sameness, shown
from iscore.feeds.http.fetch import Fetcher
from iscore.feeds.http.media_types import FEED_OR_PAGE
from iscore.feeds.http.outcomes import FailureKind, Fetched, FetchFailed
from iscore.feeds.page_jobs import FeedLink, LinksJob
from iscore.feeds.parsing.parsed_feed import ParsedFeed, ParseJob

USUAL = ("/feed", "/rss.xml", "/feed.xml", "/atom.xml", "/rss", "/index.xml", "/feed.json")
"""Where feeds are when nothing says so; from WordPress, Jekyll, Hugo and older systems."""
GUESSES = 4
"""Links of a page that look like feeds and are tried."""


class Reader(Protocol):
    """What discovering needs of ``ParserPool``."""

    async def parse(self, job: ParseJob) -> ParsedFeed:
        """Read a document. Raises ``FeedError`` when that cannot be done."""

    async def links(self, job: LinksJob) -> list[FeedLink]:
        """Find the feeds that a page names. Raises ``FeedError``."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A feed that is there, or that a page says is there."""

    url: str
    title: str
    """The feed's own, or the page's name for it; may be empty."""


@dataclass(frozen=True, slots=True)
class Discovered:
    """What stands behind an address."""

    feeds: tuple[Candidate, ...] = ()
    """One: it has been looked at and is a feed. Several: the page declares them."""
    problem: str = ""
    """Why there is none: one readable line."""
    looked: bool = True
    """False when the server could not be asked now: then nothing is known of the address."""


class Discovery:
    """Looks for feeds within one round of fetching."""

    def __init__(self, fetcher: Fetcher, reader: Reader, clock: Callable[[], datetime]) -> None:
        self._fetcher = fetcher
        self._reader = reader
        self._clock = clock

    async def of(self, url: str) -> Discovered:
        """Look behind a checked address. Raises nothing for a cause that lies outside."""
        first = await self._look(url)
        if isinstance(first, Candidate):
            return Discovered((first,))
        if isinstance(first, FetchFailed):
            return Discovered(problem=first.reason, looked=_is_an_answer(first))
        declared = _distinct(link for link in first.links if link.declared)
        if len(declared) > 1:
            return Discovered(tuple(Candidate(link.url, link.title) for link in declared))
        for guess in _guesses(first):
            found = await self._look(guess)
            if isinstance(found, Candidate):
                return Discovered((found,))
            if isinstance(found, FetchFailed) and found.status not in (400, 404, 405, 406, 410):
                return Discovered(problem=f"it is a page, and no feed of it could be read: {found.reason}")
        return Discovered(problem="it is a page, and no feed of it was found")

    async def _look(self, url: str) -> Candidate | _Page | FetchFailed:
        async with self._fetcher.fetch(url, wanted=FEED_OR_PAGE) as fetched:
            if isinstance(fetched, FetchFailed):
                return fetched
            body, base = fetched.body or b"", shown(fetched.final_url)
            try:
                parsed = await self._reader.parse(ParseJob(body, base, fetched.content_type, self._clock()))
            except FeedError:
                return await self._page(fetched, base)
            return Candidate(url, parsed.title)

    async def _page(self, fetched: Fetched, base: str) -> _Page | FetchFailed:
        try:
            links = await self._reader.links(LinksJob(fetched.body or b"", fetched.content_type, base))
        except FeedError as error:
            return FetchFailed(FailureKind.UNREADABLE, str(error))
        return _Page(base, links)


@dataclass(frozen=True, slots=True)
class _Page:
    url: str
    links: list[FeedLink]


def _guesses(page: _Page) -> Iterator[str]:
    """The addresses to try, each once: what the page declares, what it links to on its own site, what is usual."""
    site = urlsplit(page.url).hostname
    declared = [link.url for link in page.links if link.declared]
    linked = [link.url for link in page.links if not link.declared and urlsplit(link.url).hostname == site]
    usual = [urljoin(page.url, path) for path in USUAL]
    seen = {sameness(page.url)}
    for url in (*declared, *linked[:GUESSES], *usual):
        try:
            key = sameness(check_url(url))
        except AddressError:
            continue
        if key not in seen:
            seen.add(key)
            yield url


def _distinct(links: Iterator[FeedLink]) -> list[FeedLink]:
    found: dict[str, FeedLink] = {}
    for link in links:
        try:
            found.setdefault(sameness(check_url(link.url)), link)
        except AddressError:
            continue
    return list(found.values())


def _is_an_answer(failed: FetchFailed) -> bool:
    """Whether a failure tells that no feed is there, and not only that the server has trouble or is out of reach."""
    if failed.status is not None:
        return 400 <= failed.status < 500 and failed.status not in (401, 403, 408, 425, 429)
    return failed.kind in (FailureKind.REFUSED, FailureKind.TOO_LARGE, FailureKind.UNREADABLE)
