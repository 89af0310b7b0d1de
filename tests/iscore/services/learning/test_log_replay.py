"""Verdicts on articles that former versions drew at random weigh by the inverse of their chance."""

from __future__ import annotations

from iscore.services.learning.log_replay import MAX_WEIGHT, weight_of


def test_a_verdict_weighs_the_bounded_inverse_of_its_probability() -> None:
    assert weight_of(1.0) == 1.0
    assert weight_of(0.5) == 2.0
    assert weight_of(0.001) == weight_of(0.0) == MAX_WEIGHT
