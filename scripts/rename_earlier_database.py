"""Rename tables, columns and words of a database from before iScore's first schema, 1000.

    python scripts/rename_earlier_database.py FOLDER                                  a data folder
    python scripts/rename_earlier_database.py postgresql://USER@HOST/DATABASE         a database on a server

    file     ─► rows copied into a new file with today's pages ─► words renamed ─► checked ─► put in place
    server   ─► tables and columns renamed ─► words renamed ─► compared with the first schema ─► committed

The database must have schema 0036, the last one before. All that iScore reads stays: articles, verdicts, decisions,
digests, marks, imports, interests, connections, accounts. Snapshots of models go; they are learned again from the
verdicts. Settings that are gone leave config.toml and the settings of users. The old files stay beside the new ones.
On a server all is one transaction; make a backup with ``pg_dump`` before.
"""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from iscore.core.data_folder import DataFolder
from iscore.core.errors import IscoreError
from iscore.core.file_access import exclusive_lock, write
from iscore.core.settings_text import updated
from storage.engine.base_database import Transaction
from storage.engine.errors import DatabaseInUse, NotADatabase, StorageError
from storage.opening import creation
from storage.opening.copying import exclusive, require_alone
from storage.opening.file_swap import keep
from storage.opening.sqlite_database import SqliteDatabase
from storage.schema import APPLICATION_ID, REVISIONS

FORMER, FIRST = "0036", "1000"
TABLES = {
    "standings": "current_scores",
    "rulings": "rule_outcomes",
    "seen": "effective_verdicts",
    "seeds": "imported_items",
    "editions": "digests",
}
COLUMNS = {
    ("users", "judged_to"): "decided_to",
    ("deliveries", "edition"): "digest",
    ("mailings", "edition"): "digest",
    ("digests", "edition"): "digest",
}
"""Former columns by table, under its new name."""
WORDS = {
    "carriers": "sources",
    "held_back": "hidden",
    "judged": "decided",
    "ruling": "rule_outcome",
    "seeds": "imported",
    "summary": "text",
    "warm": "trained",
}
"""Names in JSON."""
JSON = (("digests", "content", ("user_id", "digest")), ("users", "ruled_by", ("id",)))
"""Columns with such JSON, and the keys of their tables."""
UPDATES = (
    "UPDATE feedback SET kind = 'imported' WHERE kind = 'seed'",
    "UPDATE effective_verdicts SET kind = 'imported' WHERE kind = 'seed'",
    "UPDATE work SET task = 'decide' WHERE task = 'judge'",
    "UPDATE work SET queue = 'decide' WHERE queue = 'judge'",
    "UPDATE feeds SET url = 'iscore:imported-items/' || substr(url, 14) WHERE substr(url, 1, 13) = 'iscore:seeds/'",
)
DIGESTS_WITHOUT_CONTENT = """
SELECT user_id, digest, min(at) FROM deliveries AS d
WHERE NOT EXISTS (SELECT 1 FROM digests AS e WHERE e.user_id = d.user_id AND e.digest = d.digest)
GROUP BY user_id, digest
"""
DELIVERED = """
SELECT d.number, a.id, a.title, a.url, f.title, a.author, a.published, a.arrived, t.text
FROM deliveries AS d JOIN articles AS a ON a.seq = d.seq JOIN feeds AS f ON f.id = a.feed_id
LEFT JOIN texts AS t ON t.seq = a.seq WHERE d.user_id = ? AND d.digest = ? ORDER BY d.number
"""
SHOWN = 600
"""Characters of a text in a digest."""
NO_STATUS: dict[str, Any] = {
    **dict.fromkeys(("feeds", "articles", "decided", "recommended", "explored", "likes", "dislikes", "skips"), 0),
    **dict.fromkeys(("f05", "precision", "recall", "last_poll")),
    "threshold": 0.0,
    "subset_size": 0,
    "n_features": 0,
    "best_features": [],
    "problems": [],
    "to_learn": 0,
    "learning": {"likes": 0, "dislikes": 0, "trained": False},
}
"""For a digest of which only the articles are known."""
LOCKS = {
    "run.lock": "`iscore run` or `iscore serve` is running on this data folder",
    "mail.lock": "mail is being sent",
    "connect.lock": "another server is being synchronised with this data folder",
}

Say = Callable[[str], None]
Run = Callable[..., Any]
"""Runs a statement with parameters, and returns the rows."""


class RenamingError(IscoreError):
    """The database cannot be renamed; nothing was changed."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Rename the database that the arguments name, and return 0; 1 for a problem, which is said in one line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("where", metavar="FOLDER|ADDRESS", help="a data folder, or the address of a database")
    where = parser.parse_args(arguments).where
    try:
        if where.startswith(("postgresql://", "postgres://")):
            rename_server(where, print)
        else:
            rename_folder(DataFolder(Path(where)), print)
    except (IscoreError, StorageError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    return 0


def rename_folder(folder: DataFolder, say: Say) -> None:
    """Rename the database of a data folder that nothing uses. Raises ``IscoreError``, ``StorageError``."""
    folder.require()
    with ExitStack() as held:
        for name, what in LOCKS.items():
            held.enter_context(exclusive_lock(folder.path / name, what))
        place = folder.database_place
        if isinstance(place, Path):
            rename_file(place, say)
        else:
            rename_server(place, say)
        _rename_settings(folder.config, say)


def rename_file(path: Path, say: Say) -> None:
    """Put a database with the first schema in the place of a former one, which is kept beside it."""
    creation.check_file(path)
    with SqliteDatabase(path) as database:
        revision = database.revision()
    if _is_done(str(path), revision, say):
        return
    kept = path.with_name(f"{path.name}.before-renaming")
    if kept.exists():
        raise RenamingError(f"{kept} is there already, from an earlier attempt; move it away")
    if problems := SqliteDatabase(path).integrity():
        raise RenamingError(f"{path} is damaged ({problems[0]}); put a backup in its place")
    with exclusive(path) as before:
        size = path.stat().st_size
    unfinished = creation.new_database_file(path)
    try:
        rows = _copy(path, unfinished, say)
        if problems := SqliteDatabase(unfinished).integrity():
            raise RenamingError(f"the new database is not whole ({problems[0]}); {path} is as it was")
        with exclusive(path) as after:
            if after != before:
                raise DatabaseInUse(path)
            keep(path, kept)
            unfinished.replace(path)
    except sqlite3.Error as error:
        raise SqliteDatabase(path).translated(error) from error
    finally:
        unfinished.unlink(missing_ok=True)
    say(f"{path} has schema {FIRST} now: {rows:,} rows; {size / 1e6:.1f} MB before, {path.stat().st_size / 1e6:.1f} MB")
    say(f"The former database is {kept}; delete it when all is well. The next command learns the models again.")


def rename_server(address: str, say: Say) -> None:
    """Rename the tables of a database on a server, wholly or not at all."""
    from storage.opening import postgresql_schema
    from storage.opening.postgresql_database import PostgresqlDatabase

    with PostgresqlDatabase(address, busy_timeout=2.0) as database, database.locked(durable=True) as tx:
        if not postgresql_schema.is_ours(tx):
            raise NotADatabase(database.name, "another program's database")
        run = tx.connection.exec_driver_sql
        if _is_done(database.name, str(run("SELECT version_num FROM alembic_version").scalar_one()), say):
            return
        require_alone(database.name, tx)
        run("SET LOCAL idle_in_transaction_session_timeout = 0")
        say("renaming tables and columns")
        _rename_tables(tx)
        _match_first_schema(tx, database.name)
        say("renaming words")
        run("ALTER TABLE feedback DISABLE TRIGGER USER")
        _rename_words(lambda statement, values=None: run(statement.replace("?", "%s"), values))
        run("ALTER TABLE feedback ENABLE TRIGGER USER")
        run("DELETE FROM snapshots")
        run("UPDATE alembic_version SET version_num = %s", (FIRST,))
        name = database.name
    say(f"{name} has schema {FIRST} now. The next command learns the models again.")


def _is_done(name: str, revision: str, say: Say) -> bool:
    """Return whether a database has the first schema or a later. Raises ``RenamingError`` for no former one."""
    if revision in REVISIONS:
        say(f"{name} has schema {revision} already; nothing to do.")
        return True
    if re.fullmatch(r"00\d\d", revision) is None:
        raise RenamingError(f"{name} has schema {revision}; this script renames {FORMER} only")
    if revision != FORMER:
        last = f"the last iScore with schema {FORMER}, commit 7c411e0f of its sources"
        raise RenamingError(f"{name} has schema {revision}; first run `iscore status` of {last}")
    return False


def _rename_settings(config: Path, say: Say) -> None:
    """Take the settings that are gone out of a config.toml, and use today's words; the former one is kept."""
    if not config.exists():
        return
    before = config.read_bytes()
    try:
        after = updated(before.decode()).encode()
    except ValueError as error:  # also for one that is not in UTF-8
        say(f"{config} is as it was, since it {error}.")
        return
    if after != before:
        kept = config.with_name(f"{config.name}.before-renaming")
        write(kept, before)
        write(config, after)
        say(f"{config} has today's settings; the former one is {kept}.")


def _copy(path: Path, unfinished: Path, say: Say) -> int:
    """Make the first schema in an empty file and fill it, in one transaction; return the number of rows."""
    rows = 0
    with closing(sqlite3.connect(unfinished, isolation_level=None)) as connection:
        connection.execute("ATTACH ? AS former", (str(path),))
        run = connection.execute
        run("BEGIN IMMEDIATE")
        later = []
        for statement in creation.statements(FIRST):
            if statement.startswith(("CREATE TABLE", "CREATE VIRTUAL")):
                run(statement)
            else:
                later.append(statement)
        for name, table in _tables_of_file(connection):
            say(f"copying {table}")
            rows += _copy_table(connection, name, table)
        say("renaming words")
        _rename_words(run)
        for statement in (*later, creation.REVISION_TABLE):
            run(statement)
        run("INSERT INTO alembic_version VALUES (?)", (FIRST,))
        run(f"PRAGMA application_id = {APPLICATION_ID}")
        run("COMMIT")
        run("DETACH former")
        run("PRAGMA journal_mode = WAL")
    return rows


def _tables_of_file(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """List the tables to be copied by their former and new names, with those in which the search has its index."""
    former = {table: name for name, table in TABLES.items()}
    query = "SELECT name FROM main.sqlite_master WHERE type = 'table' AND rootpage > 0 ORDER BY rowid"
    names = [name for (name,) in connection.execute(query) if name != "snapshots"]
    return [(former.get(name, name), name) for name in names]


def _copy_table(connection: sqlite3.Connection, name: str, table: str) -> int:
    """Copy the rows of a table, of the columns that there are still; return their number."""
    there = {column for (column,) in connection.execute("SELECT name FROM pragma_table_info(?, 'former')", (name,))}
    columns = [column for (column,) in connection.execute("SELECT name FROM pragma_table_info(?, 'main')", (table,))]
    former = {(table, new): old for (table, old), new in COLUMNS.items()}
    pairs = {column: former.get((table, column), column) for column in columns}
    pairs = {column: old for column, old in pairs.items() if old in there}
    new, old = (", ".join(f'"{each}"' for each in part) for part in (pairs, pairs.values()))
    connection.execute(f'DELETE FROM main."{table}"')  # what the search and SQLite's numbers begin with
    connection.execute(f'INSERT INTO main."{table}" ({new}) SELECT {old} FROM former."{name}"')
    counts = [
        connection.execute(f'SELECT count(*) FROM {where}."{each}"').fetchone()[0]
        for where, each in (("former", name), ("main", table))
    ]
    if counts[0] != counts[1]:
        raise RenamingError(f"{table} has {counts[1]} rows instead of {counts[0]}; nothing was changed")
    return int(counts[1])


def _rename_words(run: Run) -> None:
    for statement in UPDATES:
        run(statement)
    for table, column, key in JSON:
        names = ", ".join(key)
        for content, *place in run(f"SELECT {column}, {names} FROM {table}").fetchall():
            if content:
                there = " AND ".join(f"{each} = ?" for each in key)
                run(f"UPDATE {table} SET {column} = ? WHERE {there}", (renamed(content), *place))
    for user_id, text in run("SELECT user_id, text FROM documents WHERE name = 'config.toml'").fetchall():
        with suppress(ValueError):  # what cannot be read today could not be read before
            run("UPDATE documents SET text = ? WHERE user_id = ? AND name = 'config.toml'", (updated(text), user_id))
    for user_id, day, at in run(DIGESTS_WITHOUT_CONTENT).fetchall():
        content = _content(day, at, run(DELIVERED, (user_id, day)).fetchall())
        run("INSERT INTO digests (user_id, digest, at, content) VALUES (?, ?, ?, ?)", (user_id, day, at, content))


def _content(day: str, at: int, delivered: Sequence[Sequence[Any]]) -> str:
    """Return a digest with the articles that were delivered, made before iScore kept what else it said."""
    names = ("number", "id", "title", "url", "source", "author", "published", "arrived", "text")
    stories = [dict(zip(names, row, strict=True)) for row in delivered]
    for story in stories:
        story |= {"published": _moment(story["published"]), "arrived": _moment(story["arrived"])}
        story["text"] = (story["text"] or "")[:SHOWN]
    digest = {"date": day, "recommended": stories, "explore": [], "considered": len(stories), "made": _moment(at)}
    return json.dumps(digest | {"status": NO_STATUS}, ensure_ascii=False, separators=(",", ":"))


def _moment(microseconds: int | None) -> str | None:
    if microseconds is None:
        return None
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)).isoformat()


def renamed(content: str) -> str:
    """Rename names in JSON, at every depth; stories become flat, with their sources in one form. Values stay."""

    def in_it(found: Any) -> Any:
        if isinstance(found, dict):
            if "item" in found:
                item = {name: value for name, value in found["item"].items() if name != "sources"}
                found = item | {name: value for name, value in found.items() if name != "item"}
            elif "summary" in found:
                own = {found["source"]: found["url"]}
                titled = [
                    {"source": each, "title": found["title"], "url": own.get(each, "")} for each in found["sources"]
                ]
                found = found | {"sources": titled}
            return {WORDS.get(name, name): in_it(value) for name, value in found.items()}
        return [in_it(each) for each in found] if isinstance(found, list) else found

    return json.dumps(in_it(json.loads(content)), ensure_ascii=False, separators=(",", ":"))


def _rename_tables(tx: Transaction) -> None:
    """Rename tables and columns, and the constraints and indexes that are named after them."""
    run = tx.connection.exec_driver_sql
    former = {table: name for name, table in TABLES.items()}
    for name, table in TABLES.items():
        run(f"ALTER TABLE {name} RENAME TO {table}")
    for (table, old), new in COLUMNS.items():
        run(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")
    for table in {*TABLES.values(), *(table for table, _ in COLUMNS)}:
        begin = f"{former.get(table, table)}_"
        columns = {f"_{old}_": f"_{new}_" for (each, old), new in COLUMNS.items() if each == table}

        def new_name(name: str, table: str = table, begin: str = begin, columns: dict[str, str] = columns) -> str:
            name = f"{table}_{name.removeprefix(begin)}" if name.startswith(begin) else name
            for old, new in columns.items():
                name = name.replace(old, new)
            return name

        query = f"SELECT conname FROM pg_constraint WHERE conrelid = '{table}'::regclass"
        for name in run(query).scalars().all():
            if new_name(name) != name:
                run(f'ALTER TABLE {table} RENAME CONSTRAINT "{name}" TO "{new_name(name)}"')  # its index as well
        query = f"SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = '{table}'::regclass"
        for name in run(query).scalars().all():
            if new_name(name) != name:
                run(f'ALTER INDEX "{name}" RENAME TO "{new_name(name)}"')


def _match_first_schema(tx: Transaction, name: str) -> None:
    """Drop columns that the first schema does not have. Raises ``RenamingError`` if one of its own is missing."""
    run = tx.connection.exec_driver_sql
    with closing(sqlite3.connect(":memory:")) as first:
        for statement in creation.statements(FIRST):
            first.execute(statement)
        wanted = {
            table: {column for (column,) in first.execute("SELECT name FROM pragma_table_info(?)", (table,))}
            for (table,) in first.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if not table.startswith(("sqlite_", "search"))
        }
    query = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()"
    there: dict[str, set[str]] = {}
    for table, column in run(query).all():
        there.setdefault(table, set()).add(column)
    for table, columns in wanted.items():
        for column in there.get(table, set()) - columns:
            run(f'ALTER TABLE {table} DROP COLUMN "{column}"')
        if missing := columns - there.get(table, set()):
            raise RenamingError(f"{name} has no {table}.{min(missing)}; nothing was changed")


if __name__ == "__main__":
    sys.exit(main())
