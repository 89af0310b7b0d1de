"""What the model has learned: how features go with the verdicts, and which words go with likes and with dislikes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from extractors.text.terms import N_TERMS, TermVector
from iscore.filtering.delivery.limits import is_trained
from iscore.filtering.model import ReaderModel
from iscore.learners.learner import Explanation
from iscore.services.learning.reasons import can_be_named
from iscore.services.views.history import FeatureChange, FeatureHistory, FeaturesInUse, WordOpinion

MOST_FEATURES = 24
"""Features shown: those with the largest correlation now or a month ago."""


def explained(model: ReaderModel) -> Explanation:
    """Return the classifier's explanation of its features, which does not depend on the article."""
    return model.classifier.explain_one(np.full(len(model.names), np.nan))


def correlations(model: ReaderModel) -> dict[str, float] | None:
    """Return each feature's correlation with the verdicts; None while the classifier is untrained."""
    return dict(zip(model.names, explained(model).correlations.tolist(), strict=True)) if model.trained else None


def in_use(saved: Iterable[tuple[int, Mapping[str, Any]]], spare: ReaderModel) -> Iterator[tuple[int, int]]:
    """Return the row and the number of features in use of each saved state in which the classifier judges.

    ``saved`` are states of models like ``spare``, which is used up.
    """
    for row, state in saved:
        if is_trained(state["likes"], state["dislikes"]):
            spare.classifier.restore(state["classifier"])
            yield row, explained(spare).subset_size


def feature_history(
    now: ReaderModel,
    then: ReaderModel | None,
    *,
    before: datetime | None,
    used: Sequence[FeaturesInUse],
) -> FeatureHistory:
    """Lay today's model beside that of a month ago, if there was one."""
    today = correlations(now) or {}
    earlier = None if then is None else correlations(then)
    weight = {name: max(abs(value), abs((earlier or {}).get(name, 0.0))) for name, value in today.items()}
    shown = sorted((name for name in weight if weight[name] > 0.0), key=lambda name: -weight[name])[:MOST_FEATURES]
    return FeatureHistory(
        n_features=len(now.names),
        in_use=tuple(used),
        changes=tuple(
            FeatureChange(
                name=name,
                meaning=now.features.extractor_of[name].meanings[name],
                now=today[name],
                before=None if earlier is None else earlier.get(name, 0.0),
                scope=now.features.extractor_of[name].scope,
            )
            for name in shown
        ),
        before=before,
    )


FEWEST_STORIES = 3
"""Stories that must have a word."""
MOST_WORDS = 20
"""Words shown of each kind."""
_Z = 1.96

Spell = Callable[[Sequence[int]], Mapping[int, Mapping[int, str]]]
"""Story → term → spelling, for stories whose text there still is."""


@dataclass(frozen=True, slots=True)
class SignificantTerm:
    """A term that goes with likes (``log_odds`` > 0) or dislikes."""

    term: int
    liked: int
    disliked: int
    log_odds: float


def significant_terms(
    liked: Iterable[TermVector], disliked: Iterable[TermVector]
) -> tuple[list[SignificantTerm], list[SignificantTerm]]:
    """Return the terms that surely go with likes, and those with dislikes, the surest first.

    In k of n liked stories a word occurs, in l of m disliked ones. Its log-odds ratio, each count with ½ more (Haldane
    1956, Anscombe 1956), and that ratio's standard error are

        r = ln((k + ½)/(n − k + ½)) − ln((l + ½)/(m − l + ½))
        s² = 1/(k + ½) + 1/(n − k + ½) + 1/(l + ½) + 1/(m − l + ½)

    Words are ordered by |r| − 1.96 s, the end of the 95 % interval that is nearer to 0: so what is seldom seen comes
    after what is sure. Words of which not even that is above 0 are left out.
    """
    k, n = _having(liked)
    m_having, m = _having(disliked)
    (terms,) = np.nonzero(k + m_having >= FEWEST_STORIES)
    k, low = k[terms].astype(np.float64), m_having[terms].astype(np.float64)
    parts = (k + 0.5, n - k + 0.5, low + 0.5, m - low + 0.5)
    ratio = np.log(parts[0] / parts[1]) - np.log(parts[2] / parts[3])
    sure = np.abs(ratio) - _Z * np.sqrt(sum(1.0 / part for part in parts))
    order = [place for place in np.lexsort((terms, -sure)).tolist() if sure[place] > 0.0]
    found = [SignificantTerm(int(terms[at]), int(k[at]), int(low[at]), float(ratio[at])) for at in order]
    return [each for each in found if each.log_odds > 0], [each for each in found if each.log_odds < 0]


def spelled(
    found: Sequence[SignificantTerm], having: Mapping[int, Sequence[int]], spell: Spell
) -> tuple[WordOpinion, ...]:
    """Put terms into words, ``MOST_WORDS`` at most; those that no text spells any more, and those that name no
    subject, are left out.

    ``having`` names for each term some stories that have it, those to be looked at first in front.
    """
    words: list[WordOpinion] = []
    known: dict[int, Mapping[int, str]] = {}
    for each in found:
        stories = having.get(each.term, ())
        new = [story for story in stories if story not in known]
        known |= {story: {} for story in new} | dict(spell(new))
        spellings = [known[story][each.term] for story in stories if each.term in known[story]]
        if spellings and can_be_named(spellings[0]):
            # The beginning of a sentence is seldom how a word is written.
            word = min(spellings, key=lambda spelling: (not spelling.islower(), spellings.index(spelling)))
            words.append(WordOpinion(word, each.liked, each.disliked, each.log_odds))
        if len(words) == MOST_WORDS:
            break
    return tuple(words)


def _having(stories: Iterable[TermVector]) -> tuple[npt.NDArray[np.int64], int]:
    """Count in how many stories each term is, shape (N_TERMS,), and the stories."""
    ids = [story.ids for story in stories]
    return np.bincount(np.concatenate([*ids, np.empty(0, dtype=np.int32)]), minlength=N_TERMS), len(ids)
