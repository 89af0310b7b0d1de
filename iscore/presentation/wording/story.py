"""A story as every output shows it.

    InboxItem, ArticleView ─► story() ─► Story ─► digest (text, HTML, mail, Atom, JSON Feed), web pages

Texts from feeds become single lines without control characters; each output still escapes them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from iscore.core.sanitizing import line, one_line
from iscore.core.translation import gettext, gettext_noop
from iscore.presentation.wording.scores import interest_words, strength, strength_words
from iscore.presentation.wording.times import clock_time

if TYPE_CHECKING:
    from iscore.services.views.articles import ArticleView
    from iscore.services.views.inbox import InboxItem
    from storage.records.articles import StorySource

MAX_LENGTH = 2000
"""Characters; browsers and servers reject longer ones."""

_NO_HOST = re.compile(r"""[<>"{}|\\^`%']""")
_NO_IRI = re.compile(r"""[<>"{}|\\^`#\[\]]|%(?![0-9A-Fa-f]{2})""")


def web_address(url: str) -> str:
    """Return the URL as an IRI if it is safe (http or https, a host, no blanks or control characters), else empty.

    Characters that an IRI cannot contain are percent-encoded. User name and password, which can make one site look
    like another, are removed.
    """
    if len(url) > MAX_LENGTH or not url.isprintable() or any(map(str.isspace, url)):
        return ""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        if "xn--" in host:
            host.encode("ascii").decode("idna")
    except ValueError:  # unbalanced brackets, an invalid port, invalid punycode
        return ""
    if parts.scheme not in ("http", "https") or not host or port == 0 or _NO_HOST.search(parts.netloc):
        return ""
    encoded = {name: _encoded(getattr(parts, name)) for name in ("path", "query", "fragment")}
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], **encoded))


def _encoded(part: str) -> str:
    return _NO_IRI.sub(lambda found: f"%{ord(found[0]):02X}", part)


MAX_REASONS = 3
"""Of the score."""
MAX_TITLE = 300
MAX_NAME = 120
"""Of a source or an author."""
MAX_TEXT = 590
"""A little less than the database returns, so that a cut text gets an ellipsis."""
MAX_SUMMARY = 220
"""Three lines on a desktop, six on a phone."""
UNTITLED = gettext_noop("(untitled)")
NAMELESS = gettext_noop("(no name)")

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", re.ASCII)


@dataclass(frozen=True, slots=True)
class SourceArticle:
    """The article of one source in a story."""

    source: str
    title: str
    url: str
    """An http or https address, or empty."""


@dataclass(frozen=True, slots=True)
class Story:
    """One story."""

    id: str
    title: str
    language: str
    """Language tag of title and text; empty if unknown."""
    url: str
    """An http or https address, or empty."""
    source: str
    """The source of ``url``."""
    sources: str
    """All sources, in words."""
    articles: tuple[SourceArticle, ...]
    """One per source with a name."""
    author: str
    time: datetime
    """Publication, or arrival if the feed has no date."""
    when: str
    """When it was published, in words."""
    reading: str
    """Reading time in words."""
    strength: int
    """1 to ``scores.STRENGTHS``; 0 without a score."""
    strength_words: str
    rule: str
    """What the user's rules do with it; usually empty."""
    text: str
    """The beginning of the article."""
    summary: str
    """A shorter beginning."""
    reasons: tuple[str, ...]

    @property
    def others(self) -> tuple[SourceArticle, ...]:
        """The articles of all other sources."""
        return tuple(each for each in self.articles if each.source != self.source)


def story(
    item: InboxItem | ArticleView,
    now: datetime,
    zone: tzinfo | None,
    *,
    text: str = "",
    sources: Sequence[StorySource] = (),
    reasons: Sequence[str] = (),
    reading_minutes: int = 1,
) -> Story:
    """Build a story; times in ``zone``, None for the machine's, with the year if it is not that of ``now``.

    ``text`` is the beginning of the article. Without ``sources`` the item's own list is used, which has no links.
    """
    source = line(item.source, MAX_NAME) or gettext(NAMELESS)
    from storage.records.articles import StorySource  # `--help` needs no records

    articles = source_articles(sources or [StorySource(name, "", "") for name in item.sources])
    time = item.published or item.arrived
    scored = item.score is not None and item.threshold is not None
    reasons = [interest_words(item.interest)] * bool(item.interest) + list(reasons)
    score, threshold = item.score or 0.0, item.threshold or 0.0
    return Story(
        id=item.id,
        title=title_line(item.title),
        language=language_tag(item.language) if item.title.strip() else "",
        url=web_address(item.url),
        source=source,
        sources=from_sources([source, *(each.source for each in articles if each.source != source)]),
        articles=articles,
        author=line(item.author, MAX_NAME),
        time=time,
        when=clock_time(time, now, zone) if item.published else gettext("no date"),
        reading=gettext("%(number)s min read", number=max(1, reading_minutes)),
        strength=strength(score, threshold) if scored else 0,
        strength_words=strength_words(score, threshold) if scored else gettext("not scored yet"),
        rule=line(item.rule_outcome, MAX_TITLE),
        text=line(text, MAX_TEXT),
        summary=line(text, MAX_SUMMARY),
        reasons=tuple(line(reason, MAX_TITLE) for reason in reasons[:MAX_REASONS]),
    )


def source_articles(sources: Sequence[StorySource]) -> tuple[SourceArticle, ...]:
    """Return the first article of each source; sources without a name are left out."""
    found: dict[str, SourceArticle] = {}
    for each in sources:
        name = line(each.source, MAX_NAME)
        found.setdefault(name, SourceArticle(name, title_line(each.title), web_address(each.url)))
    found.pop("", None)
    return tuple(found.values())


def title_line(title: str) -> str:
    """Return a title as one non-empty line."""
    return line(title, MAX_TITLE) or gettext(UNTITLED)


def language_tag(language: str) -> str:
    """Return a valid language tag, or empty."""
    return language if _LANGUAGE.fullmatch(language) else ""


def from_sources(sources: Sequence[str]) -> str:
    """Return the sources of a story: ``Energy Wire``, ``A and B``, ``A, B and 3 more``."""
    names = [one_line(source) for source in sources]
    if len(names) > 3:
        first = f"{names[0]}, {names[1]}"
        return gettext("%(first)s and %(number)s more", first=first, number=len(names) - 2)
    if len(names) < 2:
        return "".join(names)
    return gettext("%(first)s and %(last)s", first=", ".join(names[:-1]), last=names[-1])
