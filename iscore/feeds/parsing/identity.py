"""The keys by which entries are recognised at the next poll.

The publisher's id if no other entry of the document has it, else the URL of its page under the same condition, else
its title and content. Ids and URLs that several entries share identify none of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

from iscore.feeds.urls import page_key
from storage.records.articles import NewArticle

MAX_KEY = 200
"""Characters; longer keys are replaced by their hash."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An entry that has been cleaned and has no key yet."""

    guid: str
    """The publisher's id of the entry, or empty."""
    article: NewArticle
    """Complete but for ``key``, ``content_hash`` and ``content``, which are empty."""
    entry: Any = None
    """What it was made of, from which its ``content`` can be made."""
    html: str = ""
    """Its markup as ``article_html.cleaned`` returns it, if the text was made of that."""


def with_keys(drafts: Sequence[Draft]) -> list[NewArticle]:
    """Return the articles of one document with their keys, in order."""
    guids = Counter(draft.guid for draft in drafts)
    pages = Counter(page_key(draft.article.url) for draft in drafts)
    return [_with_identity(draft.article, _key(draft, guids, pages)) for draft in drafts]


def without_duplicates(articles: Iterable[NewArticle]) -> tuple[NewArticle, ...]:
    """Return the first article of each key."""
    first: dict[str, NewArticle] = {}
    for article in articles:
        first.setdefault(article.key, article)
    return tuple(first.values())


def _key(draft: Draft, guids: Counter[str], pages: Counter[str]) -> str:
    if draft.guid and guids[draft.guid] == 1:
        return _short(f"id:{draft.guid}")
    page = page_key(draft.article.url)
    if page and pages[page] == 1:
        return _short(f"page:{page}")
    return f"text:{_digest(draft.article.title, draft.article.text, draft.article.url)}"


def _short(key: str) -> str:
    return key if len(key) <= MAX_KEY else f"{key.partition(':')[0]}:{_digest(key)}"


def _digest(*parts: str) -> str:
    return blake2b("\x1f".join(parts).encode(), digest_size=16).hexdigest()


def _with_identity(article: NewArticle, key: str) -> NewArticle:
    everything = "\x1f".join(
        (
            key,
            article.url,
            article.title,
            article.author,
            "\x1e".join(article.categories),
            article.text,
            article.language,
            article.published.isoformat() if article.published else "",
            str(article.links),
            str(article.pictures),
        )
    )
    return replace(article, key=key, content_hash=blake2b(everything.encode(), digest_size=16).digest())
