"""Reported speech by hand."""

from __future__ import annotations

from math import isnan

import pytest

from extractors.document.speech_events import SpeechEvents
from extractors.text.analysis import analyse
from extractors.text.frequencies import Frequencies


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
