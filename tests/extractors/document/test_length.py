"""Length."""

from __future__ import annotations

from math import log

import pytest

from extractors.document.length import Length, MediaCounts
from extractors.text.analysis import analyse
from extractors.text.frequencies import Frequencies


def test_words_of_body_and_title(piece) -> None:
    article = piece(title="Crane drivers strike", text="one two three four five six seven")
    assert Length().extract(article, analyse(article, Frequencies())) == [pytest.approx(log(8)), 3.0]


def test_links_and_pictures_are_counted_in_logarithms(piece) -> None:
    assert MediaCounts().extract_many([piece(links=3, pictures=0)], None)[0].tolist() == [pytest.approx(log(4)), 0.0]
