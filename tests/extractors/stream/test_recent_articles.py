"""Uniqueness and freshness within a small stream."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from math import isnan, log, log1p

import numpy as np
import pytest

from extractors.stream.recent_articles import RecentArticles
from extractors.text.analysis import analyse_many
from extractors.text.frequencies import Frequencies


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


def test_a_state_of_version_0_1_0_without_clusters_is_restored(stream) -> None:
    extractor, frequencies = RecentArticles(), Frequencies()
    for document in stream:
        _values(extractor, document, frequencies)
    old = {name: part for name, part in extractor.state().items() if name not in ("clusters", "later")}
    twin = RecentArticles()
    twin.restore(old)
    texts = analyse_many(stream[:1], frequencies)
    ours, theirs = (each.extract_and_observe(stream[:1], texts)[0] for each in (extractor, twin))
    at = RecentArticles.features.index("anomaly_cluster")
    np.testing.assert_array_equal(np.delete(ours, at), np.delete(theirs, at))
    assert not isnan(ours[at])
    assert isnan(theirs[at])


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
    def printed(**environment: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", _SCRIPT],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=True,
            timeout=600,
        ).stdout

    compiled = printed()
    assert printed(NUMBA_DISABLE_JIT="1") == compiled
    assert len(compiled.splitlines()) == 21
