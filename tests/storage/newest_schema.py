"""The schema of a new file: what all revisions make. ``python -m tests.storage.newest_schema`` writes it anew.

It is a file named after the newest revision. That of the first, which the first revision runs, never changes.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from storage.opening import creation
from storage.opening.sqlite_database import SqliteDatabase
from storage.schema import REVISIONS

FILE = creation.MIGRATIONS / f"{REVISIONS[-1]}.sql"


def migrate_empty(path: Path) -> None:
    """Make a file without users by running all revisions."""
    path.touch(0o600)
    with SqliteDatabase(path) as database, database._transaction("BEGIN IMMEDIATE", "FULL") as tx:
        creation.migrate(tx)


def statements(path: Path) -> list[str]:
    """Return what makes the tables, indexes and triggers of a file."""
    with closing(sqlite3.connect(path)) as connection:
        hidden = [name for (name,) in connection.execute("SELECT name FROM pragma_table_list WHERE type = 'shadow'")]
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid").fetchall()
    return [
        "\n".join(line.rstrip() for line in sql.splitlines() if line.strip())
        for name, sql in rows
        if name not in {*hidden, "alembic_version"} and not name.startswith("sqlite_")
    ]


def newest_schema() -> str:
    """Return what the file has to have."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "iscore.db")
        migrate_empty(path)
        return "\n\n".join(statements(path)) + "\n"


if __name__ == "__main__":
    if len(REVISIONS) > 1:
        for file in creation.MIGRATIONS.glob("*.sql"):
            if file.stem != REVISIONS[0]:
                file.unlink()
        FILE.write_text(newest_schema(), "utf-8")
