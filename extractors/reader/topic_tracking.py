"""Whether an article is about one of the topics that the user follows.

Multiple topic tracking: liked articles are clustered in one pass into profiles, each with an interestingness of its
own, because several interests have no common mean. Pon, Cardenas, Buttler & Critchlow 2007, "Tracking multiple topics
for finding interesting articles" (KDD).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, NamedTuple

import numpy as np

from extractors.arrays import Bools, Floats, State, array, nested, number
from extractors.article_features import AnalysedBatch
from extractors.base import BatchReaderExtractor, Context, Verdicts
from extractors.hash_table import Places
from extractors.numba_kernel import compiled, inner
from extractors.reader.topic_profiles import Profiles, drop, find_cosines, join, largest_product, shrink
from extractors.text.terms import N_TERMS, TermRows

PROFILES: Final = 128
"""Maximum number of topics; 512 gave nothing on Reuters."""
NEAR: Final = 0.15
"""τ, the cosine from which an article belongs to a profile. Of 0.1 to 0.4 it gave the highest correlation with the
verdicts on Reuters; 0.1 merges topics, 0.3 starts three times as many profiles."""
HALF_LIFE: Final = 2000.0
"""Verdicts after which an article counts half in a profile, in its terms and in its interestingness."""
PRIOR_WEIGHT: Final = 2.0
"""A new profile counts as interesting as the average article; this many verdicts outweigh that."""
DROP_AFTER: Final = 4.0
"""Verdicts that a profile receives before it may be dropped."""
_GROWTH: Final = 2.0 ** (1.0 / HALF_LIFE)
_LARGEST: Final = 2.0**40


class Topics(NamedTuple):
    """What is learned, as compiled functions take it; n is ``PROFILES``."""

    profiles: Profiles
    liked: Floats
    """Weight of the likes in each profile, shape (n,)."""
    judged: Floats
    """Weight of all verdicts in each profile, shape (n,)."""
    totals: Floats
    """Weight of all dislikes and likes, shape (2,)."""
    scale: Floats
    """Weight of the newest verdict, which grows so that older ones decay; shape (1,)."""


class TopicTracking(BatchReaderExtractor):
    """max over profiles p of cos(d, p) · i(p), i(p) = (liked + 2·s)/(judged + 2), s the share of likes in all verdicts;
    in [0, 1].

    A liked article joins its nearest profile if the cosine is at least τ, and starts one otherwise; a disliked article
    with that cosine counts as judged for its nearest profile. A profile that is liked no more than the average article
    is dropped; when there is no room for a new one, it replaces the one with the least liked · i. All counts decay.
    Missing before the first like, and for an article without terms; 0 for an article that shares no term with any
    topic.

    Memory: 128 profiles of 64 terms (``topic_profiles.py``), 130 KB, of which 70 KB are state, and up to 44 bytes for
    each term in an article with a verdict since the model was loaded.

    >>> from datetime import UTC, datetime
    >>> from extractors import AnalysedArticle, Article
    >>> now = datetime(2026, 3, 2, tzinfo=UTC)
    >>> ferry, tram = (AnalysedArticle.of(Article(id=t, arrived=now, title=t, text="")) for t in ("Ferry", "Tram"))
    >>> extractor = TopicTracking()
    >>> extractor.learn(ferry, True, 1.0)
    >>> [round(extractor.extract(article)[0], 3) for article in (ferry, tram)]
    [0.778, 0.0]
    """

    features: ClassVar[tuple[str, ...]] = ("mtt",)
    meanings: ClassVar[Mapping[str, str]] = {"mtt": "about a topic you like"}
    low_value_meanings: ClassVar[Mapping[str, str]] = {"mtt": "about none of the topics you like"}
    families: ClassVar[Mapping[str, str]] = {"mtt": "topic relevance"}

    def __init__(self, context: Context | None = None) -> None:
        super().__init__(context)
        zeros = np.zeros(PROFILES), np.zeros(PROFILES), np.zeros(2)
        self._topics = Topics(Profiles.empty(PROFILES, 1), *zeros, np.ones(1))
        self._places = Places(N_TERMS)
        """Numbers of the terms, for the profiles; 0 is that of all unknown ones."""

    def current_limits(self, feature: str) -> tuple[float, float]:  # noqa: ARG002 -- the base class's parameters
        """A value above the user's share of likes p0 can only come from a topic liked more often than others."""
        liked, all_judged = self._topics.totals[1], self._topics.totals.sum()
        share = (liked + self._topics.scale[0]) / (all_judged + 2.0 * self._topics.scale[0])
        return min(0.05, share / 4), max(0.15, share)

    def extract_many(self, articles: AnalysedBatch) -> Floats:
        found = np.full((len(articles), 1), np.nan)
        if self._topics.profiles.lengths.any():
            known = articles.terms.vocabulary
            rows = articles.terms.rows()._replace(ids=self._places.find(known.terms)[known.places])
            _extract_many(rows, self._topics, found[:, 0])
        return found

    def extract_and_learn(self, articles: AnalysedBatch, verdicts: Verdicts) -> Floats:
        found = np.full((len(articles), 1), np.nan)
        rows = articles.terms.rows()
        rows = rows._replace(ids=self._places.claim(rows.ids))
        self._topics = self._topics._replace(profiles=self._topics.profiles.with_terms(1 + self._places.count))
        _extract_and_learn(rows, verdicts.interesting, verdicts.weights, self._topics, found[:, 0])
        return found

    def state(self) -> State:
        profiles = self._topics.profiles
        terms = np.full_like(profiles.ids, -1)
        terms[profiles.ids >= 0] = self._places.coordinates[profiles.ids[profiles.ids >= 0] - 1]
        return {
            "profiles": {**profiles.state(), "ids": terms},
            "liked": self._topics.liked.copy(),
            "judged": self._topics.judged.copy(),
            "totals": self._topics.totals.copy(),
            "scale": float(self._topics.scale[0]),
        }

    def restore(self, state: State) -> None:
        profiles, self._places = nested(state, "profiles"), Places(N_TERMS)
        numbers = array(profiles, "ids", np.int32)
        numbers[numbers >= 0] = self._places.claim(numbers[numbers >= 0])
        self._topics = Topics(
            Profiles.of({**profiles, "ids": numbers}, 1 + self._places.count),
            array(state, "liked", np.float64),
            array(state, "judged", np.float64),
            array(state, "totals", np.float64),
            np.array([number(state, "scale")]),
        )


@inner
def _share_of_likes(topics: Topics) -> float:
    totals, scale = topics.totals, topics.scale
    return float((totals[1] + scale[0]) / (totals[0] + totals[1] + 2.0 * scale[0]))


@inner
def _find_interestingness(topics: Topics, interestingness: Floats) -> None:
    """Write i of each profile."""
    prior = PRIOR_WEIGHT * topics.scale[0]
    share = _share_of_likes(topics)
    for place in range(len(interestingness)):
        interestingness[place] = (topics.liked[place] + prior * share) / (topics.judged[place] + prior)


@inner
def _place_for_new(topics: Topics) -> int:
    """Return a free place, or that of the profile with the least liked · i."""
    least, lowest = 0, np.inf
    for place in range(len(topics.liked)):
        if topics.profiles.lengths[place] == 0.0:
            return place
        value = topics.liked[place] * topics.liked[place] / topics.judged[place]
        if value < lowest:
            least, lowest = place, value
    return least


@inner
def _any_profile(profiles: Profiles) -> bool:
    lengths, used = profiles.lengths, 0
    for place in range(len(lengths)):
        used += lengths[place] != 0.0
    return used > 0


@compiled
def _extract_many(rows: TermRows, topics: Topics, found: Floats) -> None:
    cosines, interestingness = np.empty(len(topics.liked)), np.empty(len(topics.liked))
    _find_interestingness(topics, interestingness)
    for row in range(len(found)):
        begin, end = rows.indptr[row], rows.indptr[row + 1]
        if begin < end:
            find_cosines(rows.ids[begin:end], rows.weights[begin:end], topics.profiles, cosines)
            found[row] = largest_product(cosines, interestingness)


@compiled
def _extract_and_learn(rows: TermRows, interesting: Bools, amounts: Floats, topics: Topics, found: Floats) -> None:
    profiles, liked, judged, totals, scale = topics
    cosines, interestingness = np.empty(len(liked)), np.empty(len(liked))
    for row in range(len(amounts)):
        begin, end = rows.indptr[row], rows.indptr[row + 1]
        if begin == end:
            continue
        ids, weights = rows.ids[begin:end], rows.weights[begin:end]
        find_cosines(ids, weights, profiles, cosines)
        if _any_profile(profiles):
            _find_interestingness(topics, interestingness)
            found[row] = largest_product(cosines, interestingness)
        nearest = 0
        for place in range(1, len(cosines)):
            if cosines[place] > cosines[nearest]:
                nearest = place
        scale[0] *= _GROWTH
        counted = scale[0] * amounts[row]
        totals[1 if interesting[row] else 0] += counted
        if cosines[nearest] >= NEAR:
            judged[nearest] += counted
            if interesting[row]:
                liked[nearest] += counted
                join(ids, weights, counted, nearest, profiles)
            elif (
                judged[nearest] >= DROP_AFTER * scale[0] and liked[nearest] < _share_of_likes(topics) * judged[nearest]
            ):
                liked[nearest] = judged[nearest] = 0.0
                drop(nearest, profiles)
        elif interesting[row]:
            place = _place_for_new(topics)
            drop(place, profiles)
            liked[place] = judged[place] = counted
            join(ids, weights, counted, place, profiles)
        if scale[0] > _LARGEST:
            for place in range(len(liked)):
                liked[place] /= _LARGEST
                judged[place] /= _LARGEST
            totals[0] /= _LARGEST
            totals[1] /= _LARGEST
            scale[0] /= _LARGEST
            shrink(profiles, _LARGEST)
