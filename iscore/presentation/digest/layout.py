"""An edition: what one day's digest says, in the words and the order in which it says it.

    DigestView ─► edition() ─► Edition ─► render_text, render_html, render_mail
                                     └──► with those before it: render_atom, render_json_feed

``edition`` decides and words, each story by ``iscore.presentation.wording.story``; the renderers only lay out.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from iscore.presentation.digest.summary import Figure, figures, headline, learning, troubles, why_empty
from iscore.presentation.wording.quantities import counted
from iscore.presentation.wording.scores import explore_words
from iscore.presentation.wording.story import Story, story
from iscore.services.views.digests import DigestView
from iscore.services.views.inbox import InboxItem, ListedStory


@dataclass(frozen=True, slots=True)
class Entry:
    """One story of a digest, ready to be laid out."""

    number: int
    """What ``iscore like --digest`` takes; 0 below the line, where nothing is delivered."""
    answer: str
    """Where `iscore serve` shows the story with its buttons; empty when it is not known."""
    story: Story


@dataclass(frozen=True, slots=True)
class Section:
    """A headed part of a digest."""

    name: str
    """``recommended``, ``stories``, ``rare`` or ``explore``."""
    heading: str
    introduction: str
    entries: tuple[Entry, ...]


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
    below: tuple[Entry, ...]
    """What was held back, but not by much: its title, and how to get at it."""
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
        below=tuple(_missed(item, zone, view.serve_address) for item in view.below),
        below_words=_below_words(view),
        empty=why_empty(view, zone),
        learning=learning(view.status),
        teach=_teach(view),
        figures=figures(view.status),
        troubles=troubles(view.status),
    )


def _entry(each: ListedStory, zone: tzinfo | None, serve_address: str) -> Entry:
    item = each.item
    told = story(
        item,
        zone,
        text=item.summary,
        carriers=each.carriers,
        reasons=each.reasons,
        reading_minutes=each.reading_minutes,
    )
    return Entry(each.number, _answer(item, serve_address), told)


def _missed(item: InboxItem, zone: tzinfo | None, serve_address: str) -> Entry:
    return Entry(0, _answer(item, serve_address), story(item, zone, text=item.summary))


def _answer(item: InboxItem, serve_address: str) -> str:
    return f"{serve_address}/article/{item.id}" if serve_address else ""


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
