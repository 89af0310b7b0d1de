"""Machines with different processors share a database: each kind learns on from its own snapshots."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from iscore.services.learning.model_store import MOST_PROCESSORS
from storage.log import decisions, snapshots
from storage.records.decisions import Decision
from storage.records.users import LOCAL_USER, Kind
from tests.iscore.conftest import Archive
from tests.iscore.services.stored_reader import AT, Reader


@pytest.fixture
def reader(filled_home: Path, tmp_path: Path) -> Iterator[Reader]:
    """One with twelve verdicts, of which nothing is saved."""
    archive = Archive.copied(filled_home, tmp_path / "home")
    with archive.database:
        with archive.database.write() as tx:
            rows = [Decision(LOCAL_USER, each.seq, 0.0, 0.5, False, False, 0.4, AT) for each in archive.leaders()]
            decisions.add(tx, rows)
        made = Reader(archive, archive.database)
        for number in range(12):
            made.say(Kind.LIKE if number % 3 else Kind.DISLIKE, number)
        yield made


def test_machines_with_different_processors_learn_on_each_from_its_own_snapshot(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    def on(processor: str) -> None:
        monkeypatch.setattr("iscore.services.session.fingerprint._processor", lambda: processor)

    on("one")
    reader.learn()
    on("other")
    assert reader.model_store().load().learned == 12  # once
    reader.learn()
    reader.say(Kind.LIKE, 20)
    reader.learn()
    on("one")
    assert reader.model_store().load().learned == 1
    reader.learn()
    for processor in ("other", "one"):
        on(processor)
        kept = reader.model_store().load()
        assert (kept.learned, kept.changed) == (0, False)


def test_snapshots_of_few_processors_are_kept_and_none_of_another_version(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(MOST_PROCESSORS + 3):
        monkeypatch.setattr(
            "iscore.services.session.fingerprint._processor", lambda number=number: f"processor {number}"
        )
        reader.say(Kind.LIKE, 20 + number)
        reader.learn()
    with reader.database.read() as tx:
        found = snapshots.newest_of_each(tx, LOCAL_USER)
        count = len(snapshots.sequences(tx, LOCAL_USER))
    kept = range(2, MOST_PROCESSORS + 3)
    assert sorted(each.split("; ")[3] for each in found) == [f"processor {number}" for number in kept]
    assert count == len(kept)
    monkeypatch.setattr("iscore.services.session.fingerprint._versions", lambda: "the next ones")
    reader.learn()
    with reader.database.read() as tx:
        assert len(snapshots.newest_of_each(tx, LOCAL_USER)) == 1
