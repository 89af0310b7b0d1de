"""An edition: what one day's digest says, in the words and the order in which it says it.

    DigestView ─► edition() ─► Edition ─► render_text, render_html, render_mail
                                     └──► with those before it: render_atom, render_json_feed

``edition`` decides and words; the renderers only lay out. Foreign texts are one line each here, and steer nothing;
each renderer still hands them to the encoder of its own sink.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from iscore.digest.addresses import web_address
from iscore.digest.circumstances import Figure, figures, headline, learning, troubles, why_empty
from iscore.digest.wording import clock_time, counted, explore_words, from_sources, plain_line, strength, strength_words
from iscore.edition_views import CarrierView, DigestItem, DigestView
from iscore.views import InboxItem

MAX_REASONS = 3
"""More reasons are read by nobody."""
LONGEST_TITLE = 300
LONGEST_NAME = 120
"""Of a source or an author."""
TEXT = 590
"""Characters: a little less than the database gives, so that what was cut there shows an ellipsis."""
SUMMARY = 220
"""Characters: three lines on a desk, six on a phone."""


@dataclass(frozen=True, slots=True)
class Telling:
    """A feed that carried a story too."""

    source: str
    url: str
    """An http or https address, or empty."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One story of a digest, ready to be laid out."""

    number: int
    """What ``iscore like --digest`` takes."""
    id: str
    title: str
    language: str
    """Of title and text, as HTML names languages; empty when it is not known."""
    url: str
    """An http or https address, or empty."""
    answer: str
    """Where `iscore serve` shows the story with its buttons; empty when it is not known."""
    source: str
    """Who is linked."""
    sources: str
    """Everyone who carried the story, in words."""
    others: tuple[Telling, ...]
    """Everyone but ``source``."""
    author: str
    time: datetime
    """Publication, or arrival when the feed names none."""
    when: str
    """``time`` in words."""
    reading: str
    """Reading time in words."""
    strength: int
    """1 to ``wording.STRENGTHS``."""
    strength_words: str
    ruling: str
    """What the person's own rules say of it; mostly empty."""
    text: str
    """The beginning of the article."""
    summary: str
    """The beginning of that."""
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A headed part of a digest."""

    name: str
    """``recommended``, ``stories``, ``rare`` or ``explore``."""
    heading: str
    introduction: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Missed:
    """A story that was held back, but not by much: its title, and how to get at it."""

    id: str
    title: str
    language: str
    url: str
    answer: str
    source: str


@dataclass(frozen=True, slots=True)
class Edition:
    """A day's digest in words."""

    date: dt.date
    day: str
    """The date in words."""
    made: datetime
    headline: str
    sections: tuple[Section, ...]
    """Only those that have entries."""
    below: tuple[Missed, ...]
    """What lies just below the line."""
    below_words: str
    """What that is, commands between backticks."""
    empty: str
    """Why there is nothing and what to do, commands between backticks; empty when there is something."""
    learning: str
    """A sentence while the filter still gets to know its reader; empty afterwards."""
    teach: str
    """How to answer by number, commands between backticks; empty when there is nothing to answer."""
    figures: tuple[Figure, ...]
    troubles: tuple[str, ...]
    """One sentence for each feed whose last attempt failed."""


_SECTIONS = (
    ("recommended", "The best", "What you most likely want to read, best first."),
    ("stories", "Told by several", "Recommended too, and carried by more than one of your feeds."),
    ("rare", "Rarely heard", "From feeds that publish seldom and would drown among the others."),
)


def edition(view: DigestView, *, zone: tzinfo | None = UTC) -> Edition:
    """Word a digest. Times are told in ``zone``; None is the machine's own.

    Pure: the same view gives the same edition.
    """
    sections = [
        Section(name, heading, introduction, tuple(_entry(each, zone, view.serve_address) for each in items))
        for (name, heading, introduction), items in zip(
            [*_SECTIONS, ("explore", "Explore", explore_words(view.status.learning))],
            (view.recommended, view.stories, view.rare, view.explore),
            strict=True,
        )
        if items
    ]
    return Edition(
        date=view.date,
        day=f"{view.date:%A}, {view.date.day} {view.date:%B %Y}",
        made=view.made or datetime.combine(view.date, dt.time(), UTC),
        headline=headline(view),
        sections=tuple(sections),
        below=tuple(_missed(item, view.serve_address) for item in view.below),
        below_words=_below_words(view),
        empty=why_empty(view),
        learning=learning(view.status),
        teach=_teach(view),
        figures=figures(view.status),
        troubles=troubles(view.status),
    )


def _entry(each: DigestItem, zone: tzinfo | None, serve_address: str) -> Entry:
    item = each.item
    time = item.published or item.arrived
    told = {plain_line(one.source, LONGEST_NAME): one for one in each.carriers or _nameless(item)}
    source = _source(item)
    others = [Telling(name, web_address(one.url)) for name, one in told.items() if name not in ("", source)]
    return Entry(
        number=each.number,
        id=item.id,
        title=_title(item),
        language=_language(item),
        url=web_address(item.url),
        answer=_answer(item, serve_address),
        source=source,
        sources=from_sources([source, *(other.source for other in others)]),
        others=tuple(others),
        author=plain_line(item.author, LONGEST_NAME),
        time=time,
        when=clock_time(time, zone),
        reading=f"{max(1, each.reading_minutes)} min read",
        strength=strength(item.score, item.threshold),
        strength_words=strength_words(item.score, item.threshold),
        ruling=plain_line(item.ruling, LONGEST_TITLE),
        text=plain_line(item.summary, TEXT),
        summary=plain_line(item.summary, SUMMARY),
        reasons=tuple(plain_line(reason, LONGEST_TITLE) for reason in each.reasons[:MAX_REASONS]),
    )


def _missed(item: InboxItem, serve_address: str) -> Missed:
    return Missed(
        id=item.id,
        title=_title(item),
        language=_language(item),
        url=web_address(item.url),
        answer=_answer(item, serve_address),
        source=_source(item),
    )


def _title(item: InboxItem) -> str:
    return plain_line(item.title, LONGEST_TITLE) or "(untitled)"


def _source(item: InboxItem) -> str:
    return plain_line(item.source, LONGEST_NAME) or "(no name)"


def _language(item: InboxItem) -> str:
    """Return the language that a title is read aloud in."""
    known = item.title.strip() and re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", item.language, re.ASCII)
    return item.language if known else ""


def _answer(item: InboxItem, serve_address: str) -> str:
    return f"{serve_address}/article/{item.id}" if serve_address else ""


def _nameless(item: InboxItem) -> list[CarrierView]:
    """Name who carried a story of which an earlier version kept no more than the names."""
    return [CarrierView(name, "", "") for name in item.sources]


def _below_words(view: DigestView) -> str:
    if not view.below:
        return ""
    came = "It came" if len(view.below) == 1 else "These came"
    example = f"`iscore like {view.below[0].id}` asks for more of the kind."
    return f"{counted(view.held_back, 'story was', 'stories were')} held back. {came} nearest; {example}"


def _teach(view: DigestView) -> str:
    if not view.numbered:
        return ""
    first, last = view.numbered[0].number, view.numbered[-1].number
    return (
        f"Answer by number: `iscore like --digest {first}` or `iscore dislike --digest {last}`. "
        f"After a newer digest, add `--date {view.date}`."
    )
