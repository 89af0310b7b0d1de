"""One article of the sample world, with the truth about it that no feed tells."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Literal

StyleName = Literal["wire", "newspaper", "tabloid", "analysis", "blog", "trade", "notice"]
NoiseKind = Literal["", "advertisement", "listing", "horoscope"]


@dataclass(frozen=True, slots=True)
class Article:
    """What was written, by whom, and how it came about. All times are aware and in UTC."""

    id: str
    """Unique in its world; also the last part of the address."""
    source: str
    """Key of the source that published it."""
    topic: str
    """Key of the topic; empty for noise."""
    style: StyleName
    language: str
    """Two-letter code."""
    day: int
    """Whole days since the world began; 0 is the first."""
    published: datetime
    """When it appeared; feeds may keep silent about it, see ``dated``."""
    dated: bool
    """Whether the feed names the time of publication."""
    title: str
    paragraphs: tuple[str, ...]
    author: str
    """As printed; empty when the source names none."""
    categories: tuple[str, ...]
    url: str
    """The link in the feed, with tracking parameters where the source adds them."""
    story: str = ""
    """The running story that it tells; empty when there is none."""
    stage: int = 0
    """Which development of the story, from 0."""
    copy_of: str = ""
    """Id of the wire article that it repeats with small edits; empty for an article of its own."""
    noise: NoiseKind = ""

    @property
    def text(self) -> str:
        """The body as plain text; paragraphs are separated by blank lines."""
        return "\n\n".join(self.paragraphs)

    @property
    def words(self) -> int:
        """Length of the body in words."""
        return sum(len(paragraph.split()) for paragraph in self.paragraphs)

    @property
    def html(self) -> str:
        """The body as the source's own markup, with a picture above every third article."""
        body = "\n".join(f"<p>{escape(paragraph, quote=False)}</p>" for paragraph in self.paragraphs)
        if self.noise or int(self.id.rsplit("-", 1)[-1]) % 3:
            return body
        return f'<p><img src="https://pictures.example/{self.id}.jpg" alt=""></p>\n{body}'

    @property
    def opens_story(self) -> bool:
        """Whether it is among the first reports of a running story, and nobody else's words."""
        return bool(self.story) and self.stage == 0 and not self.copy_of
