"""Examines a database file without changing it: whose it is, whether it is intact, and what it contains.

For files of unknown origin (a backup to be restored, a database in trouble) as well as for our own. Nothing is
migrated.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import func, select

from storage.engine.base_database import Transaction
from storage.engine.errors import DatabaseDamaged, NotADatabase, UnknownSchema
from storage.opening import creation
from storage.opening.sqlite_database import SqliteDatabase
from storage.schema import REVISIONS, articles, decisions, feedback, feeds, metadata
from storage.stream import search_index

VERSION: tuple[int, int, int] = sqlite3.sqlite_version_info
"""The version of the SQLite library in use."""

_WANTED = ("alembic_version", "articles", "feedback", "feeds", "subscriptions", "users")
"""Tables that every iScore database has had since the first."""
_OURS = re.compile(
    r"CREATE TRIGGER (\w+)_no_\w+ BEFORE (UPDATE|DELETE) ON \1 "
    r"(WHEN \(SELECT role FROM users WHERE id = OLD\.user_id\) <> 'removed' "
    r"(AND NOT EXISTS \(SELECT 1 FROM reading_sums WHERE user_id = OLD\.user_id AND story = OLD\.story "
    r"AND row >= OLD\.row\) )?)?"
    r"BEGIN SELECT RAISE\(ABORT, '[^']*'\); END"
)
"""The triggers that keep the log and other facts append-only; they compute nothing."""


@dataclass(frozen=True, slots=True)
class Inspection:
    """The contents of a file."""

    revision: str
    """The schema; one of ``REVISIONS``."""
    rows: dict[str, int]
    """How many rows each of our tables has; of an older schema only the tables it has."""

    @property
    def current(self) -> bool:
        """Whether this is the newest schema."""
        return self.revision == REVISIONS[-1]


def inspect_server(address: str) -> Inspection:
    """Check that a database on a server is iScore's; that it is intact is the server's business.

    Raises what ``storage.opening.database.open_database`` raises.
    """
    from storage.opening.postgresql_database import inspect as inspect_address  # a file needs none of it

    return Inspection(*inspect_address(address))


def server_options(address: str) -> list[str]:
    """Return the options with which ``pg_dump`` and others find a database, which comes last; without password."""
    from storage.opening.postgresql_database import options

    return options(address)


def inspect(path: Path) -> Inspection:
    """Check a file from the first byte to the last reference.

    Raises ``MissingDatabase``, ``NotADatabase`` for another program's file, ``UnknownSchema``, ``DatabaseDamaged``
    with the first thing that is wrong, or another ``StorageError``.
    """
    creation.check_file(path)
    try:
        with closing(SqliteDatabase(path).connect()) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA cell_size_check = ON")
            parts: list[tuple[str, str, str | None, int]] = connection.execute(
                "SELECT type, name, sql, rootpage FROM sqlite_master"
            ).fetchall()
            tables = {name for kind, name, *_ in parts if kind == "table"}
            if not tables.issuperset(_WANTED):
                raise NotADatabase(path, "a file without iScore's tables")
            # Triggers, views and virtual tables have no page of their own; they run when we read or write.
            programs = [
                sql or "" for *_, sql, page in parts if not page or "virtual" in (sql or "").split("(")[0].lower()
            ]
            if not all(sql == search_index.CREATE_FTS5 or _OURS.fullmatch(sql) for sql in programs):
                raise NotADatabase(path, "a file with triggers, views or virtual tables that iScore did not make")
            (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone() or ("none",)
            if revision not in REVISIONS:
                raise UnknownSchema(path, str(revision))
            for (wrong,) in connection.execute("PRAGMA integrity_check(1)"):
                if wrong != "ok":
                    raise DatabaseDamaged(path, wrong)
            for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check"):
                raise DatabaseDamaged(path, f"row {row} of {table} refers to something missing in {parent}")
            rows = {
                name: int(connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0])  # noqa: S608 -- ours
                for name in sorted(tables & set(metadata.tables))
            }
    except sqlite3.DatabaseError as error:
        raise SqliteDatabase(path).translated(error) from error
    return Inspection(str(revision), rows)


@dataclass(frozen=True, slots=True)
class NewestTimes:
    """The newest moments by our own clock; None when there is none of a kind."""

    attempt: datetime | None
    """A feed was asked."""
    arrival: datetime | None
    decision: datetime | None
    verdict: datetime | None

    def latest(self) -> datetime | None:
        """Return the newest of all."""
        known = (self.attempt, self.arrival, self.decision, self.verdict)
        return max((moment for moment in known if moment is not None), default=None)


def newest_times(tx: Transaction) -> NewestTimes:
    """Return the newest time of each kind, of all users."""
    columns = (feeds.c.last_attempt, articles.c.arrived, decisions.c.at, feedback.c.at)
    return NewestTimes(
        *(tx.connection.execute(select(func.max(each, type_=each.type))).scalar_one() for each in columns)
    )


def published_after(tx: Transaction, moment: datetime) -> int:
    """Count the articles with a publication date after a time."""
    query = select(func.count()).select_from(articles).where(articles.c.published > moment)
    return int(tx.connection.execute(query).scalar_one())


def has_wal_reset_bug(version: tuple[int, int, int] = VERSION) -> bool:
    """Return whether this version has the WAL-reset bug.

    Two connections that write and check-point the write-ahead log at the same moment may damage the database, very
    rarely. Versions 3.7.0 to 3.51.2 have it; it is fixed in 3.51.3, 3.44.6 and 3.50.7
    (https://www.sqlite.org/wal.html#walresetbug). The number does not show what a distribution fixed by itself.
    """
    corrected = version >= (3, 51, 3) or (3, 50, 7) <= version < (3, 51, 0) or (3, 44, 6) <= version < (3, 45, 0)
    return version >= (3, 7, 0) and not corrected
