"""Uniqueness and freshness within a small stream."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from math import isnan, log, log1p

import pytest

from extractors.analysis import analyse
from extractors.frequencies import Frequencies
from extractors.neighbourhood import Neighbourhood


def _values(extractor: Neighbourhood, document, frequencies: Frequencies) -> dict[str, float]:
    text = analyse(document, frequencies)
    values = dict(zip(extractor.features, extractor.extract(document, text), strict=True))
    extractor.observe(document, text)
    return values


def test_a_story_told_again_is_neither_new_nor_rare(piece) -> None:
    extractor, frequencies = Neighbourhood(), Frequencies()
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


def test_an_article_without_words_is_missing_and_leaves_no_trace(piece) -> None:
    extractor, frequencies = Neighbourhood(), Frequencies()
    assert all(isnan(value) for value in _values(extractor, piece(), frequencies).values())
    assert isnan(_values(extractor, piece(text="Dockers strike"), frequencies)["novelty"])
