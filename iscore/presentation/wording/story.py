"""A story as every output shows it.

    StoryView ─► story_entry() ─► StoryEntry ─► digest (text, HTML, mail, Atom, JSON Feed), web pages

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
from iscore.core.translation import UNTITLED, gettext, gettext_noop
from iscore.presentation.wording.scores import dots_words, interest_words, strength, strength_words
from iscore.presentation.wording.times import clock_time, short_age

if TYPE_CHECKING:
    from iscore.services.views.stories import StoryView
    from storage.records.articles import StorySource
    from storage.records.users import Kind

MAX_LENGTH = 2000
"""Characters of an address; browsers and servers reject longer ones."""
MAX_REASONS = 3
"""Of the score."""
MAX_TITLE = 300
MAX_NAME = 120
"""Of a source or an author."""
MAX_TEXT = 590
"""A little less than the database returns, so that a cut text gets an ellipsis."""
MAX_SUMMARY = 220
"""Three lines on a desktop, six on a phone."""
NAMELESS = gettext_noop("(no name)")
VERDICT_WORDS = {
    "like": gettext_noop("Liked"),
    "dislike": gettext_noop("Disliked"),
    "skip": gettext_noop("Skipped"),
    "imported": gettext_noop("Imported"),
}
"""By the values of ``Kind``: messages, which the templates translate."""

_NO_HOST = re.compile(r"""[<>"{}|\\^`%']""")
_NO_IRI = re.compile(r"""[<>"{}|\\^`#\[\]]|%(?![0-9A-Fa-f]{2})""")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", re.ASCII)


@dataclass(frozen=True, slots=True)
class SourceArticle:
    """The article of one source in a story."""

    source: str
    title: str
    url: str
    """An http or https address, or empty."""


@dataclass(frozen=True, slots=True)
class StoryEntry:
    """One story of a digest, a feed or a page."""

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
    """When it counts as published."""
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
    """The beginning of the article; empty if the title was made of all of it."""
    summary: str
    """A shorter beginning."""
    reasons: tuple[str, ...]
    verdict: str = ""
    """One of ``VERDICT_WORDS``; empty without one."""
    read: bool = False
    saved: bool = False
    labels: tuple[str, ...] = ()
    number: int = 0
    """In a digest, for ``iscore like --digest``; 0 for stories below the threshold."""
    answer: str = ""
    """In a digest: the URL of the story in the web app; empty if the app has no public URL."""
    feed: int = 0
    """The number of the feed of ``source``; 0 in digests."""
    hidden: bool = False
    """Whether it is neither for the user nor maybe."""
    age: str = ""
    """When it was published, in a word; empty without a date."""
    dots: str = ""
    """What its strength says to screen readers; empty while nothing is known."""

    @property
    def others(self) -> tuple[SourceArticle, ...]:
        """The articles of all other sources."""
        return tuple(each for each in self.articles if each.source != self.source)


def story_entry(view: StoryView, now: datetime, zone: tzinfo | None, *, answer: str = "") -> StoryEntry:
    """Build a story; times in ``zone``, None for the machine's, with the year if it is not that of ``now``."""
    source = line(view.source, MAX_NAME) or gettext(NAMELESS)
    articles = source_articles(view.sources)
    time = view.dated
    text = text_below(view)
    reasons = (*([interest_words(view.interest)] if view.interest else []), *view.reasons)
    return StoryEntry(
        id=view.id,
        title=title_line(view.title),
        language=language_tag(view.language) if view.title.strip() else "",
        url=web_address(view.url),
        source=source,
        sources=from_sources([source, *(each.source for each in articles if each.source != source)]),
        articles=articles,
        author=line(view.author, MAX_NAME),
        time=time,
        when=clock_time(time, now, zone) if view.published else gettext("no date"),
        reading=gettext("%(number)s min read", number=max(1, view.reading_minutes)),
        strength=strength(view.score, view.threshold),
        strength_words=strength_words(view.score, view.threshold),
        rule=line(view.rule_outcome, MAX_TITLE),
        text=line(text, MAX_TEXT),
        summary=line(text, MAX_SUMMARY),
        reasons=tuple(line(reason, MAX_TITLE) for reason in reasons[:MAX_REASONS]),
        verdict=verdict_word(view.verdict),
        read=view.mark.read_at is not None,
        saved=view.mark.saved_at is not None,
        labels=view.mark.labels,
        number=view.number,
        answer=answer,
        feed=view.feed,
        hidden=view.hidden,
        age=short_age(time, now) if view.published else "",
        dots=dots_words(view.score, view.threshold, hidden=view.hidden),
    )


def verdict_word(kind: Kind | None) -> str:
    """Return a verdict in words, a message to be translated; empty without one."""
    return VERDICT_WORDS.get(kind, "") if kind else ""


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


def text_below(view: StoryView) -> str:
    """Return the text as it is shown below the title: nothing if the title was made of all of it."""
    return "" if not view.titled and line(view.text) == line(view.title) else view.text


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
