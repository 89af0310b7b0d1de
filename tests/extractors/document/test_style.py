"""Style by hand."""

from __future__ import annotations

from math import isnan

import pytest

from extractors.document.style import SpeechEvents, Style
from extractors.text.analysis import analyse
from extractors.text.frequencies import Frequencies


def _style(article) -> dict[str, float]:
    style = Style()
    return dict(zip(style.features, style.extract(article, analyse(article, Frequencies())), strict=True))


def test_a_hand_measured_body(piece) -> None:
    # 10 words, 2 sentences, 49 letters and 2 digits, 2 words of more than 6 letters, 5 function words (the,
    # in, the, at, they); docker, strike, harbour, 10, strike have stems: 4 different of 5.
    style = _style(piece(title="IGNORED 99!", text="The dockers strike in the HARBOUR at 10. They strike!"))
    assert style["sentence_length"] == 5.0
    assert style["word_length"] == pytest.approx(4.2)
    assert style["lix"] == pytest.approx(5 + 20)
    assert style["ari"] == pytest.approx(4.71 * 4.2 + 0.5 * 5 - 21.43)
    assert style["vocabulary"] == pytest.approx(4 / 5**0.5)
    assert style["capitals"] == pytest.approx(9 / 40)
    assert style["digits"] == pytest.approx(2 / 44)
    assert style["punctuation"] == pytest.approx(2 / 44)
    assert style["function_words"] == pytest.approx(0.5)


def test_a_remark_has_no_style(piece) -> None:
    assert all(isnan(value) for value in _style(piece(text="Only four words here")).values())


def test_unknown_languages_have_no_function_words_and_figures_no_capitals(piece) -> None:
    style = _style(piece(text="1 2 3 4 5 6 7", language="vi"))
    assert isnan(style["function_words"])
    assert isnan(style["capitals"])
    assert style["digits"] == 1.0


def test_pairs_of_characters_have_no_length_and_make_no_text_easy(piece) -> None:
    style = _style(piece(text="港のストライキは夜明け前に終わり、家にいた人々はクレーンに戻った。", language="en"))
    assert {name for name, value in style.items() if isnan(value)} == {"lix", "ari", "word_length", "function_words"}


def _share(article) -> float:
    return SpeechEvents().extract(article, analyse(article, Frequencies()))[0]


@pytest.mark.parametrize(
    ("language", "text", "share"),
    [
        ("en", "It rained. The mayor said it would. “It will,” she repeated. People left.", 0.5),
        ("it", "Piove. «Pioverà», ripete il sindaco. Il ministro ha spiegato perché.", 2 / 3),
        ("de", "Es regnet. Der Minister betonte das.", 0.5),
        ("fr", "Il pleut. Le maire affirme le contraire.", 0.5),
        ("es", "Llueve. El alcalde dijo que no.", 0.5),
        ("en", "It rained.", 0.0),
    ],
)
def test_sentences_with_quotation_marks_or_verbs_of_saying_count(piece, language, text, share) -> None:
    assert _share(piece(title="He said", text=text, language=language)) == pytest.approx(share)


def test_it_is_missing_without_a_list_of_verbs_and_without_a_body(piece) -> None:
    assert isnan(_share(piece(text="“Dette er godt,” sa han.", language="no")))
    assert isnan(_share(piece(title="He said", text="")))
