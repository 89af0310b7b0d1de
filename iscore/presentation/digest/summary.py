"""The texts of a digest beside its stories: headline, empty digest, filter status."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo

from iscore.core.sanitizing import line
from iscore.core.translation import gettext, grouped, ngettext
from iscore.presentation.wording.quantities import first_few, likelihood, percent
from iscore.presentation.wording.scores import verdict_words, wanted_words
from iscore.presentation.wording.stored_errors import feed_error_text
from iscore.services.views.digests import DigestView
from iscore.services.views.status import StatusView


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of the filter status, with its meaning."""

    name: str
    value: str
    meaning: str


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
    if status.precision is None and status.recall is None:
        return ()
    return (
        Figure(gettext("Verdicts"), str(status.likes + status.dislikes), verdict_words(status)),
        Figure(
            gettext("Liked"),
            percent(status.precision),
            gettext("of the recommended articles that you rated"),
        ),
        Figure(
            gettext("Found"),
            percent(status.recall),
            gettext("of the articles that you liked were recommended; counts only what you saw"),
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
