"""One world for all tests here; it is read only."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from benchmarks.sample_news import News


@pytest.fixture(scope="session")
def news() -> News:
    return News(seed=0, start=datetime(2025, 3, 3, tzinfo=UTC))
