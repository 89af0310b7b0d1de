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

from extractors.extractor import ReaderExtractor
from extractors.frozen import FrozenArticle, FrozenBatch
from extractors.state import State, array, number
from extractors.topic_profiles import TopicProfiles

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
        self._scale = 1.0  # what a verdict of weight 1 counts now: instead of all fading, what comes grows

    def extract_many(self, articles: FrozenBatch) -> npt.NDArray[np.float64]:
        if not self._profiles.lengths.any():
            return np.full((len(articles), 1), np.nan)
        doubts = DOUBTS * self._scale
        interestingness = (self._liked + doubts * self._share()) / (self._judged + doubts)
        return self._profiles.largest(articles.terms, interestingness).reshape(len(articles), 1)

    def learn(self, article: FrozenArticle, interesting: bool, weight: float) -> None:
        if len(article.terms) == 0:
            return
        cosines = self._profiles.cosines(article.terms)
        nearest = int(cosines.argmax())
        self._scale *= _GROWTH
        counted = self._scale * weight
        self._totals[int(interesting)] += counted
        if cosines[nearest] >= NEAR:
            self._judged[nearest] += counted
            if interesting:
                self._join(nearest, article, counted)
            elif self._is_dull(nearest):
                self._drop(nearest)
        elif interesting:
            place = self._place_for_another()
            self._drop(place)
            self._judged[place] = counted
            self._join(place, article, counted)
        if self._scale > _LARGEST:
            self._shrink()

    def state(self) -> State:
        return {
            "profiles": self._profiles.state(),
            "liked": self._liked.copy(),
            "judged": self._judged.copy(),
            "totals": self._totals.copy(),
            "scale": self._scale,
        }

    def restore(self, state: State) -> None:
        profiles = state["profiles"]
        if not isinstance(profiles, Mapping):
            raise TypeError("profiles are not a state")
        self._profiles.restore(profiles)
        self._liked = array(state, "liked", np.float64)
        self._judged = array(state, "judged", np.float64)
        self._totals = array(state, "totals", np.float64)
        self._scale = number(state, "scale")

    def _share(self) -> float:
        disliked, liked = self._totals.tolist()
        return float((liked + self._scale) / (disliked + liked + 2.0 * self._scale))

    def _is_dull(self, place: int) -> bool:
        judged = float(self._judged[place])
        return judged >= DULL_AFTER * self._scale and float(self._liked[place]) < self._share() * judged

    def _join(self, place: int, article: FrozenArticle, counted: float) -> None:
        self._liked[place] += counted
        self._profiles.join(place, article.terms, counted)

    def _drop(self, place: int) -> None:
        self._liked[place] = self._judged[place] = 0.0
        self._profiles.drop(place)

    def _place_for_another(self) -> int:
        free = np.flatnonzero(self._profiles.lengths == 0.0)
        if len(free):
            return int(free[0])
        return int((self._liked * self._liked / self._judged).argmin())

    def _shrink(self) -> None:
        self._liked /= _LARGEST
        self._judged /= _LARGEST
        self._totals /= _LARGEST
        self._scale /= _LARGEST
        self._profiles.shrink(_LARGEST)
