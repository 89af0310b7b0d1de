"""Views made by hand, as the facade would return them."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from iscore.edition_views import CarrierView, DigestItem, DigestView
from iscore.views import FeedProblem, InboxItem, Learning, StatusView


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


@pytest.fixture
def full(view: DigestView, item: InboxItem) -> DigestView:
    """A digest with all that a digest can have, made at a known time."""

    def numbered(number: int, name: str, **changed: object) -> DigestItem:
        own = {"id": name, "title": f"Of {name}", "url": f"https://wire.example/{name}", "sources": ("Energy Wire",)}
        return DigestItem(number, replace(item, **own | changed), (f"words you like: {name}",), 2)

    carriers = (
        CarrierView("Energy Wire", item.title, item.url),
        CarrierView("Harbour Post", "The same at the harbour", "https://harbour.example/7"),
        CarrierView("Il Lago", "Lo stesso al lago", "https://lago.example/7"),
    )
    told = replace(numbered(2, "several", sources=item.sources), carriers=carriers)
    return replace(
        view,
        stories=(told,),
        rare=(numbered(3, "seldom", score=0.1, interesting=False, ruling="boost “grid” by 1"),),
        explore=(numbered(4, "drawn", score=-2.0, interesting=False, explore=True),),
        below=(
            replace(item, id="missed1x", title="Just missed", score=0.3, interesting=False),
            replace(item, id="missed2x", title="Missed too", url="javascript:alert(1)", interesting=False),
        ),
        held_back=40,
        arrived=500,
        made=datetime(2025, 10, 6, 5, 30, tzinfo=UTC),
    )
