"""Files of sites, for a day."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from storage.opening.database import Database
from storage.stream import robots

NOW = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)


def test_a_file_is_believed_for_a_day(database: Database) -> None:
    with database.write() as tx:
        robots.save(tx, "https://a.example:443", b"rules", NOW)
        robots.save(tx, "https://b.example:443", b"", NOW)
    with database.read() as tx:
        assert robots.get(tx, "https://a.example:443", NOW) == b"rules"
        assert robots.get(tx, "https://b.example:443", NOW + timedelta(hours=23)) == b""
        assert robots.get(tx, "http://a.example:80", NOW) is None
        assert robots.get(tx, "https://a.example:443", NOW + timedelta(hours=24)) is None
        assert robots.get(tx, "https://a.example:443", NOW - timedelta(seconds=1)) is None


def test_saving_replaces_and_forgets_what_is_old(database: Database) -> None:
    later = NOW + timedelta(hours=25)
    with database.write() as tx:
        for site in ("a", "b"):
            robots.save(tx, site, b"old", NOW)
        robots.save(tx, "a", b"new", later)
        assert robots.get(tx, "a", later) == b"new"
        assert robots.get(tx, "b", NOW) is None
