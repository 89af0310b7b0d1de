"""Subjectivity, polarity, intensity and the two kinds of speech events, by hand."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from extractors.document.sentiment import SentenceScores, Sentiment, features_of, sentence_scores
from extractors.document.speech_events import SpeechEvents
from extractors.text.analysis import analyse, analyse_many
from extractors.text.frequencies import Frequencies
from extractors.text.sentences import body_sentences


@pytest.fixture
def by_hand() -> SentenceScores:
    """Three articles: of two sentences, of none, of one."""
    return SentenceScores(
        article=np.array([0, 0, 2]),
        subjective=np.array([0.25, 0.75, 0.5]),
        positive=np.array([1.0, -0.5, 0.5]),
        speech=np.array([False, True, True]),
        counts=np.array([2.0, np.nan, 1.0]),
    )


def _values(article) -> dict[str, float]:
    values = Sentiment().extract(article, analyse(article, Frequencies()))
    return dict(zip(Sentiment.features, values, strict=True))


def test_the_formulas_by_hand(by_hand: SentenceScores) -> None:
    values = dict(zip(Sentiment.features, features_of(by_hand).T, strict=True))
    np.testing.assert_array_equal(values["subjectivity"], [0.5, np.nan, 0.5])
    # (0.25 · 1 − 0.75 · 0.5)/(1 + 0.25 + 0.75), and 0.5 · 0.5/(1 + 0.5)
    np.testing.assert_allclose(values["polarity"], [-0.0625, np.nan, 1 / 6])
    # (0.25 · 1 + 0.75 · 0.5)/2, and 0.5 · 0.5
    np.testing.assert_array_equal(values["intensity"], [0.3125, np.nan, 0.25])
    np.testing.assert_array_equal(values["speech_events_objective"], [0.125, np.nan, 0.5])
    np.testing.assert_array_equal(values["speech_events_subjective"], [0.375, np.nan, 0.5])


class TestArticles:
    def test_opinions_differ_from_reports(self, piece) -> None:
        report = _values(piece(text="The man leaves town. Two boys find him in the house of his brother."))
        opinion = _values(piece(text="This is a wonderful and moving film. It is never dull, and often funny."))
        assert report["subjectivity"] < 0.2
        assert opinion["subjectivity"] > 0.8
        assert opinion["intensity"] > 3 * report["intensity"]

    @pytest.mark.parametrize(
        ("text", "sign"),
        [
            ("The phone is a beautiful, powerful and honest piece of work. It is one of the best of the year.", 1.0),
            ("The phone is dull, tired and pointless. It is too bad that nobody tried to fix the mess.", -1.0),
        ],
    )
    def test_praise_differs_from_blame(self, piece, text: str, sign: float) -> None:
        values = _values(piece(text=text))
        assert sign * values["polarity"] > 0.3
        assert abs(values["polarity"]) <= values["intensity"] <= values["subjectivity"]

    def test_the_kinds_of_speech_add_up_to_speech_events(self, piece) -> None:
        article = piece(text="It rained. The mayor said it was a silly, dull idea. “We saw the boys,” she said. Fin.")
        values = _values(article)
        (both,) = SpeechEvents().extract(article, analyse(article, Frequencies()))
        assert both == 0.5
        assert values["speech_events_objective"] + values["speech_events_subjective"] == pytest.approx(both)
        fact = _values(piece(text="The mayor said that the boys leave town with his brother."))
        view = _values(piece(text="The mayor said it is too clever, too long and never funny."))
        assert fact["speech_events_objective"] > 0.8
        assert view["speech_events_subjective"] > 0.8

    @pytest.mark.parametrize(
        "odd",
        [
            {"title": "A wonderful film", "text": ""},
            {"text": "…!"},
            {"text": "Un film meraviglioso e commovente. Non è mai noioso.", "language": "it"},
            {"text": "En film som er god.", "language": "no"},
        ],
    )
    def test_all_are_missing_without_a_body_and_in_other_languages(self, piece, odd) -> None:
        assert all(isnan(value) for value in _values(piece(**odd)).values())

    def test_the_title_does_not_count(self, piece) -> None:
        text = "The man leaves town. Two boys find him."
        assert _values(piece(title="A wonderful film! Never dull!", text=text)) == _values(piece(title="", text=text))

    def test_each_sentence_is_scored_by_itself(self, piece) -> None:
        pages = ["This is a wonderful and moving film.", "The man leaves town."]
        apart = [sentence_scores(analyse_many([piece(text=page)], Frequencies())) for page in pages]
        together = sentence_scores(analyse_many([piece(text=" ".join(pages))], Frequencies()))
        assert together.subjective.tolist() == [float(one.subjective[0]) for one in apart]
        assert together.positive.tolist() == [float(one.positive[0]) for one in apart]


def test_sentences_of_wanted_bodies_are_found(piece) -> None:
    texts = analyse_many(
        [
            piece(title="Two words", text="One two three. “Four,” five. Six said so."),
            piece(title="Not wanted", text="One. Two."),
            piece(title="Title only", text=""),
            piece(title="", text="One two."),
        ],
        Frequencies(),
    )
    found = body_sentences(texts, np.array([True, False, True, True]))
    assert found.article.tolist() == [0, 0, 0, 3]
    assert found.speech.tolist() == [False, True, True, False]
    # Titles take the words 0–1, 10–11 and 14–15.
    assert found.starts.tolist() == [2, 5, 7, 16]
    assert found.ends.tolist() == [5, 7, 10, 18]
