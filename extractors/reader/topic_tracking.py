"""Whether an article is about one of the topics that the reader follows.

Multiple topic tracking: liked articles are clustered in one pass into profiles, each with an interestingness of its
own, because a reader with several interests has no middle that one profile could describe. Pon, Cardenas, Buttler &
Critchlow 2007, "Tracking multiple topics for finding interesting articles" (KDD).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.extractor import ReaderExtractor, Verdicts
from extractors.numba_kernel import compiled
from extractors.reader.topic_profiles import (
    Profiles,
    TopicProfiles,
    drop,
    find_cosines,
    join,
    largest_product,
    shrink,
)
from extractors.state import State, array, number

Floats = npt.NDArray[np.float64]

PROFILES: Final = 128
"""At most so many topics are followed; 512 gave Reuters nothing."""
NEAR: Final = 0.15
"""τ, the cosine from which an article belongs to a profile. Of 0.1 to 0.4 it gave the highest correlation with the
verdicts on Reuters; 0.1 merges topics, 0.3 founds three times as many profiles."""
HALF_LIFE: Final = 2000.0
"""Verdicts after which an article counts half in a profile, in its terms and in its interestingness."""
DOUBTS: Final = 2.0
"""An unknown profile is taken to be as interesting as everything else; so many verdicts outweigh that."""
DULL_AFTER: Final = 4.0
"""Verdicts that a profile is given before it may be dropped."""
_GROWTH: Final = 2.0 ** (1.0 / HALF_LIFE)
_LARGEST: Final = 2.0**40


class TopicTracking(ReaderExtractor):
    """max over profiles p of cos(d, p) · i(p), i(p) = (liked + 2·s)/(judged + 2), s the share of likes in all verdicts;
    in [0, 1].

    A liked article joins its nearest profile if the cosine is at least τ, and founds one otherwise; a disliked article
    with that cosine counts as judged for its nearest profile. A profile that is liked no more than everything is
    dropped; when there is no room for a new one, the one with the least liked · i gives way. All counts fade. Missing
    before the first like, and for an article without terms; 0 for an article that has nothing in common with any topic.

    Memory: 128 profiles of 64 terms (``topic_profiles.py``): 4 MB, of which 70 KB are state.
    """

    features: ClassVar[tuple[str, ...]] = ("mtt",)
    meanings: ClassVar[Mapping[str, str]] = {"mtt": "about a topic that you follow"}

    def __init__(self) -> None:
        self._profiles = TopicProfiles(PROFILES)
        self._liked = np.zeros(PROFILES)
        self._judged = np.zeros(PROFILES)
        self._totals = np.zeros(2)  # disliked, liked
        self._scale = np.ones(1)  # what a verdict of weight 1 counts now: instead of all fading, what comes grows

    def extract_many(self, articles: AnalysedBatch) -> npt.NDArray[np.float64]:
        if not self._profiles.lengths.any():
            return np.full((len(articles), 1), np.nan)
        interestingness = np.empty(PROFILES)
        _judge_profiles(self._liked, self._judged, self._totals, self._scale, interestingness)
        return self._profiles.largest(articles.terms, interestingness).reshape(len(articles), 1)

    def learn(self, article: AnalysedArticle, interesting: bool, weight: float) -> None:
        self.follow(
            AnalysedBatch.of([article]), Verdicts(np.array([interesting]), np.array([weight], dtype=np.float64))
        )

    def follow(self, articles: AnalysedBatch, verdicts: Verdicts) -> npt.NDArray[np.float64]:
        terms = articles.terms
        found = np.full((len(articles), 1), np.nan)
        _follow(
            terms.indptr,
            terms.ids,
            terms.weights,
            verdicts.interesting,
            verdicts.weights,
            self._profiles.arrays(),
            self._liked,
            self._judged,
            self._totals,
            self._scale,
            found,
        )
        return found

    def state(self) -> State:
        return {
            "profiles": self._profiles.state(),
            "liked": self._liked.copy(),
            "judged": self._judged.copy(),
            "totals": self._totals.copy(),
            "scale": float(self._scale[0]),
        }

    def restore(self, state: State) -> None:
        profiles = state["profiles"]
        if not isinstance(profiles, Mapping):
            raise TypeError("profiles are not a state")
        self._profiles.restore(profiles)
        self._liked = array(state, "liked", np.float64)
        self._judged = array(state, "judged", np.float64)
        self._totals = array(state, "totals", np.float64)
        self._scale = np.array([number(state, "scale")])


@compiled
def _share(totals: Floats, scale: Floats) -> float:
    """Return the share of likes in all verdicts."""
    return float((totals[1] + scale[0]) / (totals[0] + totals[1] + 2.0 * scale[0]))


@compiled
def _judge_profiles(liked: Floats, judged: Floats, totals: Floats, scale: Floats, interestingness: Floats) -> None:
    """Write how interesting each profile is."""
    doubts = DOUBTS * scale[0]
    share = _share(totals, scale)
    for place in range(len(liked)):
        interestingness[place] = (liked[place] + doubts * share) / (judged[place] + doubts)


@compiled
def _place_for_another(lengths: Floats, liked: Floats, judged: Floats) -> int:
    """Return a free place, or that of the profile with the least liked · i."""
    least, worth = 0, np.inf
    for place in range(len(lengths)):
        if lengths[place] == 0.0:
            return place
        of_place = liked[place] * liked[place] / judged[place]
        if of_place < worth:
            least, worth = place, of_place
    return least


@compiled
def _follow(
    indptr: npt.NDArray[np.int64],
    ids: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float32],
    interesting: npt.NDArray[np.bool_],
    amounts: Floats,
    profiles: Profiles,
    liked: Floats,
    judged: Floats,
    totals: Floats,
    scale: Floats,
    found: Floats,
) -> None:
    cosines, interestingness = np.empty(len(liked)), np.empty(len(liked))
    for row in range(len(amounts)):
        terms, heavy = ids[indptr[row] : indptr[row + 1]], weights[indptr[row] : indptr[row + 1]]
        if len(terms) == 0:
            continue
        find_cosines(terms, heavy, profiles, cosines)
        if profiles.lengths.any():
            _judge_profiles(liked, judged, totals, scale, interestingness)
            found[row, 0] = largest_product(cosines, interestingness)
        nearest = int(cosines.argmax())
        scale[0] *= _GROWTH
        counted = scale[0] * amounts[row]
        totals[1 if interesting[row] else 0] += counted
        if cosines[nearest] >= NEAR:
            judged[nearest] += counted
            if interesting[row]:
                liked[nearest] += counted
                join(terms, heavy, counted, nearest, profiles)
            elif judged[nearest] >= DULL_AFTER * scale[0] and liked[nearest] < _share(totals, scale) * judged[nearest]:
                liked[nearest] = judged[nearest] = 0.0
                drop(nearest, profiles)
        elif interesting[row]:
            place = _place_for_another(profiles.lengths, liked, judged)
            drop(place, profiles)
            liked[place] = judged[place] = counted
            join(terms, heavy, counted, place, profiles)
        if scale[0] > _LARGEST:
            liked /= _LARGEST
            judged /= _LARGEST
            totals /= _LARGEST
            scale /= _LARGEST
            shrink(profiles, _LARGEST)
