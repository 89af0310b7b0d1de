"""Reasons: few, clear, those that agree with the decision first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import ClassVar

import pytest

from extractors import AnalysedArticle, Article, Document, DocumentExtractor, Extractor
from extractors.text.function_words import FUNCTION_WORDS, GENERAL_WORDS
from extractors.text.text import Text
from iscore.filtering.features.computation import ArticleFeatures
from iscore.filtering.features.factory import make_extractors
from iscore.filtering.model import ReaderModel
from iscore.filtering.model_factory import make_reader
from iscore.services.learning.article_features import analysed_article
from iscore.services.learning.reasons import (
    CLEAR,
    MOST_REASONS,
    Grounds,
    can_be_named,
    family_reasons,
    feature_views,
    phrase,
    reasons,
)
from iscore.services.news_filter import NewsFilter
from iscore.services.views.stories import FeatureView
from storage.records.users import LOCAL_USER, Kind
from storage.stream import features
from tests.iscore.conftest import Archive

NOW = datetime(2026, 3, 2, tzinfo=UTC)


def part(name: str, contribution: float, *, family: str = "", phrase: str | None = None) -> FeatureView:
    phrases = f"much {name}" if phrase is None else phrase
    return FeatureView(name, f"much {name}", family or name, 0.5, contribution, 0.3, 1, used=True, phrase=phrases)


def test_reasons_that_agree_come_first_then_the_largest() -> None:
    parts = [part("a", 0.5), part("b", -2.0), part("c", 3.0), part("d", -0.3)]
    assert family_reasons(parts, interesting=True) == (
        "much c (counts strongly for it)",
        "much a (counts for it)",
        "much b (counts strongly against it)",
    )
    assert [reason.split(" (")[0] for reason in family_reasons(parts, interesting=False)] == [
        "much b",
        "much d",
        "much c",
    ]


def test_a_feature_without_a_phrase_is_no_reason() -> None:
    middling = part("a", 3.0, family="form", phrase="")
    assert family_reasons([middling, part("b", 0.5)], interesting=True) == ("much b (counts for it)",)
    assert family_reasons([middling, part("c", 0.3, family="form")], interesting=True) == (
        "much c (counts strongly for it)",
    )
    assert family_reasons([middling, part("c", -0.3, family="form")], interesting=True) == ()


def test_features_of_a_family_get_one_reason_for_all_that_they_add() -> None:
    topic = [part("a", 0.9, family="topic"), part("b", 0.8, family="topic"), part("c", -0.1, family="topic")]
    assert family_reasons([*topic, part("d", 1.0)], interesting=True) == (
        "much a (counts strongly for it)",
        "much d (counts for it)",
    )
    at_odds = [part("a", 0.9, family="topic"), part("b", -0.8, family="topic")]
    assert family_reasons(at_odds, interesting=True) == ()
    against = [part("a", 0.3, family="topic"), part("b", -0.8, family="topic")]
    assert family_reasons(against, interesting=True) == ("much b (counts against it)",)


def test_unclear_families_are_left_out_and_reasons_are_few() -> None:
    assert family_reasons([part("a", CLEAR - 0.01)], interesting=True) == ()
    assert len(family_reasons([part(name, 1.0) for name in "abcdefg"], interesting=True)) == MOST_REASONS


def give_verdicts(archive: Archive) -> None:
    """Like every third of the first forty stories, and dislike the others."""
    leaders = archive.leaders()[:40]
    archive.tell([(Kind.DISLIKE if number % 3 else Kind.LIKE, each.seq) for number, each in enumerate(leaders)])


def test_contributions_add_up_to_the_score_and_missing_values_are_none(filled) -> None:
    give_verdicts(filled)
    model = filled.news.models.load().model
    with filled.database.read() as tx:
        rows = features.ingested(tx, LOCAL_USER, [article.seq for article in filled.leaders()[40:]])
    for row in rows:
        frozen = analysed_article(row, filled.news.extractors.article_feature_names)
        prior, size, parts = feature_views(model, model.vector(frozen))
        assert sum(part.used for part in parts) == size
        assert {part.name for part in parts} == set(model.names)
        assert all(part.contribution == 0.0 for part in parts if not part.used)
        assert all(part.meaning != part.name for part in parts)
        weights = [abs(part.contribution) for part in parts]
        assert weights == sorted(weights, reverse=True)
        vector = dict(zip(model.names, model.vector(frozen).tolist(), strict=True))
        assert all(part.value == vector[part.name] for part in parts if part.value is not None)
        assert prior + sum(part.contribution for part in parts) == pytest.approx(
            float(model.score_many([frozen])[0]), abs=1e-9
        )


def test_reasons_against_the_decision_that_lists_show_begin_with_but(filled) -> None:
    ferries = [each.seq for each in filled.leaders() if "Ferry aground" in each.title][:6]
    filled.tell([(Kind.LIKE, seq) for seq in ferries[:4]])
    filled.news.polling.decide()
    waiting = [item.id for item in filled.news.inbox(everything=True, learn=False).items]
    with filled.database.write() as tx:  # so that nothing is recommended
        tx.connection.exec_driver_sql("UPDATE current_scores SET threshold = 50, interesting = 0")
    found = [reason for each in filled.news.current_inbox.reasons(waiting).values() for reason in each]
    against = [reason for reason in found if "words you like" in reason]
    assert against
    assert all(reason.startswith("but ") for reason in against)


def test_reasons_by_what_scored_the_inbox_are_those_of_a_fit_of_their_own(filled) -> None:
    give_verdicts(filled)
    filled.news.polling.decide()
    waiting = [item.id for item in filled.news.inbox(everything=True, learn=False).items]
    other = NewsFilter(filled.home, filled.database, filled.news.context.clock)
    assert other.models.load().articles.explainers == {}
    (scored,) = filled.news.models.load().articles.explainers.items()
    reasons = filled.news.current_inbox.reasons(waiting)
    assert reasons == other.current_inbox.reasons(waiting)
    assert [*filled.news.models.load().articles.explainers.items()] == [scored]
    assert [*other.models.load().articles.explainers] == [scored[0]]
    filled.say(Kind.LIKE, 50)
    assert filled.news.current_inbox.reasons(waiting) == other.current_inbox.reasons(waiting)
    assert [*filled.news.models.load().articles.explainers] != [scored[0]]


def test_an_explanation_adds_up_to_the_score_and_names_words_of_the_article(filled) -> None:
    give_verdicts(filled)
    filled.news.polling.decide()
    for item in filled.news.inbox(everything=True, learn=False).items[:8]:
        why = filled.news.why(item.id)
        assert why.start is not None
        assert why.start + why.words_part + why.meaning_part + why.interest_part + why.classifier_part == pytest.approx(
            why.score, abs=1e-9
        )
        text = f"{why.article.title} {why.article.text} {why.article.author} {why.article.url}".lower()
        assert why.word_parts
        assert all(word.lower() in text for word, _ in why.word_parts)
        sizes = [abs(value) for _, value in why.word_parts]
        assert sizes == sorted(sizes, reverse=True)
        parts = {word.lower(): value for word, value in why.word_parts}
        assert all(parts[word.lower()] > 0 for word in why.words_for)
        assert all(parts[word.lower()] < 0 for word in why.words_against)


def test_brief_reasons_mark_what_disagrees() -> None:
    parts = [part("a", 0.5), part("b", -2.0), part("c", 3.0), part("d", 0.15)]
    assert family_reasons(parts, interesting=True, brief=True) == ("much c", "much a", "much d")
    assert family_reasons(parts, interesting=False, brief=True) == ("much b", "but much c", "but much a")


def test_lists_name_fainter_families_that_agree() -> None:
    faint = [part("a", 0.15), part("b", 0.02), part("c", -0.19)]
    assert family_reasons(faint, interesting=True) == ()
    assert family_reasons(faint, interesting=True, brief=True) == ("much a",)


LIKED = (("gold", 1.0), ("Mines", 0.6), ("ore", 0.2), ("coal", 0.1))
DISLIKED = (("league", -0.3),)


@pytest.mark.parametrize(
    ("grounds", "interesting", "brief", "expected"),
    [
        (
            Grounds(LIKED, DISLIKED, ("vein",), "A title"),
            True,
            False,
            (
                "words you like: gold, Mines, ore (counts strongly for it)",
                "much a (counts for it)",
                "words you do not like: league (counts against it)",
            ),
        ),
        (
            Grounds(LIKED, DISLIKED),
            False,
            True,
            ("words you do not like: league", "but much a", "but words you like: gold, Mines, ore"),
        ),
        (Grounds(interests=("vein",), nearest="A title"), True, True, ("words of your interests: vein", "much a")),
        (Grounds(nearest="A title"), True, False, ("like “A title”", "much a (counts for it)")),
        (Grounds(), True, True, ("still getting to know you", "much a")),
        (Grounds(nearest="A title"), False, True, ("none of its words counts clearly for it", "but much a")),
        (Grounds(LIKED[:1]), False, True, ("too little else counts for it", "but much a", "but words you like: gold")),
    ],
)
def test_what_is_liked_comes_first_and_features_count_by_the_share_of_the_classifier(
    grounds: Grounds, interesting: bool, brief: bool, expected: tuple[str, ...]
) -> None:
    topic = part("words_nb", 9.0, family="topic relevance")
    assert reasons(grounds, [part("a", 2.0), topic], 0.5, interesting=interesting, brief=brief) == expected
    without = [reason for reason in expected if "much a" not in reason]
    assert list(reasons(grounds, [part("a", 2.0)], 0.0, interesting=interesting, brief=brief)) == without


@pytest.mark.parametrize(
    ("word", "named"),
    [("like", False), ("Usual", False), ("gute", False), ("JAHR", False), ("7", False), ("ore", True), ("Mines", True)],
)
def test_a_word_that_names_no_subject_is_no_reason(word: str, named: bool) -> None:
    assert can_be_named(word) is named
    assert not GENERAL_WORDS & (FUNCTION_WORDS["en"] | FUNCTION_WORDS["de"]), "those have no terms anyway"


SIDES = ("low", "middle", "high")


@pytest.fixture(scope="module")
def model() -> ReaderModel:
    """A model whose user has liked one of four articles."""
    article_features = ArticleFeatures(make_extractors())
    found = make_reader(article_features.names, make_extractors(), "stacking")
    for number in range(8):
        text = f"Tramway {number} opens" if number % 4 == 0 else f"Storm {number} hits"
        article = Article(id=str(number), arrived=NOW, title=text, text=f"{text}. " * 9, source=f"S{number % 4}")
        found.learn(article_features.analyse(article), number % 4 == 0)
    return found


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("contribution", [-1.0, 1.0])
def test_a_reason_names_a_feature_only_on_the_side_of_its_value(
    model: ReaderModel, side: str, contribution: float
) -> None:
    assert len(model.features.extractor_of) > 40
    for feature, extractor in model.features.extractor_of.items():
        low, high = extractor.current_limits(feature)
        assert low < high
        value = {"low": low, "middle": (low + high) / 2, "high": high}[side]
        phrases = {"low": extractor.low_value_meanings[feature], "middle": "", "high": extractor.meanings[feature]}
        expected = phrases[side]
        if extractor.scope == "reader" and (side == "high") != (contribution > 0):
            expected = ""  # "similar to what you liked" does not explain why an article is hidden
        assert phrase(model, feature, value, contribution) == expected, feature
        view = part(feature, contribution, phrase=expected)
        for interesting in (True, False):
            shown = family_reasons([view], interesting=interesting, brief=True)
            assert shown in ((), (expected,), (f"but {expected}",)), feature
            assert bool(shown) == bool(expected), feature


def test_a_missing_value_and_an_unknown_name_say_nothing(model: ReaderModel) -> None:
    for feature, extractor in model.features.extractor_of.items():
        assert extractor.phrase(feature, float("nan")) == ""
    unknown = AnalysedArticle.of(Article(id="x", arrived=NOW, title="Storm", text="", source="New", author="Nobody"))
    for feature in ("source_reputation", "author_reputation"):
        extractor = model.features.extractor_of[feature]
        assert extractor.phrase(feature, extractor.extract(unknown)[0]) == ""
    known = AnalysedArticle.of(Article(id="y", arrived=NOW, title="Storm", text="", source="S0"))
    source = model.features.extractor_of["source_reputation"]
    assert source.phrase("source_reputation", source.extract(known)[0]) == "from a source you like more than others"


class Shouting(DocumentExtractor):
    """An extractor of another package."""

    features = ("shouting",)
    meanings: ClassVar = {"shouting": "it shouts"}
    low_value_meanings: ClassVar = {"shouting": "it whispers"}
    limits: ClassVar = {"shouting": (0.0, 2.0)}
    families: ClassVar = {"shouting": "tone"}

    def extract(self, document: Document, text: Text) -> Sequence[float]:  # noqa: ARG002
        return [float(document.title.count("!"))]


@pytest.mark.parametrize(("title", "expected"), [("Storm", "it whispers"), ("Storm!", ""), ("Storm!!", "it shouts")])
def test_an_extractor_of_another_package_gives_reasons_too(title: str, expected: str) -> None:
    def make() -> Mapping[str, Extractor]:
        return {**make_extractors(), "shouting": Shouting()}

    article_features = ArticleFeatures(make())
    article = article_features.analyse(Article(id="1", arrived=NOW, title=title, text=""))
    model = make_reader(article_features.names, make(), "stacking")
    _, _, views = feature_views(model, model.vector(article))
    (view,) = [each for each in views if each.name == "shouting"]
    assert (view.family, view.phrase) == ("tone", expected)
