"""A data folder after its first poll."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from iscore.services.news_filter import NewsFilter
from tests.iscore.cli.review.polled_home import NOON, make_home
from tests.made_once import made_once


@pytest.fixture(scope="session")
def polled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that every test copies."""
    return made_once("review", tmp_path_factory, make_home)


@pytest.fixture
def home(polled: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(polled, tmp_path / "home"))


@pytest.fixture
def news(home: Path) -> Iterator[NewsFilter]:
    """A news filter on it."""
    with NewsFilter.open(home, clock=lambda: NOON) as opened:
        yield opened
