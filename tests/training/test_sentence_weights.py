"""Training by hand, and that it gives the weights that are shipped."""

from __future__ import annotations

import os
from math import log

import numpy as np
import pytest

from extractors.document.sentiment import QUESTIONS, SentenceClassifier, sentence_classifier
from training.sentence_corpora import corpus, load
from training.sentence_weights import FOLDS, STEPS, calibrated_unit, held_out_sums, train, trained

LINES = ["Good film", "good film", "bad film", "bad idea"]
FIRST = np.array([True, True, False, False])


def _sums(lines: list[str]) -> list[int]:
    entries = train(corpus(LINES, FIRST))
    asked = corpus(lines, np.ones(len(lines), dtype=np.bool_))
    classifier = SentenceClassifier(np.column_stack([entries, entries]), np.ones(2))
    return classifier.sums(asked.hashes, asked.starts, asked.ends)[:, 0].tolist()


def test_weights_are_smoothed_ratios_of_what_occurs_twice() -> None:
    # Kept are good (2 in the first kind, 0 in the second), bad (0, 2), film (2, 1) and good film (2, 0); with one more
    # each, there are 10 in the first kind and 7 in the second. The idea occurs once.
    def weight(first: int, second: int) -> int:
        return round(STEPS * log(((first + 1) / 10) / ((second + 1) / 7)))

    assert _sums(["good", "bad", "film", "idea", ""]) == [weight(2, 0), weight(0, 2), weight(2, 1), 0, 0]
    assert _sums(["GOOD, film!"]) == [2 * weight(2, 0) + weight(2, 1)]
    assert _sums(["film good"]) == [weight(2, 0) + weight(2, 1)]


def test_pairs_do_not_reach_over_the_end_of_a_sentence() -> None:
    # "film bad" would occur twice over the ends of lines.
    entries = train(corpus(["bad film", "bad film", "bad film"], np.array([True, True, False])))
    assert np.count_nonzero(entries) == 3


def test_equal_sentences_share_a_number() -> None:
    assert corpus(["A b.", "c", "a, B", "b a"], np.zeros(4, dtype=np.bool_)).texts().tolist() == [0, 1, 0, 2]


def test_a_held_out_sentence_does_not_count_in_training() -> None:
    sentences = corpus(["good film", "good film", "bad idea", "bad idea"], FIRST)
    together = held_out_sums(sentences, np.array([0, 0, 1, 1]))
    assert together.tolist() == [0, 0, 0, 0]
    apart = held_out_sums(sentences, np.array([0, 1, 0, 1]))
    assert apart.tolist() == [0, 0, 0, 0]  # each feature is left once only, too seldom to count


def test_the_unit_makes_sums_into_log_odds() -> None:
    # Four words each, so √words is 2; three of four are right at a sum of 24: log-odds of ln 3.
    sentences = corpus(["a b c d"] * 8, np.arange(8) % 4 != 0)
    sums = np.full(8, 24)
    assert calibrated_unit(sentences, sums) == pytest.approx(log(3) / 12, rel=5e-3)


@pytest.fixture(scope="module")
def data() -> str:
    folder = os.environ.get("ISCORE_DATA")
    if not folder:
        pytest.skip("ISCORE_DATA is not set")
    return folder


@pytest.mark.long
def test_training_again_gives_the_weights_that_are_shipped(data: str) -> None:
    again, shipped = trained(), sentence_classifier()
    assert again.entries.tobytes() == shipped.entries.tobytes()
    assert again.units.tobytes() == shipped.units.tobytes()


@pytest.mark.long
@pytest.mark.parametrize(("question", "accuracy"), [("subjectivity", 0.90), ("polarity", 0.77)])
def test_held_out_sentences_are_judged_well(data: str, question: str, accuracy: float) -> None:
    assert question in QUESTIONS
    sentences = load(question)
    right = (held_out_sums(sentences, sentences.texts() % FOLDS) > 0) == sentences.first
    assert right.mean() >= accuracy


def test_without_the_data_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ISCORE_DATA", raising=False)
    with pytest.raises(SystemExit, match="set ISCORE_DATA"):
        load("polarity")
