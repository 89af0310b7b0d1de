"""Age at arrival."""

from __future__ import annotations

from datetime import timedelta
from math import isnan, log1p

import pytest

from extractors.document.age import Age


def test_hours_from_publication_to_arrival(piece) -> None:
    article = piece()
    late = piece(arrived=article.published + timedelta(hours=30))
    assert Age().extract_many([late], None)[0].tolist() == [pytest.approx(log1p(30))]


def test_the_future_is_now_and_no_time_is_missing(piece) -> None:
    article = piece()
    assert Age().extract_many([piece(arrived=article.published - timedelta(days=400))], None)[0].tolist() == [0.0]
    assert isnan(Age().extract_many([piece(published=None)], None)[0][0])
