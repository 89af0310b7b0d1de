"""Reads web pages and robots.txt files, in a parser process only: see ``worker``.

- An article's page → its main text, without menus, advertisements and readers' comments. trafilatura, which is part of
  the extra ``fulltext``, finds it. It takes seconds and hundreds of megabytes for malicious pages, and is imported only
  when there is a page.
- A page → the feeds that it declares in its head: ``<link rel="alternate" type="application/rss+xml" href="…">``. If it
  declares none, links that look like a feed's (``/rss.xml``, ``/feed/``) are guesses. Hostile pages can make the
  standard library's parser slow.
- A site's robots.txt → whether a page may be fetched (RFC 9309). Protego reads it: groups by product token, the longest
  rule wins, ``*`` and ``$``. A malicious file of 500 KiB takes it gigabytes, since every rule applies to every agent
  above it.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from iscore.feeds.errors import NoTextError
from iscore.feeds.parsing.article_html import article_html, says_more_than_text
from iscore.feeds.parsing.encoding import page_to_text
from iscore.feeds.parsing.html_to_text import feed_name, prose
from iscore.feeds.parsing.jobs import FeedLink, LinksJob, PageArticle, PageJob, Permission, RobotsJob
from iscore.feeds.parsing.markup import prepared
from iscore.feeds.urls import safe_url

if TYPE_CHECKING:
    from protego import Protego

MAX_FEEDS = 20
"""Feeds of one page. Code hosting sites and magazines have about ten."""
_TYPES = frozenset(
    {
        "application/atom+xml",
        "application/feed+json",
        "application/json",
        "application/rdf+xml",
        "application/rss+xml",
        "application/xml",
        "text/xml",
    }
)
_PLAYER = re.compile('<embed src="([^"]*)" title="([^"]*)">')
_PICTURE_OF_PLAYER = re.compile('<img src="([^"]*)#player.jpg" alt="([^"]*)"/>')
"""What trafilatura keeps instead."""
_NO_FEED = re.compile(r"/wp-json/|oembed|opensearch", re.IGNORECASE)
"""Addresses of other things that pages declare as an alternate in JSON or XML."""
_LOOKS_LIKE_A_FEED = re.compile(r"(?:[/._-](?:feeds?|rss2?|atom)(?:\.xml|\.json|\.php)?|\.rdf)/?$", re.IGNORECASE)


def load_trafilatura() -> None:
    """Import trafilatura, which takes more time and memory than a page may."""
    import trafilatura  # noqa: F401 -- the import is the work


def page_article(job: PageJob) -> PageArticle:
    """Return the page's main text, as text and as HTML.

    The two are extracted separately: with links and pictures, trafilatura may choose other parts of the page, and
    features are computed from the text without them. Raises ``NoTextError`` if no text can be found.
    """
    page, base, _ = prepared(page_to_text(job.body, job.content_type), page=True)
    text = _main_text(page)
    found = _extracted(_PLAYER.sub(r'<img src="\1#player.jpg" alt="\2">', page), links=True)
    found = _PICTURE_OF_PLAYER.sub(r'<embed src="\1" title="\2">', found)
    html = article_html(found, safe_url(base, job.url) or job.url)
    return PageArticle(text, html if says_more_than_text(html) else "")


def page_text(job: PageJob) -> str:
    """Return the page's main text, paragraphs separated by a blank line; never empty.

    Raises ``NoTextError`` if none can be found.
    """
    return _main_text(prepared(page_to_text(job.body, job.content_type), page=True).html)


def _main_text(page: str) -> str:
    found = _extracted(page)
    text = prose(found).text if found else ""
    if not text:
        raise NoTextError("the page has no text that looks like an article's")
    return text


def _extracted(page: str, *, links: bool = False) -> str:
    """Return the main part of the page as HTML, or nothing. ``links`` keeps links, pictures and emphasis."""
    from trafilatura import extract

    try:
        # Precision, since words of menus and other stories would be learned as the article's.
        found = extract(
            page,
            output_format="html",
            include_comments=False,
            favor_precision=True,
            include_formatting=links or None,
            include_images=links,
            include_links=links,
        )
    except MemoryError:
        raise  # this process is of no further use
    except Exception as error:  # a hostile page can make a library raise any error
        raise NoTextError(f"the page cannot be read ({type(error).__name__})") from error
    return found or ""


def feed_links(job: LinksJob) -> list[FeedLink]:
    """List the feeds that a page declares, in its order; if it declares none, links that look like a feed."""
    reader = _LinkParser(job.url)
    with suppress(AssertionError):  # ``HTMLParser`` asserts that it knows each section that begins with ``<![``.
        reader.feed(page_to_text(job.body, job.content_type))
        reader.close()
    found = reader.declared or reader.guessed
    return list(found.values())[:MAX_FEEDS]


class _LinkParser(HTMLParser):
    """Collects links by address, the first of each address."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.declared: dict[str, FeedLink] = {}
        self.guessed: dict[str, FeedLink] = {}
        self._base = url

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Collect the URL of a link."""
        if tag not in ("a", "base", "link"):
            return
        values = {name: value or "" for name, value in attributes}
        url = safe_url(values.get("href", "").strip(), self._base) if values.get("href") else ""
        if not url:
            return
        url = url.partition("#")[0]
        if tag == "base":
            self._base = url
        elif tag == "link" and _is_declared(values, url):
            self.declared.setdefault(url, FeedLink(url, feed_name(values.get("title", "")), declared=True))
        elif tag == "a" and _LOOKS_LIKE_A_FEED.search(url.partition("?")[0]):
            self.guessed.setdefault(url, FeedLink(url, feed_name(values.get("title", "")), declared=False))


def _is_declared(values: dict[str, str], url: str) -> bool:
    relations = values.get("rel", "").lower().split()
    if "stylesheet" in relations:
        return False
    kind = values.get("type", "").partition(";")[0].strip().lower()
    return ("feed" in relations or ("alternate" in relations and kind in _TYPES)) and not _NO_FEED.search(url)


def permission(job: RobotsJob) -> Permission:
    """Apply the rules of the most specific group for ``job.agent``; without such a group everything is allowed.

    ``delay`` is the larger of Crawl-delay and Request-rate, which are not part of the standard.
    """
    rules = _rules(job.body)
    rate = rules.request_rate(job.agent)
    delay = max(rules.crawl_delay(job.agent) or 0.0, rate.seconds / rate.requests if rate else 0.0)
    allowed = rules.can_fetch(job.url, job.agent)
    return Permission("" if allowed else "the site's robots.txt does not allow it", delay)


@lru_cache(maxsize=4)  # the pages of a feed are mostly of one site
def _rules(body: bytes) -> Protego:
    from protego import Protego

    return Protego.parse(body.decode("utf-8-sig", "replace"))
