"""What a ranking is fitted to: a stable sample, and scores left out of each verdict."""

from __future__ import annotations

import numpy as np
import pytest

from iscore.filtering.ranking.evidence import NEWEST_DELIVERIES, smallest_hashes
from iscore.filtering.ranking.ranking import score
from tests.iscore.filtering.made_up import Reader, about, terms


def test_a_sample_of_more_keeps_those_with_the_smallest_hashes() -> None:
    before, after = (set(smallest_hashes(np.arange(size), 40, seed=5).tolist()) for size in (400, 900))
    assert len(before) == len(after) == 40
    assert {number for number in after if number < 400} < before


def test_adding_one_article_replaces_one_at_most() -> None:
    for n in range(30, 60):
        before, after = (set(smallest_hashes(np.arange(size), 30, seed=1).tolist()) for size in (n, n + 1))
        assert len(before - after) <= 1


def test_the_order_of_the_numbers_does_not_matter() -> None:
    numbers = np.random.default_rng(0).permutation(500)
    mixed = numbers[smallest_hashes(numbers, 20, seed=5)]
    assert sorted(mixed.tolist()) == smallest_hashes(np.arange(500), 20, seed=5).tolist()


def test_each_seed_has_its_own_sample_of_the_whole() -> None:
    numbers = np.arange(10_000)
    samples = [smallest_hashes(numbers, 500, seed=seed) for seed in (0, 1, -1, 2**63 + 5)]
    for sample in samples:
        assert (np.diff(sample) > 0).all()
        assert np.histogram(sample, bins=5, range=(0, 10_000))[0] == pytest.approx(100, abs=40)
    assert len({sample.tobytes() for sample in samples}) == 4


def test_few_articles_are_all_taken() -> None:
    assert smallest_hashes(np.array([7, 3, 9]), 5, seed=0).tolist() == [0, 1, 2]
    assert smallest_hashes(np.empty(0, dtype=np.int64), 5, seed=0).tolist() == []


def deliveries(reader: Reader) -> list[tuple[float, bool]]:
    """Return the margin at delivery, and whether liked, of what sets the level."""
    evidence = reader.evidence()
    return list(zip(evidence.margins.tolist(), evidence.labelled.liked[evidence.deliveries].tolist(), strict=True))


def test_evidence_joins_the_log_with_what_the_model_predicted_before_it_learned() -> None:
    reader = Reader()
    reader.add_examples(*about("gold", 2), weight=0.5)
    for number in range(6):
        reader.like(*about("rain", 1, seed=number), mood=1.0, margin=0.3)
        reader.dislike(*about("ships", 1, seed=number), mood=-1.0)
    reader.pass_over(*about("ships", 7))
    evidence = reader.evidence()
    assert (evidence.likes, evidence.dislikes, evidence.n_hidden, len(evidence.known)) == (6, 6, 7, 19)
    assert evidence.labelled.liked.tolist() == [True] * 8 + [False] * 6
    assert evidence.labelled.verdicts.tolist() == [False] * 2 + [True] * 12
    assert evidence.deliveries.tolist() == [2, 3, 4, 5, 6, 7]
    assert evidence.margins.tolist() == [0.3] * 6
    # Nothing was predicted of examples, nor of the first five of each kind.
    assert np.flatnonzero(~np.isnan(evidence.left_out)).tolist() == [7, 13]
    assert evidence.left_out[7] == reader.model.left_out(liked=True)[-1] > 0
    assert evidence.left_out[13] == reader.model.left_out(liked=False)[-1] < 0


def test_after_a_change_of_interest_the_margins_of_another_ranking_say_nothing() -> None:
    reader = Reader()
    reader.like(*about("rain", 20), margin=2.0, score=2.0)
    reader.dislike(*about("rain", 8, seed=1), margin=2.0, score=2.0)
    assert reader.evidence().searching
    assert deliveries(reader) == [(2.0, True)] * 20 + [(2.0, False)] * 8
    reader.like(*about("gold", 1), recommended=False)
    reader.like(*about("gold", 3, seed=1), margin=-1.0, score=-1.0)
    evidence = reader.evidence()
    assert (evidence.likes, evidence.dislikes) == (4, 8)
    assert deliveries(reader) == [(-1.0, True)] * 3


def test_only_the_newest_deliveries_set_the_level() -> None:
    reader = Reader()
    reader.add_examples(*about("rain", 3))
    reader.dislike(*about("ships", 40), margin=-1.0)
    reader.like(*about("rain", NEWEST_DELIVERIES - 20, seed=1), margin=1.0)
    reader.dislike(*about("ships", 10, seed=2), margin=2.0)
    assert deliveries(reader) == [(-1.0, False)] * 10 + [(1.0, True)] * (NEWEST_DELIVERIES - 20) + [(2.0, False)] * 10


def test_what_has_no_word_of_the_stream_ranks_nothing() -> None:
    reader = Reader()
    reader.pass_over(*about("gold", 10))
    reader.add_phrase("再生可能エネルギー")
    reader.add_examples("quaternion holography", "")
    evidence = reader.evidence(new=reader.new(about("ships", 10)))
    assert not evidence.can_rank
    assert not evidence.has_examples
    assert not evidence.labelled.phrases
    assert reader.evidence(new=reader.new(["a quaternion"])).can_rank
    # Beside another interest it takes no part.
    reader.add_phrase("gold0 gold1")
    assert [each.terms.ids.tolist() for each in reader.evidence().labelled.phrases] == [
        terms("gold0 gold1").ids.tolist()
    ]
    assert reader.evidence().can_rank
    assert np.isfinite(score(reader.new(about("ships", 10)), reader.evidence()).articles).all()


def test_phrases_are_no_examples() -> None:
    reader = Reader()
    reader.pass_over(*about("rain", 1))
    reader.add_phrase("rain0 rain1 rain2 rain3 rain4 rain5")
    assert not reader.evidence().has_examples
    assert reader.evidence().labelled.only_words
    reader.add_examples(*about("rain", 1))
    assert reader.evidence().has_examples
    assert not reader.evidence().labelled.only_words


def test_what_was_delivered_without_a_verdict_is_not_hidden() -> None:
    reader = Reader()
    reader.like(*about("rain", 2))
    reader.pass_over(*about("gold", 3))
    reader.deliver(*about("rain", 4, seed=1))
    evidence = reader.evidence()
    assert evidence.hidden.tolist() == [False] * 2 + [True] * 3 + [False] * 4
    assert np.isnan(evidence.known).tolist() == [False] * 2 + [True] * 7


def test_after_a_change_of_interest_only_what_came_later_counts() -> None:
    reader = Reader()
    reader.add_examples(*about("cats", 1))
    reader.like(*about("rain", 20), margin=1.0, score=2.0, mood=1.0)
    reader.dislike(*about("rain", 9, seed=1), margin=1.0, score=2.0, mood=1.0)
    assert reader.evidence().searching
    assert (reader.evidence().likes, reader.evidence().dislikes) == (20, 9)
    reader.like(*about("gold", 1), recommended=False, mood=-1.0)
    evidence = reader.evidence()
    assert not evidence.searching
    assert (evidence.likes, evidence.dislikes) == (1, 9)
    kept = evidence.labelled.verdicts
    assert evidence.labelled.liked[kept].tolist() == [True] + [False] * 9
    assert evidence.left_out[kept][0] == reader.model.left_out(liked=True)[-1]


def test_evidence_of_nobody() -> None:
    evidence = Reader().evidence()
    assert (evidence.likes, evidence.n_hidden, len(evidence.known), len(evidence.left_out)) == (0, 0, 0, 0)
