"""What a digest says beside its stories: how much there is, why there is nothing, how the filter is doing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo

from iscore.core.sanitizing import line
from iscore.presentation.wording.quantities import counted, percent, signed, two_decimals
from iscore.presentation.wording.scores import verdict_words, wanted_words
from iscore.services.views.digests import DigestView
from iscore.services.views.status import StatusView


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of how the filter is doing, and what it means."""

    name: str
    value: str
    meaning: str


def headline(view: DigestView) -> str:
    """Return how many stories there are, and out of how many."""
    picked = len(view.numbered) - len(view.explore)
    if view.explore and not picked and not view.status.learning.warm:
        said, explored = counted(len(view.explore), "story", "stories") + " to get to know you", ""
    else:
        said = (counted(picked, "story", "stories") if picked else "Nothing") + " for you"
        explored = f", {len(view.explore)} to explore" if view.explore else ""
    # A digest of an earlier version does not know what it was chosen from.
    known = view.considered > len(view.numbered)
    return f"{said}{explored}" + (f", out of {view.considered:,}" if known else "")


def why_empty(view: DigestView, zone: tzinfo | None) -> str:
    """Return why a digest has no stories and what to do, commands between backticks; empty when it has some.

    The day ends in ``zone``; None is the machine's own.
    """
    status = view.status
    if view.numbered:
        return ""
    if not status.feeds:
        return "You follow no feeds yet. `iscore feeds add URL` follows one, `iscore poll` fetches its news."
    if not status.articles:
        return "No news has been fetched yet. `iscore poll` fetches it." + _failing(status)
    if not view.considered:
        return _nothing_new(view, zone)
    return (
        f"{counted(view.considered, 'story waits', 'stories wait')}, and none passed your threshold of "
        f"{signed(status.threshold)}. `iscore inbox --all` lists what was held back." + _failing(status)
    )


def _nothing_new(view: DigestView, zone: tzinfo | None) -> str:
    if view.made is not None and view.made.astimezone(zone).date() > view.date:
        return "No digest was made on that day, and nothing that arrived then is left to be told."
    if view.arrived:
        said = "Nothing new has arrived that you have not been shown or judged before. `iscore poll` looks for more."
    else:
        said = "Nothing has arrived in these days. `iscore poll` looks for news."
    return said + _failing(view.status)


def learning(status: StatusView) -> str:
    """Return a sentence while the filter still gets to know its reader; nothing afterwards."""
    known = status.learning
    if known.warm:
        return ""
    so_far = counted(known.likes + known.dislikes, "verdict")
    wanted = wanted_words(known)
    until = f" It needs {wanted} to judge on its own." if wanted else ""
    return f"The filter is still learning: {so_far} so far.{until}"


def figures(status: StatusView) -> tuple[Figure, ...]:
    """Return how the filter was doing when the digest was made."""
    return (
        Figure("Verdicts", str(status.likes + status.dislikes), verdict_words(status)),
        Figure("Precision", percent(status.precision), "of what was recommended as it arrived, you liked this much"),
        Figure(
            "Recall",
            percent(status.recall),
            "of what you liked, this much was recommended as it arrived; knows only what you were shown",
        ),
        Figure("F0.5", two_decimals(status.f05), "both in one figure, precision counting double; 1 is perfect"),
        Figure(
            "Threshold",
            signed(status.threshold),
            "the score, in log-odds, from which an article is recommended",
        ),
        Figure(
            "Features",
            f"{status.subset_size} of {status.n_features}",
            "of an article's measures that predict your verdicts best today",
        ),
    )


def troubles(status: StatusView) -> tuple[str, ...]:
    """Return one sentence for each feed whose last attempt failed."""
    return tuple(
        f"{line(problem.title or problem.url, 120)}: {line(problem.error, 300)}" for problem in status.problems
    )


def _failing(status: StatusView) -> str:
    failing = len(status.problems)
    if not failing:
        return ""
    told = "`iscore feeds check` tells why."
    if failing >= status.feeds:
        return f" None of your feeds could be fetched; {told}"
    return f" {failing} of your {status.feeds} feeds could not be fetched; {told}"
