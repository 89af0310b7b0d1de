"""The score: rankers over words and topics, and the share of the feature classifier that its past scores are worth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from extractors.text.terms import TermBatch
from iscore.filtering.ranking.calibration import Offsets, sigmoid
from iscore.filtering.ranking.ranking import FEWEST_VOTES, USUAL_SHARE, fitted, score
from tests.iscore.filtering.made_up import Reader, about, basis_of

NEWS = [*about("rain", 6, seed=50), *about("ships", 6, seed=50), *about("gold", 6, seed=50)]
RAIN, REST = slice(0, 6), slice(6, 18)


def scores(reader: Reader, texts: list[str] = NEWS, **more) -> np.ndarray:
    basis = more.pop("basis", None)
    found = score(reader.new(texts, **more), reader.evidence(basis))
    assert np.isfinite(found.articles).all()
    assert np.isfinite(found.pool).all()
    assert len(found.pool) == len(reader.arrived)
    return found.articles


def share_of_classifier(reader: Reader) -> float:
    return fitted(reader.new(NEWS), reader.evidence()).classifier.share


def test_a_topic_of_three_examples_ranks_first() -> None:
    reader = Reader()
    reader.add_examples(*about("rain", 3))
    reader.pass_over(*about("ships", 10), *about("gold", 10))
    found = scores(reader)
    assert found[RAIN].min() > found[REST].max()
    assert sigmoid(found[REST]).max() < 0.5


def test_a_topic_in_two_words_ranks_first() -> None:
    reader = Reader()
    reader.add_phrase("rain0 rain1")
    reader.pass_over(*about("ships", 20), *about("gold", 20), *about("rain", 5))
    found = scores(reader)
    assert found[RAIN].mean() > found[REST].max()


def test_verdicts_on_two_topics_tell_them_apart() -> None:
    reader = Reader()
    reader.like(*about("rain", 5))
    reader.dislike(*about("ships", 5))
    reader.pass_over(*about("gold", 20))
    found = scores(reader)
    assert found[RAIN].min() > found[REST].max()
    assert sigmoid(found[RAIN]).mean() > 0.5 > sigmoid(found[REST]).mean()


def test_a_basis_brings_articles_near_that_share_no_word_with_a_like() -> None:
    reader = Reader()
    reader.like("downpour floods", "downpour floods town")
    reader.dislike("gold price")
    reader.pass_over(*about("gold", 10), *about("ships", 10))
    news = ["drizzle expected", "bond yields"]
    rain, bonds = scores(reader, news)
    assert rain == bonds
    rain, bonds = scores(reader, news, basis=basis_of("downpour floods drizzle", "gold price bond yields"))
    assert rain > bonds


def test_one_like_alone_ranks_and_is_no_certainty() -> None:
    for others in ([], about("gold", 1), about("gold", 40)):
        reader = Reader()
        reader.like(*about("rain", 1))
        reader.pass_over(*others)
        found = scores(reader)
        assert found[RAIN].mean() > found[REST].mean()


def test_contradictory_verdicts_on_one_text_are_no_evidence_either_way() -> None:
    reader = Reader()
    for _ in range(8):
        reader.like("rain0 rain1")
        reader.dislike("rain0 rain1")
    reader.pass_over(*about("gold", 10))
    same, other = scores(reader, ["rain0 rain1", "gold0 gold1"])
    assert 0.1 < sigmoid(np.array([same]))[0] < 0.9
    assert same > other


def test_an_article_without_words_is_scored_between_the_liked_and_the_disliked() -> None:
    reader = Reader()
    reader.like(*about("rain", 5), "")
    reader.dislike(*about("ships", 5))
    reader.pass_over(*about("gold", 10), "")
    found = scores(reader, [*about("rain", 3, seed=70), *about("ships", 3, seed=70), ""])
    assert found[:3].mean() > found[-1]


def test_nothing_else_need_be_known() -> None:
    """No pool, nothing hidden, no basis, no article."""
    reader = Reader()
    reader.add_examples(*about("rain", 2))
    assert scores(reader)[RAIN].min() > -np.inf
    assert scores(reader, []).tolist() == []


def test_a_score_does_not_depend_on_the_other_articles_of_the_batch() -> None:
    reader = Reader()
    reader.like(*about("rain", 4))
    reader.dislike(*about("ships", 4))
    reader.pass_over(*about("gold", 10))
    alone = [scores(reader, [text])[0] for text in NEWS[::4]]
    assert scores(reader)[::4] == pytest.approx(alone, abs=1e-9)


def test_likes_alone_make_what_was_hidden_hardly_likelier() -> None:
    """Without dislikes, deliveries look as if everything were liked: with hidden articles of a fixed weight, by 1.4."""

    def hidden(likes: int) -> float:
        reader = Reader()
        reader.like(*about("rain", likes))
        reader.pass_over(*about("gold", 100), *about("ships", 100, seed=2))
        return float(scores(reader)[REST].mean())

    assert hidden(150) < hidden(30) + 0.5


def opinions(mood_of_liked: float) -> Reader:
    """A reader whose verdicts do not depend on words; articles of a good mood may be the liked ones."""
    reader = Reader()
    random = np.random.default_rng(4)
    for number in range(40):
        liked = bool(random.random() < 0.5)
        mood = (mood_of_liked if liked else -mood_of_liked) + random.normal()
        reader.rate(about("rain", 1, seed=number), liked, mood=mood)
    reader.pass_over(*about("rain", FEWEST_VOTES, seed=99), mood=-mood_of_liked)
    return reader


def test_a_classifier_that_predicted_better_has_more_of_the_vote_than_usual() -> None:
    reader = opinions(mood_of_liked=4.0)
    assert 1.3 * USUAL_SHARE < share_of_classifier(reader) < 1.0
    good, bad = scores(reader, ["rain0 rain1", "rain0 rain1"], moods=[4.0, -4.0])
    assert good > bad + 1.0


def test_a_classifier_that_knows_less_has_less_of_the_vote_than_usual() -> None:
    """Here words tell all, and moods nothing."""
    reader = Reader()
    random = np.random.default_rng(4)
    for number in range(40):
        reader.like(*about("rain", 1, seed=number), mood=random.normal())
        reader.dislike(*about("ships", 1, seed=number), mood=random.normal())
    reader.pass_over(*about("gold", 3 * FEWEST_VOTES), mood=0.0)
    assert 0.0 < share_of_classifier(reader) < USUAL_SHARE
    assert scores(reader)[RAIN].min() > scores(reader)[REST].max()


def test_what_the_classifier_gave_no_vote_on_is_scored_by_the_rankers_alone() -> None:
    reader = opinions(mood_of_liked=4.0)
    evidence, news = reader.evidence(), reader.new(["rain0 rain1"], moods=[4.0])
    without = replace(news, votes=np.array([np.nan]))
    assert score(without, evidence).articles == pytest.approx(fitted(news, evidence).rankers.articles)
    assert score(news, evidence).articles > score(without, evidence).articles


@pytest.mark.parametrize(("verdicts", "before"), [(4, 0), (8, 100)])
def test_a_classifier_with_few_verdicts_or_few_votes_has_no_vote(verdicts: int, before: int) -> None:
    reader = Reader()
    reader.pass_over(*about("gold", before))
    for number in range(verdicts):
        reader.like(*about("rain", 1, seed=number), mood=5.0)
        reader.dislike(*about("rain", 1, seed=number), mood=-5.0)
    reader.pass_over(*about("gold", 50), mood=0.0)
    assert share_of_classifier(reader) == 0.0
    good, bad = scores(reader, ["rain0 rain1", "rain0 rain1"], moods=[5.0, -5.0])
    assert good == bad


def test_in_a_small_stream_half_of_the_votes_are_enough() -> None:
    """A reader of thirty articles need not wait for hundreds."""
    reader = Reader()
    for number in range(8):
        reader.like(*about("rain", 1, seed=number), mood=5.0)
        reader.dislike(*about("rain", 1, seed=number), mood=-5.0)
    reader.pass_over(*about("gold", 14), mood=0.0)
    assert share_of_classifier(reader) > 0.0


def test_the_same_evidence_gives_the_same_bits() -> None:
    reader = opinions(mood_of_liked=2.0)
    moods = list(np.linspace(-2.0, 2.0, len(NEWS)))
    assert scores(reader, moods=moods).tobytes() == scores(reader, moods=moods).tobytes()


def test_articles_that_come_several_times_are_fitted_once_and_get_the_same_scores_to_the_bit() -> None:
    reader = Reader()
    reader.add_phrase("rain0 rain1")
    reader.like(*about("rain", 8))
    reader.dislike(*about("ships", 4))
    reader.pass_over(*about("gold", 30), *NEWS)
    news, evidence = reader.new(NEWS), reader.evidence(basis_of(*NEWS))
    known: dict[bytes, int] = {}

    def numbered(batch: TermBatch) -> TermBatch:
        numbers = [known.setdefault(batch[row].to_bytes(), len(known)) for row in range(len(batch))]
        return replace(batch, numbers=np.array(numbers))

    several = replace(
        evidence,
        labelled=replace(evidence.labelled, terms=numbered(evidence.labelled.terms)),
        hidden=numbered(evidence.hidden_sample),
        pool=replace(evidence.pool, terms=numbered(evidence.pool.terms)),
    )
    once, each = fitted(replace(news, terms=numbered(news.terms)), several), fitted(news, evidence)
    assert len(known) < len(evidence.pool.terms) + len(evidence.hidden_sample)
    for name in ("articles", "pool", "labelled"):
        assert getattr(once.rankers, name).tolist() == getattr(each.rankers, name).tolist()
    assert once.interests.tolist() == each.interests.tolist()
    assert once.base
    assert each.base
    assert once.base.weights.words.tolist() == each.base.weights.words.tolist()


def test_the_offsets_are_learned_from_left_out_margins_and_those_at_delivery() -> None:
    reader = Reader()
    reader.add_examples(*about("rain", 3))
    reader.like(*about("rain", 6, seed=1), margin=-4.0)
    reader.dislike(*about("ships", 9), margin=2.0)
    reader.pass_over(*about("gold", 20))
    found = fitted(reader.new(NEWS), reader.evidence())
    left_out, liked = found.rankers.labelled[3:], np.arange(15) < 6
    assert left_out[:6].min() > left_out[6:].max()
    assert found.offsets == Offsets.of(left_out, np.where(liked, -4.0, 2.0), liked)
