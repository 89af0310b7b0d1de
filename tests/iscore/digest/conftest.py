"""Views made by hand, as the facade would return them."""

from __future__ import annotations

import datetime as dt
from datetime import UTC, datetime

import pytest

from iscore.views import DigestItem, DigestView, FeedProblem, InboxItem, Learning, StatusView


@pytest.fixture
def item() -> InboxItem:
    """An article that three feeds carried."""
    return InboxItem(
        id="k3f9a2x1",
        title="Grid operators warn of a winter shortfall",
        url="https://wire.example/grid",
        source="Energy Wire",
        sources=("Energy Wire", "Harbour Post", "Il Lago"),
        author="Ines Halloran",
        published=datetime(2025, 10, 6, 11, tzinfo=UTC),
        arrived=datetime(2025, 10, 6, 12, tzinfo=UTC),
        summary="Gas stores are emptier than they have been for years.",
        score=4.2,
        threshold=0.4,
        interesting=True,
        explore=False,
    )


@pytest.fixture
def status() -> StatusView:
    """A filter that has learned."""
    return StatusView(
        feeds=12,
        articles=1830,
        judged=1800,
        recommended=210,
        explored=20,
        likes=61,
        dislikes=102,
        skips=14,
        f05=0.71,
        precision=0.74,
        recall=0.62,
        threshold=0.4,
        subset_size=9,
        n_features=24,
        best_features=(("rocchio", 0.4),),
        learning=Learning(61, 102, warm=True),
        problems=(FeedProblem("https://lago.example/feed", "Il Lago", "the server answered 503"),),
        last_poll=datetime(2025, 10, 6, 13, tzinfo=UTC),
        to_learn=0,
    )


@pytest.fixture
def view(item: InboxItem, status: StatusView) -> DigestView:
    """A digest with one recommended story and no other."""
    recommended = DigestItem(
        number=1,
        item=item,
        reasons=("It resembles what you liked.", "You like this source."),
        reading_minutes=4,
    )
    return DigestView(date=dt.date(2025, 10, 6), recommended=(recommended,), explore=(), considered=312, status=status)
