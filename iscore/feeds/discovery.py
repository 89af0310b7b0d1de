"""Finds the feed that a user means by a URL.

    URL ─► a feed? ─► done
           a page? ─► the feeds that it declares ─► one: done, once it was parsed; several: the user chooses
                      none ─► links that look like feeds, then common paths, one at a time

All requests are made as when polling: checked, with pauses and limits, and without cookies. A server that refuses or
fails gets no further requests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from urllib.parse import urljoin, urlsplit

from iscore.feeds.errors import FeedError, UrlError
from iscore.feeds.http.fetch import FEED_OR_PAGE, Fetcher
from iscore.feeds.http.outcomes import FailureKind, Fetched, FetchFailed
from iscore.feeds.parsing.jobs import FeedJob, FeedLink, LinksJob, ParsedFeed
from iscore.feeds.urls import check_url, url_key, without_password

COMMON_PATHS = ("/feed", "/rss.xml", "/feed.xml", "/atom.xml", "/rss", "/index.xml", "/feed.json")
"""Usual paths of feeds, of WordPress, Jekyll, Hugo and older systems."""
MAX_LINKS = 4
"""Number of links of a page that are tried because they look like feeds."""


class DocumentReader(Protocol):
    """The part of ``ParserPool`` that this module needs."""

    async def parse(self, job: FeedJob) -> ParsedFeed:
        """Parse a feed. Raises ``FeedError`` if that fails."""

    async def links(self, job: LinksJob) -> list[FeedLink]:
        """Find the feeds that a page names. Raises ``FeedError``."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A feed, or a link that a page declares as one."""

    url: str
    title: str
    """The feed's own title, or the page's name for it; may be empty."""
    articles: int | None = None
    """Number of articles in the document; None if it was not parsed."""


@dataclass(frozen=True, slots=True)
class DiscoveryResult:
    """The feeds that were found for a URL."""

    feeds: tuple[Candidate, ...] = ()
    """A single feed was parsed. Several feeds are those that the page declares."""
    problem: str = ""
    """Why no feed was found: one readable line."""
    looked: bool = True
    """False if the server could not be asked now, so that nothing is known about the URL."""


class Discovery:
    """Looks for feeds."""

    def __init__(self, fetcher: Fetcher, reader: DocumentReader, clock: Callable[[], datetime]) -> None:
        self._fetcher = fetcher
        self._reader = reader
        self._clock = clock

    async def discover(self, url: str) -> DiscoveryResult:
        """Find the feeds of a checked URL. Problems of the network or the documents raise nothing."""
        first = await self._fetch(url)
        if isinstance(first, Candidate):
            return DiscoveryResult((first,))
        if isinstance(first, FetchFailed):
            return DiscoveryResult(problem=first.reason, looked=_is_final(first))
        declared = _distinct(link for link in first.links if link.declared)
        if len(declared) > 1:
            return DiscoveryResult(tuple(Candidate(link.url, link.title) for link in declared))
        for guess in _guesses(first):
            found = await self._fetch(guess)
            if isinstance(found, Candidate):
                return DiscoveryResult((found,))
            if isinstance(found, FetchFailed) and found.status not in (400, 404, 405, 406, 410):
                return DiscoveryResult(problem=f"it is a page, and no feed of it could be read: {found.reason}")
        # What was declared was no feed, so the description of the page, which offers it, would mislead.
        return DiscoveryResult(problem="it is a page, and no feed of it was found" if declared else first.problem)

    async def _fetch(self, url: str) -> Candidate | _Page | FetchFailed:
        async with self._fetcher.fetch(url, accepted=FEED_OR_PAGE) as fetched:
            if isinstance(fetched, FetchFailed):
                return fetched
            body, base = fetched.body or b"", without_password(fetched.final_url)
            try:
                parsed = await self._reader.parse(FeedJob(body, base, fetched.content_type, self._clock()))
            except FeedError as error:
                return await self._page(fetched, base, str(error))
            return Candidate(url, parsed.title, parsed.total)

    async def _page(self, fetched: Fetched, base: str, problem: str) -> _Page | FetchFailed:
        try:
            links = await self._reader.links(LinksJob(fetched.body or b"", fetched.content_type, base))
        except FeedError as error:
            return FetchFailed(FailureKind.UNREADABLE, str(error))
        return _Page(base, links, problem)


@dataclass(frozen=True, slots=True)
class _Page:
    url: str
    links: list[FeedLink]
    problem: str
    """Why it is not a feed."""


def _guesses(page: _Page) -> Iterator[str]:
    """Yield the URLs to try, each once: declared by the page, linked on its own site, common paths."""
    site = urlsplit(page.url).hostname
    declared = [link.url for link in page.links if link.declared]
    linked = [link.url for link in page.links if not link.declared and urlsplit(link.url).hostname == site]
    common = [urljoin(page.url, path) for path in COMMON_PATHS]
    seen = {url_key(page.url)}
    for url in (*declared, *linked[:MAX_LINKS], *common):
        try:
            key = url_key(check_url(url))
        except UrlError:
            continue
        if key not in seen:
            seen.add(key)
            yield url


def _distinct(links: Iterator[FeedLink]) -> list[FeedLink]:
    found: dict[str, FeedLink] = {}
    for link in links:
        try:
            found.setdefault(url_key(check_url(link.url)), link)
        except UrlError:
            continue
    return list(found.values())


def _is_final(failed: FetchFailed) -> bool:
    """Whether a failure means that there is no feed, rather than that the server has a problem or is unreachable."""
    if failed.status is not None:
        return 400 <= failed.status < 500 and failed.status not in (401, 403, 408, 425, 429)
    return failed.kind in (FailureKind.REFUSED, FailureKind.TOO_LARGE, FailureKind.UNREADABLE)
