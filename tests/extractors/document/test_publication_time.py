"""Hour and weekday."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import isnan, log1p

import pytest

from extractors.document.publication_time import Age, PublicationTime


def test_hour_and_weekday_of_publication(piece) -> None:
    sunday_evening = datetime(2026, 3, 8, 21, 30, tzinfo=UTC)
    assert PublicationTime().extract_many([piece(published=sunday_evening)], None)[0].tolist() == [21.5, 6.0]
    assert all(map(isnan, PublicationTime().extract_many([piece(published=None)], None)[0]))


def test_hours_from_publication_to_arrival(piece) -> None:
    article = piece()
    late = piece(arrived=article.published + timedelta(hours=30))
    assert Age().extract_many([late], None)[0].tolist() == [pytest.approx(log1p(30))]


def test_the_future_is_now_and_no_time_is_missing(piece) -> None:
    article = piece()
    assert Age().extract_many([piece(arrived=article.published - timedelta(days=400))], None)[0].tolist() == [0.0]
    assert isnan(Age().extract_many([piece(published=None)], None)[0][0])
