"""The program as a process, and views made by hand, as ``NewsFilter`` returns them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from iscore.services.views.feeds import FeedView
from iscore.services.views.status import StatusView
from iscore.services.views.stories import FeatureView, InboxView, Learning, StoryView, WhyView
from storage.records.users import Kind
from tests.iscore.cli.person import FEEDS, Person
from tests.iscore.presentation.made_views import ITEM, NOW, STATUS, named
from tests.servers import fork_server
from tests.servers.fork_server import PROGRAM

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def run() -> Run:
    """Run ``iscore`` with arguments in a process of its own, without this machine's settings for it.

    Another program, and settings of Python, begin with an interpreter of their own.
    """

    def run_it(*arguments: str, program: str = PROGRAM, **environment: str) -> subprocess.CompletedProcess[str]:
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("ISCORE_", "COLUMNS", "COV_CORE"))
        }
        settings = {**kept, "TZ": "UTC", "PYTHONWARNINGS": "error", **environment}
        if program == PROGRAM and not any(name.startswith("PYTHON") for name in environment):
            return fork_server.run(*arguments, env=settings)
        return subprocess.run(
            [sys.executable, "-c", program, *arguments],
            env=settings,
            capture_output=True,
            encoding="utf-8",
            timeout=600,
            check=False,
        )

    return run_it


@pytest.fixture
def now() -> datetime:
    """The current time of the views."""
    return NOW


@pytest.fixture(autouse=True)
def _plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lay out for 80 columns and for a pipe, whatever the terminal of the tests is."""
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def item() -> StoryView:
    """A recommended article."""
    return ITEM


@pytest.fixture
def inbox(item: StoryView) -> InboxView:
    """One article waits, while the filter learns."""
    return InboxView((item,), 1, 12, feeds=3, has_articles=True, learning=Learning(3, 4, trained=False))


@pytest.fixture
def article(now: datetime) -> StoryView:
    """An article with two paragraphs that was liked."""
    return StoryView(
        id="k3f9a2x1",
        title="Grid operators warn of a winter shortfall",
        url="https://wire.example/grid",
        source="Energy Wire",
        sources=named("Energy Wire", "Harbour Post"),
        author="Ines Halloran",
        categories=("energy", "grid"),
        language="en",
        published=now - timedelta(hours=3),
        arrived=now,
        text="Gas stores are emptier than they have been for years.\n\nTraders had expected as much.",
        score=2.1,
        threshold=0.4,
        interesting=True,
        explore=False,
        verdict=Kind.LIKE,
    )


@pytest.fixture
def why(article: StoryView, now: datetime) -> WhyView:
    """An explanation with a feature for it, one against it, one missing, one outside the subset."""
    return WhyView(
        article=article,
        score=2.1,
        threshold=0.4,
        interesting=True,
        prior=-0.85,
        subset_size=3,
        features=(
            FeatureView("rocchio", "likeness to what you liked", "topic relevance", 0.42, 3.4, 0.5, 1, used=True),
            FeatureView("source_reputation", "how often you like this source", "source", 0.8, -0.45, 0.3, 2, used=True),
            FeatureView("novelty", "how new its words are", "uniqueness", None, 0.0, 0.2, 3, used=True),
            FeatureView("weekday", "the day of the week", "form and rhythm", 2.0, 0.0, 0.01, 4, used=False),
        ),
        words=(("grid", 1.0), ("storage", 0.5), ("football", -0.2)),
        reasons=("It resembles what you liked.",),
        learning=Learning(61, 102, trained=True),
        decided=now - timedelta(hours=2),
        first_score=1.2,
        first_threshold=0.5,
        start=-1.0,
        word_parts=(("grid", 0.02), ("storage", 0.01), ("football", -0.01)),
        words_for=("grid", "storage"),
        words_against=("football",),
        words_part=0.02,
        classifier_part=3.08,
        classifier_share=1.0,
        classifier_factor=1.0,
    )


@pytest.fixture
def status() -> StatusView:
    """A filter that has learned."""
    return STATUS


@pytest.fixture
def feed(now: datetime) -> FeedView:
    """A feed without problems."""
    return FeedView(
        url="https://wire.example/feed.xml",
        title="Energy Wire",
        tags=(),
        enabled=True,
        articles=312,
        last_success=now - timedelta(minutes=5),
        next_due=now + timedelta(minutes=55),
        error="",
        name="Energy Wire",
    )


@pytest.fixture
def foreign_home(tmp_path: Path) -> Path:
    """A folder whose database is a foreign file."""
    (tmp_path / "iscore.db").write_bytes(b"this is no database, but it is long enough to be looked at" * 100)
    return tmp_path


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """A user who follows one feed."""
    return Person(tmp_path / "home", FEEDS)
