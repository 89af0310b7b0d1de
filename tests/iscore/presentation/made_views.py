"""Views made by hand, as the facade would return them: one article, and a filter that has learned."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from iscore.services.views.feeds import FeedProblem
from iscore.services.views.status import HiddenCheck, StatusView
from iscore.services.views.stories import Learning, StoryView
from storage.records.articles import StorySource

NOW = datetime(2025, 10, 6, 14, tzinfo=UTC)
"""The present of the views."""


def named(*names: str) -> tuple[StorySource, ...]:
    """Return the sources of a story without titles and addresses."""
    return tuple(StorySource(name, "", "") for name in names)


ITEM = StoryView(
    id="k3f9a2x1",
    title="Grid operators warn of a winter shortfall",
    url="https://wire.example/grid",
    source="Energy Wire",
    sources=named("Energy Wire", "Harbour Post"),
    author="Ines Halloran",
    published=NOW - timedelta(hours=3),
    arrived=NOW,
    text="Gas stores are emptier than they have been for years.",
    score=2.1,
    threshold=0.4,
    interesting=True,
    explore=False,
)

STATUS = StatusView(
    feeds=12,
    articles=1830,
    decided=1800,
    recommended=210,
    explored=20,
    likes=61,
    dislikes=102,
    skips=14,
    f05=0.71,
    precision=0.74,
    checked=HiddenCheck(20, 1, 0.0089, 0.2361),
    threshold=0.4,
    subset_size=9,
    n_features=24,
    best_features=(("rocchio", 0.4), ("freshness", -0.12)),
    learning=Learning(61, 102, trained=True),
    problems=(FeedProblem("https://lago.example/feed", "Il Lago", "the server answered 503"),),
    last_poll=NOW - timedelta(minutes=5),
    to_learn=0,
)
