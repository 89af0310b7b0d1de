"""No text of any kind holds up the extractors that come with iScore: they have no time limit, since they need none.

Their work is bounded by the length of a text, which is bounded itself (``analysis.MAX_CHARACTERS``).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from extractors import Extractor
from extractors.text.analysis import MAX_CHARACTERS
from iscore.filtering.features.computation import ArticleFeatures
from tests.iscore.conftest import Piece

LENGTH = MAX_CHARACTERS + 1000
TEXTS = {
    "one word": "a" * LENGTH,
    "words of one letter": "a " * (LENGTH // 2),
    "all different": " ".join(f"w{number:x}" for number in range(LENGTH // 6)),
    "dots": "a." * (LENGTH // 2),
    "points only": "." * LENGTH,
    "quotes": "\"'" * (LENGTH // 2),
    "open quotes": "“said “" * (LENGTH // 7),
    "brackets": "(" * LENGTH,
    "blank": " " * LENGTH,
    "lines": "\n" * LENGTH,
    "paragraphs": "a\n\n" * (LENGTH // 3),
    "combining": "Z" + "\u0351" * LENGTH,
    "decomposed": "e\u0301" * (LENGTH // 2),
    "cjk": "汉字漢字" * (LENGTH // 4),
    "scripts in turn": "aяα汉" * (LENGTH // 4),
    "emoji": "👩‍👩‍👧‍👦" * (LENGTH // 7),
    "digits": "1234567890" * (LENGTH // 10),
    "apostrophes": "don't" * (LENGTH // 5),
    "hyphens": "a-" * (LENGTH // 2),
    "addresses": "http://a.b/c?d=e&" * (LENGTH // 17),
    "surrogate neighbours": "\ud7ff\ue000" * (LENGTH // 2),
    "almost a regex's trouble": "aaaaaaaaaaaaaaaaaaaaaaaa! " * (LENGTH // 26),
}
MOST = 2.0
"""Seconds of processor time for an article as long as may be, whatever it says; usual ones take a hundredth."""


@pytest.mark.parametrize("kind", TEXTS)
def test_no_text_takes_long(
    make_extractors: Callable[[], dict[str, Extractor]], pieces: list[Piece], kind: str
) -> None:
    features = ArticleFeatures(make_extractors())
    features.analyse(pieces[0])  # what is compiled is compiled before
    text = TEXTS[kind]
    began = time.process_time()
    articles = [
        features.analyse(replace(pieces[1], title=text, text=text)),
        features.analyse(replace(pieces[2], title=text, text=text[::-1])),
    ]
    assert time.process_time() - began < 2 * MOST
    assert features.failures.reasons == {}
    assert not np.isinf([article.values for article in articles]).any()
