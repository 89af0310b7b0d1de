"""The list pages: order, sections and texts. Pure: views in, what the template shows out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

from iscore.core.translation import gettext, gettext_noop, ngettext
from iscore.presentation.wording.scores import learning_words, wanted_words
from iscore.presentation.wording.story import VERDICT_WORDS, StoryEntry, story_entry, title_line
from iscore.services.views.stories import InboxView, Learning, StoryView
from storage.records.users import Kind, RecentVerdict

_NOW = {
    Kind.LIKE: gettext_noop("liked"),
    Kind.DISLIKE: gettext_noop("disliked"),
    Kind.SKIP: gettext_noop("skipped"),
    Kind.IMPORTED: gettext_noop("imported"),
}


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a list with a heading."""

    name: str
    heading: str
    entries: tuple[StoryEntry, ...]


@dataclass(frozen=True, slots=True)
class Message:
    """Confirms a verdict."""

    text: str
    title: str
    undo: str
    """Id of the article whose verdict can be undone; empty if none can."""


def order(stories: Sequence[StoryView], learning: Learning, now: datetime, zone: tzinfo | None) -> list[StoryView]:
    """Return stories in reading order: by interest at first, today, earlier, explore; each best first, as given."""
    names = _names(stories, learning)
    return sorted(stories, key=lambda each: _part(each, names, now, zone))


def has_moved(
    stories: Sequence[StoryView], fresh: Sequence[str], learning: Learning, now: datetime, zone: tzinfo | None
) -> bool:
    """Whether the unrated of ``stories`` would be in another order, or others in their place.

    ``fresh``: the ids of the list as it would be read now, best first.
    """
    unrated = [each for each in stories if not each.verdict]
    places = {each: number for number, each in enumerate(fresh[: len(unrated)])}
    if places.keys() != {each.id for each in unrated}:
        return True
    return order(sorted(unrated, key=lambda each: places[each.id]), learning, now, zone) != unrated


def sections(
    stories: Sequence[StoryView],
    reasons: Mapping[str, tuple[str, ...]],
    *,
    learning: Learning,
    now: datetime,
    zone: tzinfo | None,
) -> tuple[Section, ...]:
    """Build the sections of the inbox in the given order; times in ``zone``, None for the machine's."""
    names = _names(stories, learning)
    headed = (
        *((f"interest-{number}", name) for number, name in enumerate(names, 1)),
        ("today", gettext("Today")),
        ("earlier", gettext("Earlier")),
        ("explore", gettext("Explore")),
    )
    parts: list[list[StoryEntry]] = [[] for _ in headed]
    for each in stories:
        parts[_part(each, names, now, zone)].append(_entry(each, reasons, now, zone))
    return tuple(
        Section(name, heading, tuple(entries))
        for (name, heading), entries in zip(headed, parts, strict=True)
        if entries
    )


def hidden(
    stories: Sequence[StoryView], reasons: Mapping[str, tuple[str, ...]], *, now: datetime, zone: tzinfo | None
) -> tuple[Section, ...]:
    """Build the list of hidden stories."""
    entries = tuple(_entry(each, reasons, now, zone) for each in stories)
    return (Section("hidden-stories", gettext("Closest calls first"), entries),) if entries else ()


def _entry(story: StoryView, reasons: Mapping[str, tuple[str, ...]], now: datetime, zone: tzinfo | None) -> StoryEntry:
    return story_entry(replace(story, reasons=reasons.get(story.id, ())), now, zone)


def message(verdict: RecentVerdict | None) -> Message | None:
    """Confirm a verdict, with an undo while it is in force; None without a verdict."""
    if verdict is None:
        return None
    title = title_line(verdict.title)
    if verdict.is_current:
        return Message(gettext(VERDICT_WORDS[verdict.kind]), title, verdict.article_id)
    if verdict.kind is Kind.UNDO and verdict.current is None:
        return Message(gettext("Undone"), title, "")
    holds = gettext(_NOW[verdict.current] if verdict.current else gettext_noop("no verdict"))
    former = gettext("Undone") if verdict.kind is Kind.UNDO else gettext(VERDICT_WORDS[verdict.kind])
    text = gettext("%(before)s, and changed since: now %(verdict)s", before=former, verdict=holds)
    return Message(text, title, "")


def headline(view: InboxView) -> str:
    """Return the number of listed and hidden stories, and the progress of learning."""
    listed = gettext("No stories for you")
    if view.waiting:
        listed = ngettext("%(count)s story for you", "%(count)s stories for you", view.waiting)
    hidden = ngettext("%(count)s hidden", "%(count)s hidden", view.hidden) if view.hidden else ""
    return " · ".join(part for part in (listed, hidden, learning_words(view.learning)) if part)


def learning_note(view: InboxView) -> str:
    """Return what the filter still needs to learn; empty once it is trained."""
    wanted = wanted_words(view.learning)
    if view.learning.trained or not wanted or not view.has_articles:
        return ""
    return gettext("The filter is still learning. It needs %(wanted)s.", wanted=wanted)


def why_empty(view: InboxView, unscored: int) -> str:
    """Return why the list is empty. ``unscored``: the articles that wait to be scored."""
    if not view.feeds and not view.has_articles:
        return gettext("You follow no feeds yet.")
    if not view.has_articles:
        return gettext("No news yet. It appears here after the next poll.")
    if unscored:
        return ngettext(
            "Scoring %(count)s article. Your stories appear here in a minute or two.",
            "Scoring %(count)s articles. Your stories appear here in a minute or two.",
            unscored,
        )
    if view.hidden:
        return gettext("Nothing is recommended at the moment. Rating hidden stories teaches the filter.")
    return gettext("Nothing new. New stories appear here after the next poll.")


def needs_a_start(view: InboxView) -> bool:
    """Whether the page offers headlines: nothing is known of the reader, or little, and nothing is left to read."""
    learning = view.learning
    known = learning.likes or learning.dislikes or learning.imported
    return view.has_articles and (not known or not (view.waiting or learning.trained))


def recorded_words(verdicts: Mapping[Kind, int]) -> str:
    """Return what was recorded, by kinds."""
    likes, dislikes = (verdicts.get(kind, 0) for kind in (Kind.LIKE, Kind.DISLIKE))
    return gettext(
        "Recorded %(likes)s and %(dislikes)s.",
        likes=ngettext("%(count)s like", "%(count)s likes", likes),
        dislikes=ngettext("%(count)s dislike", "%(count)s dislikes", dislikes),
    )


def _names(stories: Sequence[StoryView], learning: Learning) -> list[str]:
    """Return the interests that have sections, in order of the stories: all while little else is known of the user."""
    if not learning.interests or learning.trained:
        return []
    return [name for name in dict.fromkeys(each.interest for each in stories) if name]


def _part(item: StoryView, names: Sequence[str], now: datetime, zone: tzinfo | None) -> int:
    """Return the number of a story's section, given the interests that have one."""
    if item.interest in names:
        return names.index(item.interest)
    if item.explore and not item.interesting:
        return len(names) + 2
    published = item.published or item.arrived
    return len(names) + int(published.astimezone(zone).date() < now.astimezone(zone).date())
