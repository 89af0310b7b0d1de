"""Reasons: few, clear, those that agree with the decision first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iscore.services.article_mapping import analysed_article
from iscore.services.explanations import strongest_in_score
from iscore.services.reasons import CLEAR, MOST_REASONS, cold_start_reasons, feature_views, reasons
from iscore.services.views.articles import FeatureView
from storage import features
from storage.records import LOCAL_USER, Kind


def part(
    name: str, contribution: float, *, family: str = "", value: float | None = 0.5, correlation: float = 0.3
) -> FeatureView:
    return FeatureView(name, f"much {name}", family or name, value, contribution, correlation, 1, used=True)


def test_reasons_that_agree_come_first_then_the_largest() -> None:
    parts = [part("a", 0.5), part("b", -2.0), part("c", 3.0), part("d", -0.3)]
    assert reasons(parts, interesting=True) == (
        "much c (speaks strongly for it)",
        "much a (speaks for it)",
        "less than others: much b (speaks strongly against it)",
    )
    assert [reason.split(" (")[0] for reason in reasons(parts, interesting=False)] == [
        "less than others: much b",
        "less than others: much d",
        "much c",
    ]


def test_a_feature_of_disliked_articles_speaks_against_by_being_there() -> None:
    assert reasons([part("a", -1.0, correlation=-0.4)], interesting=False) == ("much a (speaks against it)",)
    assert reasons([part("a", 1.0, correlation=-0.4)], interesting=True) == (
        "less than others: much a (speaks for it)",
    )


def test_features_of_a_family_get_one_reason_for_all_that_they_add() -> None:
    topic = [part("a", 0.9, family="topic"), part("b", 0.8, family="topic"), part("c", -0.1, family="topic")]
    assert reasons([*topic, part("d", 1.0)], interesting=True) == (
        "much a (speaks strongly for it)",
        "much d (speaks for it)",
    )
    at_odds = [part("a", 0.9, family="topic"), part("b", -0.8, family="topic")]
    assert reasons(at_odds, interesting=True) == ()
    against = [part("a", 0.3, family="topic"), part("b", -0.8, family="topic")]
    assert reasons(against, interesting=True) == ("less than others: much b (speaks against it)",)


def test_unclear_families_are_left_out_and_reasons_are_few() -> None:
    assert reasons([part("a", CLEAR - 0.01)], interesting=True) == ()
    assert len(reasons([part(name, 1.0) for name in "abcdefg"], interesting=True)) == MOST_REASONS


@pytest.mark.parametrize(
    ("topic", "source", "told"),
    [
        (0.4, 0.9, ("much rocchio", "from a source you like more than others")),
        (-0.4, 0.1, ("like what you disliked", "from a source you like less than others")),
        (0.05, 0.54, ("still getting to know you",)),
        (None, None, ("still getting to know you",)),
    ],
)
def test_with_few_verdicts_topic_and_source_are_the_reasons(topic, source, told) -> None:
    parts = [part("rocchio", 0.0, value=topic), part("source_reputation", 0.0, value=source)]
    assert cold_start_reasons(parts, 0.5) == told
    assert cold_start_reasons([replace(parts[0], name="other")], 0.5) == ("still getting to know you",)


def test_contributions_add_up_to_the_score_and_missing_values_are_none(filled) -> None:
    for number, article in enumerate(filled.leaders()[:40]):
        filled.say(Kind.LIKE if number % 3 == 0 else Kind.DISLIKE, article.seq)
    model = filled.news.models.load().model
    with filled.database.read() as tx:
        rows = features.ingested(tx, LOCAL_USER, [article.seq for article in filled.leaders()[40:]])
    for row in rows:
        frozen = analysed_article(row, filled.news.extractors.article_feature_names)
        prior, size, parts = feature_views(model, frozen, filled.news.extractors.meanings)
        assert sum(part.used for part in parts) == size
        assert {part.name for part in parts} == set(model.names)
        assert all(part.contribution == 0.0 for part in parts if not part.used)
        assert all(part.meaning != part.name for part in parts)
        weights = [abs(part.contribution) for part in parts]
        assert weights == sorted(weights, reverse=True)
        vector = dict(zip(model.names, model.vector(frozen).tolist(), strict=True))
        assert all(part.value == vector[part.name] for part in parts if part.value is not None)
        assert prior + sum(part.contribution for part in parts) == pytest.approx(model.judge(frozen).score, abs=1e-9)


WORDS = (("TARIFFS", 2.0), ("goal", -1.5), ("2026", 1.4), ("inflation", 1.2), ("a", 1.1), ("EU", 1.0), ("bank", 0.5))


def test_a_topic_names_the_strongest_words_of_its_side() -> None:
    topic = part("words_nb", 2.0, family="topic relevance")
    assert reasons([topic], interesting=True, words=WORDS) == (
        "words you like: Tariffs, inflation, EU (speaks strongly for it)",
    )
    against = replace(topic, contribution=-0.5)
    assert reasons([against], interesting=False, words=WORDS) == ("words you do not like: goal (speaks against it)",)
    assert reasons([topic], interesting=True, words=WORDS[1:3]) == ("much words_nb (speaks strongly for it)",)
    assert reasons([part("lix", 2.0)], interesting=True, words=WORDS) == ("much lix (speaks strongly for it)",)


def test_brief_reasons_mark_what_disagrees() -> None:
    parts = [part("a", 0.5), part("b", -2.0), part("c", 3.0), part("d", 0.15)]
    assert reasons(parts, interesting=True, brief=True) == ("much c", "much a", "much d")
    assert reasons(parts, interesting=False, brief=True) == ("less than others: much b", "but much c", "but much a")


def test_there_is_a_brief_reason_unless_all_parts_are_zero() -> None:
    faint = [part("a", 0.05), part("b", 0.02), part("c", -0.19)]
    assert reasons(faint, interesting=True) == ()
    assert reasons(faint, interesting=True, brief=True) == ("much a",)
    assert reasons([part("a", 0.0)], interesting=True, brief=True) == ()


def test_words_are_named_with_few_verdicts_too() -> None:
    close = [part("rocchio", 0.0, value=0.4)]
    assert cold_start_reasons(close, 0.5, WORDS) == ("words you like: Tariffs, inflation, EU",)
    assert cold_start_reasons(close, 0.5) == ("much rocchio",)
    assert cold_start_reasons([part("rocchio", 0.0, value=-0.4)], 0.5, WORDS) == ("words you do not like: goal",)


def test_frequent_words_come_first() -> None:
    said = [("once", 2.0, 1.0), ("often", 1.0, 3.0), ("against", -0.9, 2.0), ("faint", 0.1, 4.0)]
    assert strongest_in_score(said) == (("often", 1.0), ("once", 2.0), ("against", -0.9), ("faint", 0.1))


def test_a_source_without_verdicts_is_as_good_as_the_reader_is_to_others() -> None:
    share = 1 / 6  # of a reader who liked one of ten
    assert cold_start_reasons([part("source_reputation", 0.0, value=share)], share) == ("still getting to know you",)
    disliked = part("source_reputation", 0.0, value=0.8 * share)
    assert cold_start_reasons([disliked], share) == ("from a source you like less than others",)
