"""The texts of a digest beside its stories: headline, empty digest, filter status."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo

from iscore.core.sanitizing import line
from iscore.presentation.wording.quantities import counted, first_few, likelihood, percent, two_decimals
from iscore.presentation.wording.scores import verdict_words, wanted_words
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
        return f"You rated {'the only story' if view.rated == 1 else f'all {view.rated} stories'}"
    picked = len(view.numbered) - len(view.explore)
    if view.explore and not picked and not view.status.learning.warm:
        stories, explored = counted(len(view.explore), "story", "stories") + " to learn your interests", ""
    else:
        stories = (counted(picked, "story", "stories") if picked else "Nothing") + " for you"
        explored = f", {len(view.explore)} to explore" if view.explore else ""
    # Digests of earlier versions do not have this number.
    known = view.considered > len(view.numbered) + view.rated
    considered = f", out of {view.considered:,}" if known else ""
    left_out = counted(view.rated, "story you rated is", "stories you rated are") + " left out" if view.rated else ""
    return " · ".join(part for part in (f"{stories}{explored}{considered}", left_out) if part)


def why_empty(view: DigestView, zone: tzinfo | None) -> str:
    """Return why a digest has no stories and what to do; commands are in backticks. Empty if it has stories.

    The day ends in ``zone``, None for the machine's.
    """
    status = view.status
    if view.numbered:
        return ""
    if view.filtered or view.rated:
        nothing = "No story of this digest fits. `iscore digest` shows them all."
        return nothing if view.filtered else "Nothing is left of this digest. Look for more with `iscore poll`."
    if not status.feeds:
        return "You follow no feeds yet. Add one with `iscore feeds add URL`, then fetch its news with `iscore poll`."
    if not status.articles:
        return "No news yet. Fetch it with `iscore poll`." + _failing(status)
    if not view.considered:
        return _nothing_new(view, zone)
    return (
        f"{counted(view.considered, 'unread story', 'unread stories')}, none above your threshold. "
        "`iscore inbox --all` lists them." + _failing(status)
    )


def _nothing_new(view: DigestView, zone: tzinfo | None) -> str:
    if view.made is not None and view.made.astimezone(zone).date() > view.date:
        return "No digest was made on that day, and no unread stories are left from it."
    if view.arrived:
        reason = "No new stories. Look for more with `iscore poll`."
    else:
        reason = "No news arrived in these days. Fetch news with `iscore poll`."
    return reason + _failing(view.status)


def learning(status: StatusView) -> str:
    """Return the progress of learning; empty once the filter is trained."""
    known = status.learning
    if known.warm:
        return ""
    so_far = counted(known.likes + known.dislikes, "verdict")
    wanted = wanted_words(known)
    until = f" It needs {wanted}." if wanted else ""
    return f"The filter is still learning: {so_far} so far.{until}"


def figures(status: StatusView) -> tuple[Figure, ...]:
    """Return the filter status when the digest was made."""
    return (
        Figure("Verdicts", str(status.likes + status.dislikes), verdict_words(status)),
        Figure("Precision", percent(status.precision), "of the recommended articles, you liked this share"),
        Figure(
            "Recall",
            percent(status.recall),
            "of the articles you liked, this share was recommended; counts only what you saw",
        ),
        Figure(
            "F0.5",
            two_decimals(status.f05),
            "precision and recall in one number, precision counts double; 1 is perfect",
        ),
        Figure(
            "Threshold",
            likelihood(status.threshold),
            "what an article needs to be recommended",
        ),
        Figure(
            "Features",
            f"{status.subset_size} of {status.n_features}",
            "features in use, those that predict your verdicts best",
        ),
    )


def troubles(status: StatusView) -> tuple[str, ...]:
    """Return one sentence for each of a few feeds whose last fetch failed, and the number of the others."""
    failing = [f"{line(problem.title or problem.url, 120)}: {line(problem.error, 300)}" for problem in status.problems]
    return tuple(first_few(failing, "iscore feeds --failing"))


def _failing(status: StatusView) -> str:
    failing = len(status.problems)
    if not failing:
        return ""
    see = "see `iscore feeds check`."
    if failing >= status.feeds:
        return f" None of your feeds could be fetched; {see}"
    return f" {failing} of your {status.feeds} feeds could not be fetched; {see}"
