"""Uniqueness and freshness within a small stream."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from math import isnan, log, log1p

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractors.stream.article_ring import ONE
from extractors.stream.recent_articles import (
    BURST_HOURS,
    MEMBERS,
    SAME_STORY,
    STORY_HOURS,
    K,
    RecentArticles,
    anomaly_cluster,
    anomaly_mean,
    burst,
    coverage,
    freshness,
    novelty,
)
from extractors.text.analysis import analyse_many
from extractors.text.frequencies import Frequencies
from tests.extractors.conftest import printed


def test_it_is_what_the_most_similar_lacks() -> None:
    assert novelty((np.array([0.1, 0.7, 0.3]) * ONE).astype(np.uint32)) == pytest.approx(0.3)


def test_rounding_never_makes_novelty_negative_and_nothing_makes_it_missing() -> None:
    assert novelty(np.array([ONE + 100_000], dtype=np.uint32)) == 0.0
    assert isnan(novelty(np.array([], dtype=np.uint32)))


def test_the_three_most_similar_count_and_of_equals_the_most_recent() -> None:
    value = freshness(np.array([0.9, 0.3, 0.5, 0.5, 0.5]), np.array([4.0, 1.0, 9.0, 2.0, 3.0]))
    assert value == pytest.approx(log1p(3.0))


def test_fewer_are_enough_and_none_is_missing() -> None:
    assert freshness(np.array([0.3]), np.array([6.0])) == pytest.approx(log1p(6.0))
    assert isnan(freshness(np.array([]), np.array([])))


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from([0.2, 0.25, 0.5, 0.9]), st.integers(0, 9)), min_size=1, max_size=40))
def test_it_is_what_sorting_says(articles: list[tuple[float, int]]) -> None:
    nearest = sorted(articles, key=lambda article: (-article[0], article[1]))[:K]
    expected = log1p(sum(hours for _, hours in nearest) / len(nearest))
    cosines, hours = np.array(articles, dtype=np.float64).T.copy()
    assert freshness(cosines, hours) == pytest.approx(expected)


def test_it_is_what_the_average_lacks() -> None:
    assert anomaly_mean((np.array([0.1, 0.7, 0.4]) * ONE).astype(np.uint32)) == pytest.approx(0.6)


def test_thousands_of_large_cosines_do_not_overflow() -> None:
    assert anomaly_mean(np.full(4096, ONE // 2, dtype=np.uint32)) == pytest.approx(0.5)


def test_rounding_never_makes_anomaly_negative_and_nothing_makes_it_missing() -> None:
    assert anomaly_mean(np.array([ONE + 100_000], dtype=np.uint32)) == 0.0
    assert isnan(anomaly_mean(np.array([], dtype=np.uint32)))


def test_it_is_what_the_nearest_cluster_with_enough_members_lacks() -> None:
    likeness = np.array([0.9**2, 0.0, 0.3**2, 0.6**2, 0.8**2]) * ONE
    sizes = np.array([1, 0, MEMBERS + 7, MEMBERS, MEMBERS - 1])
    assert anomaly_cluster(likeness, sizes) == pytest.approx(0.4)


def test_an_article_of_another_kind_is_wholly_unlike_and_without_clusters_it_is_missing() -> None:
    assert anomaly_cluster(np.array([0.9 * ONE, 0.0]), np.array([1, MEMBERS])) == 1.0
    assert isnan(anomaly_cluster(np.array([0.9 * ONE, 0.5 * ONE]), np.array([1, MEMBERS - 1])))
    assert isnan(anomaly_cluster(np.array([]), np.array([], dtype=np.int64)))


def test_rounding_never_makes_it_negative() -> None:
    assert anomaly_cluster(np.array([1.0001 * ONE]), np.array([MEMBERS])) == 0.0


def test_it_compares_what_came_lately_with_what_was_to_be_expected() -> None:
    # Of 100 articles 20 came lately, 5 of them similar; of the 80 before, 8 were. So 2 were to be expected.
    hours = np.array([1.0, 2.0, 3.0, 4.0, BURST_HOURS, *[BURST_HOURS + 1.0] * 8])
    assert burst(hours, 100, 20) == pytest.approx(log(6 / 3))


def test_what_has_stopped_is_negative_and_what_goes_on_evenly_zero() -> None:
    assert burst(np.full(8, BURST_HOURS + 1.0), 100, 20) == pytest.approx(log(1 / 3))
    assert burst(np.array([1.0, 30.0, 31.0, 32.0, 33.0]), 100, 20) == pytest.approx(0.0)


def test_one_similar_article_is_no_great_burst() -> None:
    assert 0.0 < burst(np.array([1.0]), 4096, 100) <= log(2)


def test_nothing_similar_or_nothing_before_is_missing() -> None:
    assert isnan(burst(np.array([]), 100, 20))
    assert isnan(burst(np.array([1.0]), 20, 20))


def test_other_sources_with_the_story_count_once_each() -> None:
    cosines = np.array([SAME_STORY, 0.9, 0.8, 0.9, SAME_STORY - 0.01, 0.9])
    hours = np.array([1.0, STORY_HOURS, 3.0, STORY_HOURS + 0.1, 1.0, 1.0])
    sources = np.array([1, 2, 2, 3, 4, 7])
    assert coverage(cosines, hours, sources, 7) == pytest.approx(log(3))
    assert coverage(cosines, hours, sources, 8) == pytest.approx(log(4))


def test_nobody_else_is_zero() -> None:
    assert coverage(np.array([0.9]), np.array([1.0]), np.array([7]), 7) == 0.0
    assert coverage(np.array([]), np.array([]), np.array([], dtype=np.int64), 7) == 0.0


def _values(extractor: RecentArticles, document, frequencies: Frequencies) -> dict[str, float]:
    values = extractor.extract_and_observe([document], analyse_many([document], frequencies))
    return dict(zip(extractor.features, values[0].tolist(), strict=True))


def test_a_repeated_story_is_not_novel(piece) -> None:
    extractor, frequencies = RecentArticles(), Frequencies()
    first = piece(title="Crane strike", text="Dockers strike in the harbour.", source="Paper A")
    values = _values(extractor, first, frequencies)
    assert isnan(values["novelty"])
    assert isnan(values["anomaly_mean"])
    assert isnan(values["freshness"])
    assert values["coverage"] == 0.0

    other = replace(first, title="Bees", text="Beekeepers count hives.", arrived=first.arrived + timedelta(hours=1))
    values = _values(extractor, other, frequencies)
    assert values["novelty"] == pytest.approx(1.0)
    assert isnan(values["freshness"])

    again = replace(first, source="Paper B", arrived=first.arrived + timedelta(hours=5))
    values = _values(extractor, again, frequencies)
    assert values["novelty"] == pytest.approx(0.0, abs=1e-4)
    assert values["anomaly_mean"] == pytest.approx(0.5, abs=1e-4)
    assert values["coverage"] == pytest.approx(log(2))
    assert values["freshness"] == pytest.approx(log1p(5))


def test_an_article_without_words_is_missing_and_not_remembered(piece) -> None:
    extractor, frequencies = RecentArticles(), Frequencies()
    assert all(isnan(value) for value in _values(extractor, piece(), frequencies).values())
    assert isnan(_values(extractor, piece(text="Dockers strike"), frequencies)["novelty"])


def test_articles_on_no_topic_differ_from_those_on_one(piece) -> None:
    extractor, frequencies = RecentArticles(), Frequencies()
    first = piece(title="Harbour strike", text="Dockers strike in the harbour; cranes stand still.")
    for number in range(4):
        strike = replace(first, text=f"{first.text} Day {number}.", arrived=first.arrived + timedelta(hours=number))
        values = _values(extractor, strike, frequencies)
        assert isnan(values["anomaly_cluster"])
        assert isnan(values["burst"])
    again = _values(extractor, replace(first, arrived=first.arrived + timedelta(hours=30)), frequencies)
    assert again["anomaly_cluster"] < 0.3
    assert again["burst"] == 0.0, "nothing came in the last day, and nothing was to be expected"
    other = piece(title="Bees", text="Beekeepers count hives.", arrived=first.arrived + timedelta(hours=31))
    assert _values(extractor, other, frequencies)["anomaly_cluster"] == pytest.approx(1.0)


_SCRIPT = """
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import numpy as np

from extractors.stream import recent_articles
from extractors.text.analysis import analyse_many
from extractors.text.frequencies import Frequencies
from extractors.stream.rare_phrases import RarePhrases

np.seterr(over="ignore")  # hashes are meant to wrap around
recent_articles.RECENT = 8
frequencies, near, rare = Frequencies(), recent_articles.RecentArticles(), RarePhrases()
for number in range(20):
    topic = ("Dockers strike in the harbour", "Bees return to the valley")[number % 3 == 2]
    article = SimpleNamespace(
        title=topic,
        text=f"{topic} on day {number // 2} of spring.",
        url="",
        site="",
        source=f"Paper {number % 4}",
        language="en",
        arrived=datetime(2026, 3, 2, tzinfo=UTC) + timedelta(hours=7 * number),
    )
    texts = analyse_many([article], frequencies)
    print(*(each.extract_and_observe([article], texts).tolist() for each in (near, rare)))
print({name: np.asarray(part).tolist() for name, part in near.state().items() if name != "heads"})
"""


@pytest.mark.long
def test_compiled_and_interpreted_loops_give_the_same() -> None:
    compiled = printed(_SCRIPT)
    assert printed(_SCRIPT, NUMBA_DISABLE_JIT="1") == compiled
    assert len(compiled.splitlines()) == 21
