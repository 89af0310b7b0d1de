"""The parts of a score: they are exact, and name the words that the user likes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from iscore.filtering.ranking.contributions import Contributions, Explainer
from iscore.filtering.ranking.labelled import NO_INTEREST
from iscore.filtering.ranking.ranking import FEWEST_VOTES, score
from tests.iscore.filtering.made_up import Reader, about, basis_of, meant, terms, with_meanings

NEWS = [*about("rain", 4, seed=50), *about("gold", 4, seed=50), "unheard of"]
WORDS = " ".join(f"{topic}{number}" for topic in ("rain", "ships") for number in range(6))


def fond_of_rain() -> Reader:
    reader = Reader()
    reader.like(*about("rain", 5))
    reader.dislike(*about("ships", 5))
    reader.pass_over(*about("gold", 20))
    return reader


def with_examples_and_a_new_interest() -> Reader:
    reader = fond_of_rain()
    reader.add_examples(*about("ships", 3, seed=9))
    reader.add_phrase("gold0 gold1")
    return reader


def with_interests_only() -> Reader:
    reader = Reader()
    reader.pass_over(*about("gold", 20), *about("ships", 20))
    reader.dislike(*about("ships", 2, seed=1))
    reader.add_phrase("gold0 gold1, rain0")
    reader.add_phrase("ships0")
    return reader


def with_interests_and_likes() -> Reader:
    reader = with_interests_only()
    reader.like(*about("gold", 3, seed=8))
    return reader


def with_a_classifier() -> Reader:
    reader = Reader()
    random = np.random.default_rng(5)
    for number in range(40):
        liked = number % 3 == 0
        topic = "rain" if random.random() < (0.8 if liked else 0.2) else "ships"
        reader.rate(about(topic, 1, seed=number), liked, mood=(1.0 if liked else -1.0) + random.normal())
    reader.pass_over(*about("gold", FEWEST_VOTES, seed=99), mood=-1.0)
    return reader


def with_a_classifier_alone() -> Reader:
    reader = with_a_classifier()
    reader.model.rankers = "classifier"
    return reader


def with_a_classifier_and_an_interest() -> Reader:
    reader = with_a_classifier()
    reader.add_phrase("rain0 rain1")
    return reader


@pytest.mark.parametrize("based", [False, True])
@pytest.mark.parametrize(
    "reader",
    [
        *(fond_of_rain, with_examples_and_a_new_interest, with_interests_only, with_interests_and_likes),
        *(with_a_classifier, with_a_classifier_alone, with_a_classifier_and_an_interest),
    ],
)
def test_the_parts_add_up_to_the_score(reader, based: bool) -> None:
    made = reader()
    evidence = made.evidence(basis_of("rain0 rain1 rain2", "gold0 ships1") if based else None)
    articles = made.new(NEWS, moods=[0.8] * len(NEWS))
    scored = score(articles, evidence)
    expected = scored.offsets.log_odds(scored.articles)
    explainer = Explainer.of(evidence)
    found = [explainer.contributions(articles.terms[row], vote) for row, vote in enumerate(articles.votes.tolist())]
    sums = [each.start + each.words.sum() + each.interest + each.classifier for each in found]
    assert sums == pytest.approx(expected, abs=1e-9)
    assert {each.share > 0.0 for each in found} == {reader.__name__.startswith("with_a_classifier")}
    assert {each.meaning for each in found} == {0.0}


@pytest.mark.parametrize("reader", [fond_of_rain, with_a_classifier])
def test_meaning_is_a_part_of_its_own(reader) -> None:
    made = reader()
    evidence = with_meanings(made.evidence(basis_of("rain0 rain1 rain2", "gold0 ships1")), ("drizzle", "rain0"))
    articles = made.new(["drizzle", *NEWS], moods=[0.8] * (1 + len(NEWS)))
    articles = replace(articles, terms=meant(articles.terms, ("drizzle", "rain0")))
    scored = score(articles, evidence)
    found = [Explainer.of(evidence).contributions(articles.terms[row], articles.votes[row]) for row in range(6)]
    assert [each.start + each.words.sum() + each.meaning + each.classifier for each in found] == pytest.approx(
        scored.offsets.log_odds(scored.articles)[:6], abs=1e-9
    )
    assert found[0].words.tolist() == [0.0]
    assert found[0].meaning > 0.1


def parts(reader: Reader, text: str, **more) -> tuple[dict[str, float], Contributions]:
    found = Explainer.of(reader.evidence(**more)).contributions(terms(text), math.nan)
    names = {int(terms(word).ids[0]): word for word in text.split()}
    return dict(zip((names[term] for term in terms(text).ids.tolist()), found.words.tolist(), strict=True)), found


def test_words_of_what_is_liked_count_for_it_and_others_against_it() -> None:
    found, _ = parts(fond_of_rain(), f"{WORDS} unheard")
    assert all(value > 0 for word, value in found.items() if word.startswith("rain"))
    assert all(value < 0 for word, value in found.items() if word.startswith("ships"))
    assert found["unheard"] == 0.0


def test_a_word_counts_by_its_topic_too() -> None:
    reader = fond_of_rain()
    assert parts(reader, "drizzle gold0")[0]["drizzle"] == 0.0
    assert (
        parts(reader, "drizzle gold0", basis=basis_of("rain0 rain1 rain2 rain3 rain4 rain5 drizzle"))[0]["drizzle"]
        > 0.0
    )


def test_an_interest_is_credited_with_its_own_words_only() -> None:
    reader = with_interests_only()
    named = []
    for text in ("gold0 common1 ships1", "gold1 gold0 ships1", "common1 common2"):
        found, whole = parts(reader, text, basis=basis_of("gold0 gold1 common1", "ships0 ships1"))
        assert set(found.values()) == {0.0}
        own = terms(text).ids[whole.own_words]
        named.append((whole.number, sorted(word for word in text.split() if terms(word).ids[0] in own)))
    assert named == [(0, ["gold0"]), (0, ["gold0", "gold1"]), (0, [])]
    assert parts(fond_of_rain(), "rain0")[1].number == NO_INTEREST
