"""Texts for scores and for the progress of learning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iscore.core.translation import gettext, gettext_noop, grouped, ngettext
from iscore.filtering.delivery.limits import UNKNOWN_THRESHOLD
from iscore.presentation.wording.quantities import joined, likelihood, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from iscore.services.views.status import HiddenCheck, StatusView
    from iscore.services.views.stories import Learning
    from storage.records.decisions import RecommendationChange

UNKNOWN = gettext_noop("not known yet")
STRENGTHS = 5
"""Levels of a score's strength."""

_WORDS = (
    gettext_noop("unlikely"),
    gettext_noop("maybe"),
    gettext_noop("worth a look"),
    gettext_noop("a good match"),
    gettext_noop("a strong match"),
)
_STEPS = (-2.0, 0.0, 1.0, 3.0)
"""Margins over the threshold, in log-odds, at which the next level begins."""


def strength(score: float | None, threshold: float | None) -> int:
    """Return 1 to ``STRENGTHS``, or 0 without a score; 3 or more passes the threshold."""
    if score is None or threshold is None:
        return 0
    return 1 + sum(score - threshold >= step for step in _STEPS)


def strength_words(score: float | None, threshold: float | None) -> str:
    """Return the strength of a score in words, for instance ``a good match``.

    Before the first like nothing is known about any article; only rules make their scores differ.
    """
    if score is None or threshold is None:
        return gettext("not scored yet")
    if threshold == UNKNOWN_THRESHOLD:
        return gettext(UNKNOWN)
    return gettext(_WORDS[strength(score, threshold) - 1])


def dots_words(score: float | None, threshold: float | None, *, hidden: bool) -> str:
    """Return what dots say to screen readers: ``a good match, 4 of 5``, ``hidden: unlikely, 1 of 5``.

    Empty while nothing is known, so that there are no dots.
    """
    if score is None or threshold is None or threshold == UNKNOWN_THRESHOLD:
        return ""
    words = {"words": strength_words(score, threshold), "number": strength(score, threshold), "all": STRENGTHS}
    if hidden:
        return gettext("hidden: %(words)s, %(number)s of %(all)s", **words)
    return gettext("%(words)s, %(number)s of %(all)s", **words)


def match_words(score: float, threshold: float, boost: float) -> str:
    """Return how likely an article is, and how strong: ``71 % likely, a good match``.

    A ``boost`` of the user's rules makes a match stronger; that does not make it likelier that the user likes it.
    """
    if threshold == UNKNOWN_THRESHOLD:
        return gettext(UNKNOWN)
    return f"{likelihood(score)}, {strength_words(score + boost, threshold)}"


def interest_words(name: str) -> str:
    """Return ``matches your interest 'offshore wind'``; empty without a name."""
    return gettext("matches your interest %(name)s", name=repr(name)) if name else ""


def share_words(found: HiddenCheck) -> str:
    """Return the range of the share of hidden stories that the user likes: ``1–24 %``; a dash without a check."""
    return f"{100 * found.low:.0f}–{percent(found.high)}" if found.checked else percent(None)


def checked_words(found: HiddenCheck) -> str:
    """Return how many of the hidden stories that the user checked they like, without the range."""
    if not found.checked:
        return gettext("no hidden story checked yet")
    return ngettext(
        "of %(count)s hidden story that you checked you like %(liked)s",
        "of %(count)s hidden stories that you checked you like %(liked)s",
        found.checked,
        liked=grouped(found.liked),
    )


def missed_words(found: HiddenCheck) -> str:
    """Return how many hidden stories that the user checked they like, with the range of the share of all."""
    return f"{checked_words(found)} ({share_words(found)})" if found.checked else checked_words(found)


def explore_words(learning: Learning) -> str:
    """Return the introduction of the explored stories."""
    if learning.trained:
        return gettext("The best of what is below your threshold. Verdicts here help the filter most.")
    return gettext("A selection to learn your interests. Verdicts here help the filter most.")


def change_words(change: RecommendationChange | None) -> str:
    """Return a change of the number of recommendations with its cause, as a sentence; empty without one."""
    if change is None:
        return ""
    if change.before == change.after:
        return ngettext(
            "All articles have new scores after an upgrade of iScore; %(count)s is recommended, as before.",
            "All articles have new scores after an upgrade of iScore; %(count)s are recommended, as before.",
            change.after,
        )
    numbers = (
        (change.arrived, ngettext("%(count)s new article", "%(count)s new articles", change.arrived)),
        (change.verdicts, ngettext("%(count)s verdict", "%(count)s verdicts", change.verdicts)),
        (
            change.imported,
            ngettext("%(count)s interest or example", "%(count)s interests or examples", change.imported),
        ),
        (change.undone, ngettext("%(count)s undone verdict", "%(count)s undone verdicts", change.undone)),
    )
    causes = [words for number, words in numbers if number]
    if change.upgraded:
        causes.append(gettext("an upgrade of iScore"))
    before, after = grouped(change.before), grouped(change.after)
    if not causes:
        return gettext(
            "Recommendations went from %(before)s to %(after)s after relearning.", before=before, after=after
        )
    return gettext(
        "Recommendations went from %(before)s to %(after)s after %(causes)s.",
        before=before,
        after=after,
        causes=joined(causes),
    )


def learning_words(learning: Learning) -> str:
    """Return the progress of learning; empty once the filter is trained."""
    if learning.trained:
        return ""
    verdicts = learning.likes + learning.dislikes
    words = ngettext("learning: %(count)s verdict so far", "learning: %(count)s verdicts so far", verdicts)
    return ", ".join([words, *imported_words(learning)])


def imported_words(learning: Learning) -> list[str]:
    """Return what the filter knows besides verdicts: ``2 interests``, ``3 imported items``."""
    interests, imported = learning.interests, learning.imported - learning.interests
    counts = (
        (interests, ngettext("%(count)s interest", "%(count)s interests", interests)),
        (imported, ngettext("%(count)s imported item", "%(count)s imported items", imported)),
    )
    return [words for number, words in counts if number]


def unmet_words(unmet: Sequence[str], days: int) -> str:
    """Return which interests in words no article of the last days is about; empty without any."""
    if not unmet:
        return ""
    names = joined([repr(name) for name in unmet])
    return ngettext(
        "No article of the last day is about %(names)s yet.",
        "No article of the last %(count)s days is about %(names)s yet.",
        days,
        names=names,
    )


def wanted_words(learning: Learning, *, needed: int = 5) -> str:
    """Return what the filter still needs, as ``3 more likes and 1 more dislike``; empty if nothing."""
    likes, dislikes = needed - learning.likes, needed - learning.dislikes
    wanted = (
        (likes, ngettext("%(count)s more like", "%(count)s more likes", likes)),
        (dislikes, ngettext("%(count)s more dislike", "%(count)s more dislikes", dislikes)),
    )
    return joined([words for number, words in wanted if number > 0])


def verdict_words(status: StatusView) -> str:
    """Return the verdicts so far: ``12 likes, 30 dislikes, 4 skips``, and imported items if there are any."""
    words = [
        ngettext("%(count)s like", "%(count)s likes", status.likes),
        ngettext("%(count)s dislike", "%(count)s dislikes", status.dislikes),
        ngettext("%(count)s skip", "%(count)s skips", status.skips),
    ]
    return ", ".join([*words, *imported_words(status.learning)])
