"""Views made by hand, as the facade would return them."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from iscore.services.views.digests import DigestListView, DigestView
from iscore.services.views.feeds import FeedProblem
from iscore.services.views.status import StatusView
from iscore.services.views.stories import StoryView
from storage.records.articles import StorySource
from tests.iscore.presentation.made_views import ITEM, STATUS, named


@pytest.fixture
def item() -> StoryView:
    """An article that three feeds carried."""
    return replace(ITEM, sources=named("Energy Wire", "Harbour Post", "Il Lago"), score=4.2)


@pytest.fixture
def status() -> StatusView:
    """A filter that has learned."""
    return STATUS


@pytest.fixture
def view(item: StoryView, status: StatusView) -> DigestView:
    """A digest with one recommended story and no other."""
    reasons = ("It resembles what you liked.", "You like this source.")
    recommended = replace(item, number=1, reasons=reasons, reading_minutes=4)
    return DigestView(date=dt.date(2025, 10, 6), recommended=(recommended,), explore=(), considered=312, status=status)


@pytest.fixture
def full(view: DigestView, item: StoryView) -> DigestView:
    """A digest with all that a digest can have, made at a known time."""

    def numbered(number: int, name: str, **changed: object) -> StoryView:
        own: dict[str, object] = {
            "id": name,
            "title": f"Of {name}",
            "url": f"https://wire.example/{name}",
            "sources": named("Energy Wire"),
        }
        reasons = (f"words you like: {name}",)
        return replace(item, number=number, reasons=reasons, reading_minutes=2, **own | changed)

    sources = (
        StorySource("Energy Wire", item.title, item.url),
        StorySource("Harbour Post", "The same at the harbour", "https://harbour.example/7"),
        StorySource("Il Lago", "Lo stesso al lago", "https://lago.example/7"),
    )
    story = numbered(2, "several", sources=sources, language="it")
    return replace(
        view,
        stories=(story,),
        rare=(
            numbered(
                3, "seldom", score=0.1, interesting=False, rule_outcome="boosted by your rule: word “grid” (clearly)"
            ),
        ),
        explore=(numbered(4, "drawn", score=-2.0, interesting=False, explore=True),),
        below=(
            replace(item, id="missed1x", title="Just missed", score=0.3, interesting=False, language="en"),
            replace(item, id="missed2x", title="Missed too", url="javascript:alert(1)", interesting=False),
        ),
        hidden=40,
        arrived=500,
        made=datetime(2025, 10, 6, 5, 30, tzinfo=UTC),
    )


HOSTILE = (
    "<script>alert(1)</script>",
    "</title></style><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    "{{ 7 * 7 }}{% raw %}{# #}",
    "<math><mtext></p><style><img src=x onerror=alert(1)></style>",
    "]]>&amp;&#0;&nbsp;<![CDATA[<!ENTITY x SYSTEM 'file:///etc/passwd'>]]>",
    "a\x00b\x07\x1b[31m\x1b]8;;http://evil.example\x07c\x85d\x9b1m",
    "half \ud800 of \udfff a character, and none: \ufffe\uffff\ufdd0",
    "\u202eright to left\u2066 without\u200f end \U000e0041",
    "one\r\n2. line\u2028two\u2029three\n.\n",
    "=cmd|' /C calc'!A0 @SUM(1) %n%s%x $(rm) `rm`",
    "x" * 10_000,
    "電" * 3_000 + " \U0001f9ea" * 500,
    "",
)
"""Texts as strangers may send them."""
HOSTILE_ADDRESSES = (
    "javascript:alert(1)",
    "jAvAsCrIpT:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    'https://evil.example/" onclick="alert(1)',
    "https://evil.example/<b>{x}|\\^`%zz%41",
    "https://evil.example/a b",
    "https://evil.example/\u202ea",
    "http://evil.example/" + "x" * 5_000,
    "//evil.example/",
    "https://",
    "http://[::1",
    "https://evil.example:0/a",
    "https://evil.example:99999/a",
    "https://ev<il.example/a",
    "https://evil.example/[1]?[2]#[3]#4",
    "https://user:pass@evil.example/%",
    "https://evil_host.example/",
    "https://xn--.example/",
    "",
)


@pytest.fixture(params=range(max(len(HOSTILE), len(HOSTILE_ADDRESSES))))
def hostile(request: pytest.FixtureRequest, full: DigestView) -> DigestView:
    """A digest in which one hostile text stands wherever foreign text can stand."""
    return spoilt(replace(full, serve_address="http://127.0.0.1:8473"), request.param)


def spoilt(view: DigestView, number: int) -> DigestView:
    """Put one hostile text, and one hostile address, wherever foreign text and addresses can stand."""
    text, url = HOSTILE[number % len(HOSTILE)], HOSTILE_ADDRESSES[number % len(HOSTILE_ADDRESSES)]
    foreign = {
        "title": text,
        "source": text,
        "author": text,
        "text": text,
        "rule_outcome": text,
        "url": url,
        "language": text,
    }

    def all_of(items: tuple[StoryView, ...]) -> tuple[StoryView, ...]:
        sources = (StorySource(text, text, url), StorySource(f"and {text}", text, url))
        return tuple(replace(each, reasons=(text, text, text), sources=sources, **foreign) for each in items)

    return replace(
        view,
        recommended=all_of(view.recommended),
        stories=all_of(view.stories),
        rare=all_of(view.rare),
        explore=all_of(view.explore),
        below=tuple(replace(item, **foreign) for item in view.below),
        status=replace(view.status, problems=(FeedProblem(text, text, text, text),)),
    )


@pytest.fixture
def digests(full: DigestView) -> DigestListView:
    """Two digests, of which the newer has a story without a date or a safe address."""
    newer = replace(
        full.recommended[0],
        id="newer",
        title="AT&T <wins> in court",
        published=None,
        url="file:///x",
        reasons=("a source you like",),
        reading_minutes=1,
    )
    today = replace(
        full,
        date=dt.date(2025, 10, 7),
        recommended=(newer,),
        stories=(),
        rare=(),
        explore=(),
        made=datetime(2025, 10, 7, 5, 30, 0, 123456, tzinfo=UTC),
    )
    return DigestListView("0e4ee570-0516-591e-8bca-068857f96c0e", (today, full), datetime(2025, 10, 7, 9, tzinfo=UTC))
