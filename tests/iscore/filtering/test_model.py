"""What a model remembers of its predictions before it learned: left-out scores, by which its vote is calibrated."""

from __future__ import annotations

import numpy as np

from extractors.base import Verdicts
from iscore.filtering.delivery.tuning import MIN_VERDICTS
from iscore.filtering.model import LEFT_OUT, ReaderModel
from iscore.filtering.ranking.evidence import NEWEST_VERDICTS
from iscore.filtering.serialization import pack
from tests.iscore.filtering.made_up import articles, new_model

N = 40
LIKED = np.arange(N) % 3 == 0
BATCH = articles(
    [f"article {number}" for number in range(N)],
    moods=(np.where(LIKED, 2.0, -2.0) + np.random.default_rng(1).normal(size=N)).tolist(),
)


def learned(model: ReaderModel, begin: int = 0, end: int = N) -> ReaderModel:
    for row in range(begin, end):
        model.learn(BATCH[row], bool(LIKED[row]))
    return model


def test_left_out_scores_are_those_just_before_each_verdict() -> None:
    model = new_model()
    expected: dict[bool, list[float]] = {True: [], False: []}
    for row, liked in enumerate(LIKED.tolist()):
        (before,), trained = model.score_many([BATCH[row]]).tolist(), model.trained
        score = model.learn(BATCH[row], liked)
        expected[liked].append(score if trained else np.nan)
        if trained:
            assert score == before
    for liked, scores in expected.items():
        np.testing.assert_array_equal(model.left_out(liked=liked), scores)
    assert np.isnan(model.left_out(liked=True)).sum() == MIN_VERDICTS
    known = [scores[~np.isnan(scores)] for scores in (model.left_out(liked=True), model.left_out(liked=False))]
    assert known[0].mean() > known[1].mean()


def test_learning_together_leaves_out_the_same() -> None:
    together = new_model()
    for begin, end in ((0, 1), (1, 17), (17, N)):
        verdicts = Verdicts(LIKED[begin:end], np.ones(end - begin))
        together.learn_many(BATCH.at(np.arange(begin, end)), verdicts)
    one_by_one = learned(new_model())
    assert pack(together.state()) == pack(one_by_one.state())
    for liked in (True, False):
        np.testing.assert_array_equal(together.left_out(liked=liked), one_by_one.left_out(liked=liked))


def test_left_out_scores_are_part_of_the_state() -> None:
    first, second = learned(new_model(), 0, 25), new_model()
    second.restore(first.state())
    for model in (first, second):
        learned(model, 25, N)
    assert pack(first.state()) == pack(second.state())
    assert len(first.left_out(liked=True)) == np.count_nonzero(LIKED)


def test_imported_items_have_none() -> None:
    model = new_model()
    model.learn_imported(BATCH[0])
    assert len(model.left_out(liked=True)) == len(model.left_out(liked=False)) == 0


def test_the_newest_are_kept_as_many_as_a_ranking_learns_from() -> None:
    model = new_model()
    rows = np.arange(LEFT_OUT + 30) % N
    batch = BATCH.at(rows)
    scores = model.learn_many(batch, Verdicts(np.ones(len(rows), dtype=np.bool_), np.ones(len(rows))))
    assert len(model.left_out(liked=True)) == LEFT_OUT == NEWEST_VERDICTS
    assert np.isnan(model.left_out(liked=True)).all()  # nothing was disliked
    assert len(scores) == len(rows)
