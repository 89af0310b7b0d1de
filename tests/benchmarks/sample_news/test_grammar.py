from __future__ import annotations

import pytest

from benchmarks.sample_news.draws import Draws
from benchmarks.sample_news.events import bind, settle
from benchmarks.sample_news.grammar import sentence, write
from benchmarks.sample_news.topic import Topic
from benchmarks.sample_news.topics import TOPICS


def test_bound_slots_win_over_the_lexicon_and_entries_may_hold_slots() -> None:
    lexicon = {"who": ("{name} the elder",), "name": ("Ann",), "thing": ("boat",)}
    assert write("{Who} has the {thing}", lexicon, {"thing": "bridge"}, Draws(0)) == "Ann the elder has the bridge"


def test_a_capital_slot_capitalises_only_the_first_letter() -> None:
    assert write("{Thing}", {}, {"thing": "night Train"}, Draws(0)) == "Night Train"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a old gate", "an old gate"),
        ("A island, a house", "An island, a house"),
        ("a union of a one-eyed", "a union of a one-eyed"),
        ("a unusual case", "an unusual case"),
    ],
)
def test_the_article_follows_the_sound(text: str, expected: str) -> None:
    assert write(text, {}, {}, Draws(0)) == expected


def test_other_languages_keep_their_own_a() -> None:
    assert write("a Osmarsund", {}, {}, Draws(0), language="it") == "a Osmarsund"


def test_an_unknown_slot_is_an_error() -> None:
    with pytest.raises(KeyError, match="nonsense"):
        write("{nonsense}", {}, {}, Draws(0))


def test_sentences_begin_large_and_end_with_one_mark() -> None:
    assert sentence("the end") == "The end."
    assert sentence("why?") == "Why?"


@pytest.mark.parametrize("topic", TOPICS.values(), ids=lambda topic: f"{topic.key}-{topic.language}")
def test_every_template_of_a_topic_can_be_filled(topic: Topic) -> None:
    draws = Draws(topic.key)
    bound = bind(topic, draws)
    single = [write(text, topic.lexicon, bound, draws) for text in (*topic.facts, *topic.claims)]
    news = [settle(pair, topic, bound, draws) for pair in (*topic.briefs, *(p for arc in topic.arcs for p in arc))]
    filled = single + [text for pair in news for text in pair]
    assert not [text for text in filled if set("{}|\\") & set(text) or "  " in text]
