"""Pruning: texts leave, the file shrinks, and no verdict and nothing learned changes."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from iscore.filtering.serialization import pack
from iscore.jobs.maintenance.prune import PruneError, prune_folder
from iscore.services.news_filter import NewsFilter
from iscore.services.reading.pictures import PictureCache
from storage.records.users import Kind
from storage.stream import articles
from tests.iscore.conftest import START, Archive, Piece

LATER = START + timedelta(days=100)


@pytest.fixture(scope="module")
def read_home(empty_home: Path, pieces: list[Piece], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty old articles with long texts and ten new ones; some are judged, one is skipped, one taken back."""
    archive = Archive.copied(empty_home, tmp_path_factory.mktemp("read") / "home")
    archive.store([replace(piece, text=piece.text * 20) for piece in pieces[:40]])
    archive.store(pieces[40:50], at=LATER - timedelta(days=1))
    archive.measure()
    leaders = [article.seq for article in archive.leaders() if article.arrived == START]
    archive.say(Kind.LIKE, *leaders[:3])
    archive.say(Kind.DISLIKE, *leaders[3:6])
    archive.say(Kind.SKIP, leaders[6])
    archive.say(Kind.LIKE, leaders[7])
    archive.say(Kind.UNDO, leaders[7])
    archive.database.close()
    return archive.home.path


@pytest.fixture
def read(read_home: Path, tmp_path: Path) -> Iterator[Archive]:
    """A copy of it."""
    made = Archive.copied(read_home, tmp_path / "home")
    yield made
    made.database.close()


def _texts(archive: Archive) -> dict[int, bool]:
    with archive.database.read() as tx:
        return {each.seq: bool(each.text) for each in articles.get(tx, range(1, articles.last_seq(tx) + 1))}


def test_old_texts_leave_and_what_was_judged_stays(read: Archive) -> None:
    leaders = [article.seq for article in read.leaders()]
    judged = {article.seq for article in read.leaders() if article.seq in leaders[:6]}
    learned = pack(read.news.models.replay().model.state())
    with read.database.write() as tx:
        read.news.models.save(tx, read.news.models.load())
    planned = prune_folder(read.home, now=LATER, keep_days=90, dry_run=True)
    assert all(_texts(read).values())
    assert planned.bytes_after == planned.bytes_before
    done = prune_folder(read.home, now=LATER, keep_days=90)
    assert (done.texts, done.text_bytes, done.kept) == (planned.texts, planned.text_bytes, planned.kept)
    left = {seq for seq, text in _texts(read).items() if not text}
    assert len(left) == done.texts > 25
    assert done.texts + done.kept == 40
    assert not left & (judged | set(range(41, 51)))
    assert {leaders[6], leaders[7]} <= left
    # What a replay gives, and what is saved, are what they were.
    assert pack(read.news.models.replay().model.state()) == learned
    with NewsFilter.open(read.home.path, clock=lambda: LATER) as news:
        view = news.models.rebuild(check=True)
    assert (view.equal, view.verdicts) == (True, 6)
    assert read.database.integrity() == []


def test_the_file_really_shrinks(read: Archive) -> None:
    done = prune_folder(read.home, now=LATER, keep_days=90)
    assert done.bytes_before - done.bytes_after > 0.8 * done.text_bytes > 100_000
    assert read.home.database.stat().st_size == done.bytes_after
    again = prune_folder(read.home, now=LATER, keep_days=90)
    assert (again.texts, again.bytes_after) == (0, done.bytes_after)


def test_a_pruned_article_is_no_news_and_may_still_be_judged(read: Archive, pieces: list[Piece]) -> None:
    prune_folder(read.home, now=LATER, keep_days=90)
    before = read.leaders()
    read.store([replace(pieces[9], text="changed"), *pieces[10:40]], at=LATER)
    assert read.measure() == 0
    assert [article.seq for article in read.leaders()] == [article.seq for article in before]
    pruned = next(article for article in before if not article.text)
    with NewsFilter.open(read.home.path, clock=lambda: LATER) as news:
        news.give(Kind.LIKE, [pruned.id])
        assert news.models.rebuild(check=True).verdicts == 7
        assert news.why(pruned.id).article.title == pruned.title


def test_what_waits_keeps_its_text(read: Archive) -> None:
    with pytest.raises(PruneError, match="7 days"):
        prune_folder(read.home, now=LATER, keep_days=6)
    assert prune_folder(read.home, now=LATER, keep_days=7, dry_run=True).texts > 0


def test_unmeasured_articles_are_left_alone(read: Archive, pieces: list[Piece]) -> None:
    read.store(pieces[50:55], at=START)  # stored by a poll that was cut off
    prune_folder(read.home, now=LATER, keep_days=90)
    assert all(text for seq, text in _texts(read).items() if seq > 50)


def test_cached_pictures_leave_only_when_asked(read: Archive) -> None:
    cache = PictureCache(read.home.pictures)
    cache.put("https://a.example/p.png", "whole", bytes(5000))
    assert prune_folder(read.home, now=LATER, keep_days=90).picture_bytes == 0
    assert prune_folder(read.home, now=LATER, keep_days=90, pictures=True, dry_run=True).picture_bytes == 5000
    assert cache.size() == 5000
    assert prune_folder(read.home, now=LATER, keep_days=90, pictures=True).picture_bytes == 5000
    assert cache.size() == 0
