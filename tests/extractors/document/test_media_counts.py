"""Links and pictures."""

from __future__ import annotations

from math import log

import pytest

from extractors.document.media_counts import MediaCounts


def test_links_and_pictures_are_counted_in_logarithms(piece) -> None:
    assert MediaCounts().extract_many([piece(links=3, pictures=0)], None)[0].tolist() == [pytest.approx(log(4)), 0.0]
