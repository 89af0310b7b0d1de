"""The line that turns sums of log-ratios into log-odds: a step by hand, and where many steps lead."""

from __future__ import annotations

import math

import numpy as np
import pytest

from iscore.learners.naive_bayes import calibration

ORDER = np.array([0])


def learned(sums, verdicts, prior=0.0):
    lines = calibration.unlearned(1, calibrated=True)
    for total, liked in zip(sums, verdicts, strict=True):
        calibration.update(lines, np.array([total]), ORDER, prior, bool(liked), 1.0, 1.0)
    return lines


def test_first_step_by_hand():
    # Belief a = 0.4 ± √0.1, b = 0 ± 1; example L = 2, liked: posterior σ(0.8) = 0.68997, curvature 0.21391.
    # Σx = (0.1·2, 1) = (0.2, 1); x'Σx = 1.4; its square counts 0.21391 / 1.29947 = 0.16461.
    lines = learned([2.0], [True])
    posterior = 1 / (1 + math.exp(-0.8))
    shrink = posterior * (1 - posterior) / (1 + 1.4 * posterior * (1 - posterior))
    aa, ab, bb = 0.1 - shrink * 0.04, -shrink * 0.2, 1 - shrink
    gain = 1 - posterior
    expected = [0.4 + gain * (2 * aa + ab), gain * (2 * ab + bb), aa, ab, bb]
    assert lines[:, 0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("slope", "shift"), [(0.3, -1.0), (0.6, 0.5)])
def test_many_steps_lead_to_the_true_line(slope, shift):
    random = np.random.default_rng(1)
    sums = random.normal(0, 4, size=6000)
    liked = random.random(6000) < 1 / (1 + np.exp(-(slope * sums + shift)))
    lines = learned(sums, liked)
    assert lines[0, 0] == pytest.approx(slope, abs=0.05)
    assert lines[1, 0] == pytest.approx(shift, abs=0.2)


def test_the_slope_stays_positive():
    lines = learned([20.0] * 50 + [-20.0] * 50, [False] * 50 + [True] * 50)
    assert lines[0, 0] == calibration.SMALLEST_SLOPE


def test_forgetting_follows_a_change():
    steady = calibration.unlearned(1, calibrated=True)
    moving = calibration.unlearned(1, calibrated=True)
    random = np.random.default_rng(2)
    for number in range(4000):
        total = random.normal(0, 4)
        liked = bool(random.random() < 1 / (1 + math.exp(-((0.8 if number < 2000 else 0.2) * total))))
        calibration.update(steady, np.array([total]), ORDER, 0.0, liked, 1.0, 1.0)
        calibration.update(moving, np.array([total]), ORDER, 0.0, liked, 1.0, 0.995)
    assert abs(moving[0, 0] - 0.2) < abs(steady[0, 0] - 0.2)
    assert moving[0, 0] == pytest.approx(0.2, abs=0.1)
