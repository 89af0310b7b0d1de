"""The drift detector: Page's sum by hand and by another calculation, and when it raises an alarm."""

from __future__ import annotations

import math

import numpy as np
import pytest

from iscore.filtering.drift import ALARM, FRACTION, LARGEST_LOG_ODDS, LEARNING, DriftDetector, log_loss
from iscore.filtering.serialization import pack, unpack


def verdicts(n: int, *, seed: int, informed: float, share: float = 0.1) -> list[tuple[float, bool]]:
    """Calibrated scores: those of two normal classes whose means lie ``informed`` deviations apart."""
    random = np.random.default_rng(seed)
    prior = math.log(share / (1 - share))
    liked = random.random(n) < share
    x = random.normal(size=n) + np.where(liked, informed / 2, -informed / 2)
    return list(zip((prior + informed * x).tolist(), liked.tolist(), strict=True))


def rings(detector: DriftDetector, outcomes: list[tuple[float, bool]]) -> list[int]:
    return [number for number, (score, liked) in enumerate(outcomes) if detector.learn(score, liked)]


@pytest.mark.parametrize("score", [-20.0, -3.0, 0.0, 2.5, 20.0])
@pytest.mark.parametrize("interesting", [True, False])
def test_log_loss_is_that_of_the_posterior(score: float, interesting: bool) -> None:
    posterior = 1 / (1 + math.exp(-max(-LARGEST_LOG_ODDS, min(LARGEST_LOG_ODDS, score))))
    assert log_loss(score, interesting) == pytest.approx(-math.log(posterior if interesting else 1 - posterior))


def test_one_verdict_by_hand() -> None:
    detector = DriftDetector()
    for number in range(LEARNING + 20):
        detector.learn(3.0 if number % 2 else -3.0, bool(number % 2))
    assert detector.state()["sum"] == 0.0
    # Likes are half of all verdicts, before and after one more; each right verdict has gained ln 2 - ln(1 + e^-3).
    right = math.log(2) - math.log1p(math.exp(-3))
    assert not detector.learn(-3.0, True)
    lost = math.log(2) - math.log1p(math.exp(3))
    assert detector.state()["sum"] == pytest.approx(FRACTION * right - lost, rel=1e-2)


def test_the_sum_is_that_of_page() -> None:
    stream = verdicts(900, seed=3, informed=1.5)
    detector = DriftDetector()
    likes = dislikes = 0
    gains: list[float] = []
    total = 0.0
    highest = 0.0
    for score, liked in stream:
        if min(likes, dislikes) >= 5:
            share = (likes + 1) / (likes + dislikes + 2)
            posterior = 1 / (1 + math.exp(-max(-LARGEST_LOG_ODDS, min(LARGEST_LOG_ODDS, score))))
            gain = math.log(posterior / share) if liked else math.log((1 - posterior) / (1 - share))
            if len(gains) >= LEARNING:
                total = max(0.0, total + FRACTION * float(np.mean(gains)) - gain)
            gains.append(gain)
        rang = detector.learn(score, liked)
        assert rang == (total > ALARM)
        total = 0.0 if rang else total
        highest = max(highest, total)
        likes += liked
        dislikes += not liked
        assert detector.state()["sum"] == pytest.approx(total, abs=1e-9)
    assert highest > 1.0


def test_an_alarm_follows_soon_after_scores_have_become_random() -> None:
    detector = DriftDetector()
    before = verdicts(3000, seed=1, informed=4.0)
    assert rings(detector, before) == []
    scores = [score for score, _ in verdicts(300, seed=2, informed=4.0)]
    liked = [liked for _, liked in verdicts(300, seed=5, informed=4.0)]
    assert rings(detector, list(zip(scores, liked, strict=True)))[0] < 60


def test_scores_that_were_always_random_raise_no_alarm() -> None:
    random = np.random.default_rng(4)
    stream = [(-2.2, bool(liked)) for liked in random.random(5000) < 0.1]
    assert rings(DriftDetector(), stream) == []


def test_without_watching_the_mean_gain_is_learned_and_no_alarm_raised() -> None:
    detector = DriftDetector()
    rings(detector, verdicts(1000, seed=1, informed=4.0))
    gained = detector.state()["gained"]
    for _ in range(50):
        assert not detector.learn(-5.0, True, watching=False)
    assert detector.state()["sum"] == 0.0
    assert detector.state()["gained"] == gained + 50


def test_a_restored_detector_continues_as_the_original() -> None:
    stream = verdicts(800, seed=9, informed=1.0)
    detector, other = DriftDetector(), DriftDetector()
    rings(detector, stream[:500])
    other.restore(unpack(pack(detector.state())))
    assert rings(other, stream[500:]) == rings(detector, stream[500:])
    assert pack(other.state()) == pack(detector.state())
