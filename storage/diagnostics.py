"""Looks at a database file without changing what it says: whose it is, whether it is whole, and what is in it.

For files of unknown origin (a backup to be restored, a database in trouble) as well as for one's own. Nothing is
migrated.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from storage import creation
from storage.database import Database
from storage.errors import DatabaseDamaged, NewerSchema, NotADatabase
from storage.schema import REVISIONS, metadata

_WANTED = ("alembic_version", "articles", "feedback", "feeds", "subscriptions", "users")
"""Tables that every iScore database has had since the first."""
_OURS = re.compile(
    r"CREATE TRIGGER feedback_no_\w+ BEFORE (UPDATE|DELETE) ON feedback BEGIN SELECT RAISE\(ABORT, '[^']*'\); END"
)
"""The triggers that keep the log append-only; they compute nothing."""


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a file holds."""

    revision: str
    """Its schema; one of ``REVISIONS``."""
    rows: dict[str, int]
    """How many rows each of our tables has; of an older schema only the tables it has."""

    @property
    def current(self) -> bool:
        """Whether this is the newest schema."""
        return self.revision == REVISIONS[-1]


def inspect(path: Path) -> Inspection:
    """Check a file from the first byte to the last reference.

    Raises ``MissingDatabase``, ``NotADatabase`` for another program's file, ``NewerSchema``, ``DatabaseDamaged``
    with the first thing that is wrong, or another ``StorageError``.
    """
    creation.check_file(path)
    try:
        with closing(Database(path).connect()) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA cell_size_check = ON")
            parts: list[tuple[str, str, str]] = connection.execute(
                "SELECT type, name, sql FROM sqlite_master"
            ).fetchall()
            tables = {name for kind, name, _ in parts if kind == "table"}
            if not tables.issuperset(_WANTED):
                raise NotADatabase(path, "a file without iScore's tables")
            programs = [sql for kind, _, sql in parts if kind in {"trigger", "view"}]
            if not all(_OURS.fullmatch(sql) for sql in programs):  # they would run when we read or write
                raise NotADatabase(path, "a file with triggers or views that iScore did not make")
            (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone() or ("none",)
            if revision not in REVISIONS:
                raise NewerSchema(path, str(revision))
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
        raise Database(path).translated(error) from error
    return Inspection(str(revision), rows)
