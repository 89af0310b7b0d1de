"""Calibration, the spread of scores, and delays: by hand, and against the measures of a replay."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iscore.evaluation.replay.metrics import reliability
from iscore.services.insight.history_view import calibration, delays, spread, unbiased
from tests.iscore.services.insight.made_verdicts import verdict, verdicts


@given(st.lists(st.tuples(st.integers(-300, 300), st.booleans()), min_size=1, max_size=60))
def test_calibration_is_that_of_a_replay(drawn: list[tuple[int, bool]]) -> None:
    pairs = [(tenths / 10 + 0.0137, liked) for tenths, liked in drawn]  # on no border of two bins
    sequence = [verdict(n, "+" if liked else "-", score=score) for n, (score, liked) in enumerate(pairs)]
    found = calibration(sequence)
    oracle = reliability(np.array([score for score, _ in pairs]), np.array([liked for _, liked in pairs]))
    assert found.error == pytest.approx(oracle.error, abs=1e-9)
    assert sum(each.verdicts for each in found.bins) == found.verdicts == len(pairs)
    assert [each.verdicts for each in found.bins] == oracle.articles.tolist()
    for each, predicted, liked in zip(found.bins, oracle.posterior, oracle.liked, strict=True):
        assert (each.predicted is None) == bool(np.isnan(predicted))
        if each.predicted is not None:
            assert each.predicted == pytest.approx(predicted)
            assert each.liked == pytest.approx(liked)


def test_calibration_by_hand() -> None:
    even, sure = 0.0, float(np.log(9))  # 50 %, 90 %
    given = [verdict(n, kind, score=score) for n, (kind, score) in enumerate([("+", even), ("-", even), ("+", sure)])]
    found = calibration(given)
    assert [(each.low, each.verdicts, each.liked) for each in found.bins if each.verdicts] == [
        (0.5, 2, 0.5),
        (0.9, 1, 1.0),
    ]
    assert found.error == pytest.approx((0.0 * 2 + 0.1 * 1) / 3)
    assert calibration([]).error is None


def test_only_what_was_recommended_or_explored_is_a_test() -> None:
    assert [each.row for each in unbiased(verdicts("+-+-", "rehe"))] == [1, 2, 4]


def test_scores_are_counted_by_kind() -> None:
    given = [verdict(n, kind, score=score) for n, (kind, score) in enumerate([("+", 1.0), ("+", 1.9), ("-", -0.1)])]
    found = spread(given, [-0.5, 0.0, 1.99, 2.0])
    rows = [(each.low, each.high, each.liked, each.disliked, each.unjudged) for each in found]
    assert rows == [(-1.0, 0.0, 0, 1, 1), (0.0, 1.0, 0, 0, 1), (1.0, 2.0, 2, 0, 1), (2.0, 3.0, 0, 0, 1)]
    assert spread([], []) == ()
    wild = spread([], [-1e9, 1e9, float("inf"), float("nan")])
    assert (wild[0].low, wild[-1].high, wild[0].unjudged, wild[-1].unjudged, len(wild)) == (-10.0, 10.0, 1, 2, 20)


def test_delays_by_hand() -> None:
    given = [
        verdict(n, kind, delay=delay)
        for n, (kind, delay) in enumerate([("+", 0.5), ("-", 1.0), ("0", 30.0), ("+", 999.0)])
    ]
    found = delays(given)
    assert [(each.hours, each.verdicts) for each in found.bins if each.verdicts] == [(1.0, 2), (48.0, 1), (None, 1)]
    assert found.median == 15.5
    assert delays([]).median is None
    assert delays([verdict(0, "+", delay=-5.0)]).median == 0.0, "the clock went back"
