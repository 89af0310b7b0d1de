"""What the user sees of a review: the same parts on a full screen and line by line."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from iscore.cli.reading.inbox import dots
from iscore.cli.review.controller import Controller, Summary
from iscore.cli.review.keys import KEYS
from iscore.cli.review.session import Page, Session
from iscore.cli.terminal.output import line, styled
from iscore.core.sanitizing import shortened
from iscore.core.translation import UNTITLED
from iscore.presentation.wording.quantities import counted
from iscore.presentation.wording.scores import strength_words, wanted_words
from iscore.presentation.wording.story import MAX_TEXT, from_sources, text_below
from iscore.presentation.wording.times import age_of
from iscore.services.views.stories import StoryView
from storage.records.users import Kind

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from iscore.services.news_filter import NewsFilter


def progress(session: Session) -> str:
    """Return the position and the verdicts so far: ``3 of 27 · 2 likes, 1 dislike``."""
    given = verdict_counts(session.counts())
    position = f"{session.number:,} of {session.total:,}" if session.here is not None else "The end"
    return f"{position} · {given}" if given else position


def heading(session: Session) -> Text:
    """Lay out the first line of a screen."""
    return styled(progress(session), "bold")


def verdict_counts(counts: dict[Kind, int]) -> str:
    """Return counts of verdicts in words, likes first; empty without any."""
    kinds = ((Kind.LIKE, "like"), (Kind.DISLIKE, "dislike"), (Kind.SKIP, "skip"))
    return ", ".join(counted(counts[kind], noun) for kind, noun in kinds if counts.get(kind))


def about(story: StoryView, now: datetime) -> str:
    """Return sources, author, age and ID."""
    parts = (
        from_sources(story.source_names),
        story.author,
        age_of(story.published, now),
        story.id,
    )
    return " · ".join(line(part) for part in parts if part)


def assessment(story: StoryView) -> str:
    """Return what the filter, the user's rules and the user think of a story."""
    parts = (
        strength_words(story.score, story.threshold),
        "to explore" if story.explore else "" if story.interesting else "hidden",
        story.rule_outcome,
        f"your verdict: {story.verdict}" if story.verdict else "",
    )
    return " · ".join(line(part) for part in parts if part)


def article(story: StoryView, now: datetime) -> list[RenderableType]:
    """Lay out an article: title, details, assessment, the start of its text, address."""
    lines: list[RenderableType] = [
        styled(story.title or UNTITLED, "bold"),
        styled(about(story, now), "dim"),
        dots(story).append_text(styled(assessment(story), "default", indent=" ")),
    ]
    for part, style in ((shortened(line(text_below(story)), MAX_TEXT), ""), (story.url, "cyan")):
        if part:
            lines += ["", styled(part, style)]
    return lines


def sources(story: StoryView) -> list[RenderableType]:
    """List the sources that report the story, each with the digit that opens it."""
    lines: list[RenderableType] = [styled(story.title or UNTITLED, "bold"), ""]
    for number, each in enumerate(story.sources, start=1):
        lines.append(styled(each.source, "bold", indent=f"{number}  "))
        lines.append(styled(each.title, indent="   "))
        if each.url:
            lines.append(styled(each.url, "cyan", indent="   "))
    return [*lines, "", styled("Press a digit to open one in the browser.", "dim")]


def help_page() -> list[RenderableType]:
    """List the keys."""
    lines: list[RenderableType] = [styled(what, indent=f"{key}  ") for key, what in KEYS]
    return [
        *lines,
        "",
        styled("Arrow keys, Enter, Space and Backspace work too. On a long page, Space and b scroll."),
        styled("Each verdict is saved before the next article appears. Skipped and postponed articles teach nothing."),
        styled("The order of articles does not change until you refresh or start again."),
    ]


def mute_question(story: StoryView) -> list[RenderableType]:
    """Ask what to mute."""
    lines: list[RenderableType] = [
        styled("Never show again:", "bold"),
        styled(f"the source {story.source}", indent="s  "),
        *([styled(f"the author {story.author}", indent="a  ")] if story.author else []),
        styled("a word or phrase, anywhere in an article", indent="w  "),
        "",
        styled("Any other key cancels.", "dim"),
    ]
    return lines


def end_page(session: Session) -> list[RenderableType]:
    """Lay out the end of the session and what can be done there."""
    left = sum(1 for _ in session.undecided)
    lines: list[RenderableType] = [styled("No more articles.", "bold"), ""]
    if left:
        lines.append(styled(f"review {counted(left, 'article')} that you postponed", indent="n  "))
    others = (("b", "go back"), ("r", "learn and look for more"), ("q", "quit"))
    return [*lines, *(styled(what, indent=f"{key}  ") for key, what in others)]


def body(session: Session, story: StoryView | None, now: datetime) -> list[RenderableType]:
    """Lay out the session's current page, if it needs nothing from the news filter."""
    if session.page is Page.HELP:
        return help_page()
    if story is None:
        return end_page(session)
    match session.page:
        case Page.STORY:
            return sources(story)
        case Page.MUTE:
            return mute_question(story)
        case Page.WORD:
            return [styled("Never show articles with this word or phrase. Enter mutes it, Escape cancels.", "bold")]
    return article(story, now)


def page(controller: Controller, news: NewsFilter, now: datetime) -> list[RenderableType]:
    """Lay out the session's current page. Raises what ``NewsFilter`` raises."""
    from iscore.cli.reading import show, why

    if controller.story is not None and controller.session.page is Page.TEXT:
        return show.article(news.show(controller.story.id), now)
    if controller.story is not None and controller.session.page is Page.WHY:
        return why.explanation(news.why(controller.story.id), now)
    return body(controller.session, controller.story, now)


def summary_lines(summary: Summary, command: str) -> list[str]:
    """Return the result of a session in words, and what to do next. ``command`` continues it."""
    given = verdict_counts({Kind.LIKE: summary.likes, Kind.DISLIKE: summary.dislikes, Kind.SKIP: summary.skips})
    later = f"{counted(summary.postponed, 'article')} postponed" if summary.postponed else ""
    lines = ["; ".join(part for part in (given or "No verdicts", later) if part) + "."]
    if summary.muted:
        lines.append(f"Muted: {', '.join(map(line, summary.muted))}. `iscore rules list` shows your rules.")
    before, after = summary.before.waiting, summary.after.waiting
    fewer = f", {before - after:,} fewer." if after < before else "."
    lines.append(f"{counted(after, 'article')} in your inbox{fewer}")
    needed = wanted_words(summary.after.learning)
    if needed and given:
        lines.append(f"The filter needs {needed} before it can decide on its own.")
    lines.append(
        "`iscore inbox` shows the updated inbox." if given or summary.muted else f"`{command}` continues the review."
    )
    return lines
