"""Homes with the sample news of some days, and their news filters with a clock set by hand."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from iscore.core.data_folder import DataFolder
from iscore.services.learning.scoring import score_new
from iscore.services.news_filter import NewsFilter
from storage.log import decisions
from storage.opening.database import open_database
from storage.records.decisions import Decision
from storage.records.users import LOCAL_USER, Kind
from tests.iscore.conftest import START, Archive
from tests.made_once import made_once

NOW = datetime(2026, 3, 2, 6, tzinfo=UTC)


class Copied(Archive):
    """An archive that another one was copied from."""

    def __init__(self, folder: Path, original: Path) -> None:
        shutil.copytree(original, folder)
        self.home = DataFolder(folder)
        self.database = open_database(self.home.database)
        self.news = NewsFilter(self.home, self.database, lambda: START)


class Reader:
    """A user whose feeds nobody has fetched."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self.now = NOW
        self.news = NewsFilter(archive.home, archive.database, lambda: self.now)
        self.path: Path = archive.home.rules

    def judge(self) -> list[Decision]:
        """Score new articles as a poll does; return their first decisions."""
        news = self.archive.news
        with self.archive.database.read() as tx:
            waiting = [article.seq for article in decisions.unscored(tx, LOCAL_USER, 10_000)]
        loaded = self.news.models.up_to_date()
        score_new(
            self.archive.database,
            news.context.user,
            loaded,
            news.extractors.article_feature_names,
            now=self.now,
            load=self.news.models.load,
            apply_rules=self.news.rule_application.outcomes,
        )
        with self.archive.database.read() as tx:
            return [decisions.get(tx, LOCAL_USER, waiting)[seq] for seq in waiting]

    def arrive(self, pieces: Sequence[Any]) -> None:
        """Have articles stored and measured."""
        self.archive.store(pieces, at=self.now)
        self.archive.measure()

    def teach(self) -> None:
        """Like two sources and nothing else, until the filter is trained, and learn that."""
        liked = {each.seq: "orrery" in each.url or "longview" in each.url for each in self.archive.leaders()}
        self.archive.tell([(Kind.LIKE if like else Kind.DISLIKE, seq) for seq, like in liked.items()])
        assert self.news.models.current().trained

    def ids(self, *, everything: bool = False) -> list[str]:
        """List the inbox."""
        return [item.id for item in self.news.inbox(everything=everything, limit=None).items]


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory, pieces: list[Any]) -> dict[str, Path]:
    """Homes to copy, made once: sixty measured articles; a trained filter that has scored a hundred more;
    the same with another hundred measured."""
    folder = made_once("rules", tmp_path_factory, lambda folder: _make_homes(folder, pieces))
    return {name: folder / name for name in ("measured", "decided", "arrived")}


def _make_homes(folder: Path, pieces: list[Any]) -> None:
    archive = Archive(folder / "measured")
    archive.store(pieces[:60])
    archive.measure()
    archive.database.close()
    copied = Copied(folder / "decided", folder / "measured")
    reader = Reader(copied)
    reader.teach()
    reader.arrive(pieces[60:160])
    reader.judge()
    copied.database.close()
    copied = Copied(folder / "arrived", folder / "decided")
    Reader(copied).arrive(pieces[160:260])
    copied.database.close()


@pytest.fixture
def opened(_homes: dict[str, Path], tmp_path: Path) -> Iterator[Callable[[str], Reader]]:
    """Opens a copy of a home, which is closed after the test."""
    with ExitStack() as stack:

        def copied(name: str) -> Reader:
            archive = Copied(tmp_path / "home", _homes[name])
            stack.callback(archive.database.close)
            return Reader(archive)

        yield copied


@pytest.fixture
def reader(opened: Callable[[str], Reader]) -> Reader:
    """A user with sixty articles, none of which is scored."""
    return opened("measured")


@pytest.fixture
def judged(opened: Callable[[str], Reader]) -> Reader:
    """A user whose filter is trained, with a hundred more articles scored."""
    return opened("decided")


@pytest.fixture
def arrived(opened: Callable[[str], Reader]) -> Reader:
    """The same, with another hundred that are not scored yet."""
    return opened("arrived")
