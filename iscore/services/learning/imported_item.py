"""An imported item: one thing that the user liked elsewhere, or a word for what they like."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from iscore.feeds.urls import page_key


class Form(StrEnum):
    """How much is known of an item. Stored with it: never rename one."""

    TEXT = "text"
    """Title and text, as of an article."""
    TITLE = "title"
    """A title without a text, as of most bookmarks."""
    ADDRESS = "address"
    """Only its address, whose words replace the title."""
    KEYWORDS = "keywords"
    """A few words that the user wrote down."""
    FEED = "feed"
    """A feed that the user trusts: its name, its folder, its site."""


WEIGHTS = {Form.TEXT: 1.0, Form.TITLE: 0.5, Form.ADDRESS: 0.25, Form.KEYWORDS: 0.5, Form.FEED: 0.25}
"""The weight of a new item, where a verdict on a delivered article has weight 1. The log keeps it with the item."""


def item_weight(form: str) -> float:
    """Return the weight of an item of this form; small for a form of a later version."""
    return WEIGHTS.get(form, 0.25)  # type: ignore[call-overload, no-any-return]  # a Form is its text


@dataclass(frozen=True, slots=True)
class ImportedItem:
    """Something liked, as clean text."""

    form: Form
    title: str
    """One line; may be empty."""
    url: str = ""
    """A safe http or https address, or empty."""
    text: str = ""
    """Paragraphs separated by blank lines; may be empty."""
    author: str = ""
    categories: tuple[str, ...] = ()
    """Categories and tags that came with it; a user's folders are no categories."""
    added: datetime | None = None
    """When it was kept, where that is known; aware, in UTC."""
    links: int = 0
    pictures: int = 0
    saved: bool = False
    """Whether the user had it among their saved articles: starred, or still to be read."""
    labels: tuple[str, ...] = ()
    """The user's own labels or tags of what is kept for them, saved or not; ``categories`` says what it is about."""

    @property
    def key(self) -> str:
        """Identifies the item: form and page, or form and words."""
        page = page_key(self.url) if self.form is not Form.FEED else self.url
        if page:
            return f"{self.form} {page}"
        words = hashlib.sha256(f"{self.title.casefold()}\0{self.text}".encode()).hexdigest()[:32]
        return f"{self.form} #{words}"

    @property
    def has_content(self) -> bool:
        """Whether there is anything in it to learn from."""
        return bool(self.title or self.text or self.url)
