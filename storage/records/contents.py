"""What a page shows of an article beside its text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A file that a publisher attaches to an article, such as an episode of a podcast."""

    url: str
    """http or https."""
    type: str
    """Its media type as the publisher gives it, such as ``audio/mpeg``; may be empty."""
    length: int | None
    """Its bytes by the publisher's word; None without one."""


@dataclass(frozen=True, slots=True)
class Content:
    """The parts of an article that nothing is learned from."""

    html: str = ""
    """Sanitised HTML; empty if the paragraphs of the text show all there is."""
    enclosures: tuple[Enclosure, ...] = ()
    thumbnail: str = ""
    """Address of a picture that stands for the article, http or https; may be empty."""


NO_CONTENT = Content()


@dataclass(frozen=True, slots=True)
class FeedOrigin:
    """Where a feed comes from."""

    url: str
    """With its password, if it has one."""
    icon: str
    """Address of its icon, http or https; may be empty."""
