"""A digest: what one day's digest says, in the words and the order in which it says it.

    DigestView ─► build_digest() ─► Digest ─► render_text, render_html, render_mail
                                     └──► with those before it: render_atom, render_json_feed

``build_digest`` decides and words, each story by ``iscore.presentation.wording.story``; the renderers only lay out.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from itertools import groupby

from iscore.core.sanitizing import line
from iscore.core.translation import gettext, grouped, ngettext
from iscore.presentation.wording.dates import full_day
from iscore.presentation.wording.quantities import first_few, likelihood, percent
from iscore.presentation.wording.scores import checked_words, explore_words, share_words, verdict_words, wanted_words
from iscore.presentation.wording.stored_errors import feed_error_text
from iscore.presentation.wording.story import StoryEntry, story_entry
from iscore.services.views.digests import DigestView
from iscore.services.views.status import StatusView
from iscore.services.views.stories import StoryView


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of the filter status, with its meaning."""

    name: str
    value: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a digest with a heading."""

    name: str
    """``recommended``, ``interest-1`` and so on, ``stories``, ``rare`` or ``explore``."""
    heading: str
    introduction: str
    entries: tuple[StoryEntry, ...]


@dataclass(frozen=True, slots=True)
class Digest:
    """One day's digest."""

    date: dt.date
    day: str
    """The date in words."""
    made: datetime
    headline: str
    sections: tuple[Section, ...]
    """Without empty ones."""
    below: tuple[StoryEntry, ...]
    """Stories just below the threshold."""
    below_words: str
    """Their introduction; commands are in backticks."""
    empty: str
    """Why the digest is empty and what to do; commands are in backticks. Empty if it has stories."""
    learning: str
    """What the filter still needs to learn; empty once it is trained."""
    voting: str
    """How to vote by number; commands are in backticks. Empty without stories."""
    figures: tuple[Figure, ...]
    troubles: tuple[str, ...]
    """One sentence for each feed whose last attempt failed."""


def build_digest(view: DigestView, *, zone: tzinfo | None = UTC) -> Digest:
    """Build a digest; times in ``zone``, None for the machine's. Pure."""
    made = view.made or datetime.combine(view.date, dt.time(), UTC)

    def entry(story: StoryView) -> StoryEntry:
        answer = f"{view.serve_address}/article/{story.id}" if view.serve_address else ""
        return story_entry(story, made, zone, answer=answer)

    sections = [
        Section(name, heading, introduction, tuple(map(entry, items)))
        for name, heading, introduction, items in (
            (
                "recommended",
                gettext("Top stories"),
                gettext("What you most likely want to read, best first."),
                view.recommended,
            ),
            *_interests(view.by_interest),
            (
                "stories",
                gettext("In several feeds"),
                gettext("Recommended, and reported by more than one of your feeds."),
                view.stories,
            ),
            ("rare", gettext("Rare sources"), gettext("From feeds that publish rarely."), view.rare),
            ("explore", gettext("Explore"), explore_words(view.status.learning), view.explore),
        )
        if items
    ]
    return Digest(
        date=view.date,
        day=full_day(view.date),
        made=made,
        headline=headline(view),
        sections=tuple(sections),
        below=tuple(map(entry, view.below)),
        below_words=_below_words(view),
        empty=why_empty(view, zone),
        learning=learning(view.status),
        voting=_voting(view),
        figures=figures(view.status),
        troubles=troubles(view.status),
    )


def _interests(stories: Sequence[StoryView]) -> list[tuple[str, str, str, tuple[StoryView, ...]]]:
    """Return name, heading, introduction and stories of the section of each interest."""
    groups = groupby(stories, key=lambda each: each.interest)
    return [
        (f"interest-{number}", line(name), gettext("Recommended, on an interest of yours."), tuple(items))
        for number, (name, items) in enumerate(groups, 1)
    ]


def _below_words(view: DigestView) -> str:
    if not view.below:
        return ""
    hidden = ngettext(
        "%(count)s story was hidden; these came closest.",
        "%(count)s stories were hidden; these came closest.",
        view.hidden,
    )
    example = gettext("If you like one, say so with `iscore like %(id)s`.", id=view.below[0].id)
    return f"{hidden} {example}"


def _voting(view: DigestView) -> str:
    if not view.numbered:
        return ""
    first, last = view.numbered[0].number, view.numbered[-1].number
    return gettext(
        "Rate by number: `iscore like --digest %(first)s` or `iscore dislike --digest %(last)s`. "
        "After a newer digest, add `--date %(day)s`.",
        first=first,
        last=last,
        day=view.date,
    )


def headline(view: DigestView) -> str:
    """Return the number of stories, of how many, and how many of them have been rated since."""
    if view.rated and not view.numbered:
        return ngettext("You rated the only story", "You rated all %(count)s stories", view.rated)
    picked = len(view.numbered) - len(view.explore)
    if view.explore and not picked and not view.status.learning.trained:
        explored = ""
        stories = ngettext(
            "%(count)s story to learn your interests", "%(count)s stories to learn your interests", len(view.explore)
        )
    else:
        stories = gettext("Nothing for you")
        if picked:
            stories = ngettext("%(count)s story for you", "%(count)s stories for you", picked)
        explored = ngettext("%(count)s to explore", "%(count)s to explore", len(view.explore)) if view.explore else ""
    # Digests of earlier versions do not have this number.
    known = view.considered > len(view.numbered) + view.rated
    considered = gettext("out of %(number)s", number=grouped(view.considered)) if known else ""
    left_out = ""
    if view.rated:
        left_out = ngettext(
            "%(count)s story you rated is left out", "%(count)s stories you rated are left out", view.rated
        )
    numbers = ", ".join(part for part in (stories, explored, considered) if part)
    return " · ".join(part for part in (numbers, left_out) if part)


def why_empty(view: DigestView, zone: tzinfo | None) -> str:
    """Return why a digest has no stories and what to do; commands are in backticks. Empty if it has stories.

    The day ends in ``zone``, None for the machine's.
    """
    status = view.status
    if view.numbered:
        return ""
    if view.filtered or view.rated:
        nothing = gettext("No story of this digest fits. `iscore digest` shows them all.")
        return (
            nothing if view.filtered else gettext("Nothing is left of this digest. Look for more with `iscore poll`.")
        )
    if not status.feeds:
        return gettext(
            "You follow no feeds yet. Add one with `iscore feeds add URL`, then fetch its news with `iscore poll`."
        )
    if not status.articles:
        return gettext("No news yet. Fetch it with `iscore poll`.") + _failing(status)
    if not view.considered:
        return _nothing_new(view, zone)
    unread = ngettext(
        "%(count)s unread story, none above your threshold. `iscore inbox --all` lists them.",
        "%(count)s unread stories, none above your threshold. `iscore inbox --all` lists them.",
        view.considered,
    )
    return unread + _failing(status)


def _nothing_new(view: DigestView, zone: tzinfo | None) -> str:
    if view.made is not None and view.made.astimezone(zone).date() > view.date:
        return gettext("No digest was made on that day, and no unread stories are left from it.")
    if view.arrived:
        reason = gettext("No new stories. Look for more with `iscore poll`.")
    else:
        reason = gettext("No news arrived in these days. Fetch news with `iscore poll`.")
    return reason + _failing(view.status)


def learning(status: StatusView) -> str:
    """Return the progress of learning; empty once the filter is trained."""
    known = status.learning
    if known.trained:
        return ""
    so_far = ngettext(
        "The filter is still learning: %(count)s verdict so far.",
        "The filter is still learning: %(count)s verdicts so far.",
        known.likes + known.dislikes,
    )
    wanted = wanted_words(known)
    return f"{so_far} " + gettext("It needs %(wanted)s.", wanted=wanted) if wanted else so_far


def figures(status: StatusView) -> tuple[Figure, ...]:
    """Return how well the filter did when the digest was made; empty while nothing is known of that."""
    if status.precision is None and not status.checked.checked:
        return ()
    return (
        Figure(gettext("Verdicts"), str(status.likes + status.dislikes), verdict_words(status)),
        Figure(
            gettext("Liked"),
            percent(status.precision),
            gettext("of the recommended articles that you rated"),
        ),
        Figure(
            gettext("Missed"),
            share_words(status.checked),
            checked_words(status.checked),
        ),
        Figure(
            gettext("Threshold"),
            likelihood(status.threshold),
            gettext("what an article needs to be recommended"),
        ),
    )


def troubles(status: StatusView) -> tuple[str, ...]:
    """Return one sentence for each of a few feeds whose last fetch failed, and the number of the others."""
    failing = [
        f"{line(problem.title or problem.url, 120)}: {feed_error_text(line(problem.error, 300))}"
        for problem in status.problems
    ]
    return tuple(first_few(failing, "iscore feeds --failing"))


def _failing(status: StatusView) -> str:
    failing = len(status.problems)
    if not failing:
        return ""
    if failing >= status.feeds:
        return " " + gettext("None of your feeds could be fetched; see `iscore feeds check`.")
    sentence = gettext(
        "%(failing)s of your %(feeds)s feeds could not be fetched; see `iscore feeds check`.",
        failing=failing,
        feeds=status.feeds,
    )
    return f" {sentence}"
