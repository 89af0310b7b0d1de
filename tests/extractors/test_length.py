"""Length."""

from __future__ import annotations

from math import log

import pytest

from extractors.analysis import analyse
from extractors.frequencies import Frequencies
from extractors.length import Length


def test_words_of_body_and_title(piece) -> None:
    article = piece(title="Crane drivers strike", text="one two three four five six seven")
    assert Length().extract(article, analyse(article, Frequencies())) == [pytest.approx(log(8)), 3.0]
