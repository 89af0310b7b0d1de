"""What reading article pages takes and gives: the nouns between the poller and the parser's process."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageJob:
    """One article's page, whose main text is wanted."""

    body: bytes
    """As received, after content decoding, before any character decoding."""
    content_type: str
    """The Content-Type header."""


@dataclass(frozen=True, slots=True)
class LinksJob:
    """A page whose feeds are wanted."""

    body: bytes
    """As received, after content decoding, before any character decoding."""
    content_type: str
    """The Content-Type header."""
    url: str
    """Where it came from; relative links are resolved against it."""


@dataclass(frozen=True, slots=True)
class FeedLink:
    """A link of a page to what may be a feed."""

    url: str
    """Safe and absolute."""
    title: str
    """As the page calls it, one clean line; empty if it does not."""
    declared: bool
    """Whether the page says that it is a feed; else its address looks like one."""


@dataclass(frozen=True, slots=True)
class RobotsJob:
    """A question to a site's robots.txt."""

    body: bytes
    """The file as received, at most its first 500 KiB."""
    agent: str
    """Name and version of who asks, without comments: ``iscore/1.0``."""
    url: str
    """The page that is to be asked for."""


@dataclass(frozen=True, slots=True)
class Permission:
    """Whether a page may be asked for."""

    refusal: str = ""
    """Why not: one readable line; empty when it may."""
    delay: float = 0.0
    """Seconds that the site wants between two requests; 0 when it says nothing."""
