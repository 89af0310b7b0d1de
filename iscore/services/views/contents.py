"""What a page shows of an article beside its text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EnclosureView:
    url: str
    type: str
    """Media type, or empty."""
    length: int | None
    """Bytes by the publisher's word."""


@dataclass(frozen=True, slots=True)
class ContentView:
    html: str
    """Sanitised, its pictures as the page asked for them; empty if the paragraphs of the text are all there is."""
    picture: str
    """What a page loads above a text without pictures of its own; empty if there is none or pictures are off."""
    icon: str
    """What a page loads as the icon of the article's feed; empty likewise."""
    enclosures: tuple[EnclosureView, ...]
