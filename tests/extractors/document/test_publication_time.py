"""Hour and weekday."""

from __future__ import annotations

from datetime import UTC, datetime
from math import isnan

from extractors.document.publication_time import PublicationTime


def test_hour_and_weekday_of_publication(piece) -> None:
    sunday_evening = datetime(2026, 3, 8, 21, 30, tzinfo=UTC)
    assert PublicationTime().extract_many([piece(published=sunday_evening)], None)[0].tolist() == [21.5, 6.0]
    assert all(map(isnan, PublicationTime().extract_many([piece(published=None)], None)[0]))
