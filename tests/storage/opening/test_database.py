import errno
import os
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest
import sqlalchemy as sa

from storage.engine import changes
from storage.engine.errors import (
    DatabaseBusy,
    DatabaseDamaged,
    DatabaseFailed,
    DatabaseReadOnly,
    DiskFull,
    MissingDatabase,
    NotADatabase,
    UnknownSchema,
    UnknownUser,
)
from storage.log import marks
from storage.opening import creation
from storage.opening.database import open_database
from storage.opening.sqlite_database import COMPILED, MAX_STATEMENTS, CompiledStatements, SqliteDatabase, _Frozen
from storage.people import documents, users
from storage.records.users import LOCAL_USER, Role, User
from storage.schema import REVISIONS, metadata
from tests.storage.conftest import NOON, shape
from tests.storage.newest_schema import FILE, migrate_empty, newest_schema, statements


@pytest.fixture
def database(sqlite_database: SqliteDatabase) -> SqliteDatabase:
    """A file: this is about what only files have."""
    return sqlite_database


def test_a_new_database_has_its_user_and_is_private(database: SqliteDatabase) -> None:
    with database.read() as tx:
        assert users.get(tx, LOCAL_USER) == User(LOCAL_USER, "local", 7, Role.ADMIN, "", None, has_password=False)
        with pytest.raises(UnknownUser):
            users.get(tx, 2)
    assert stat.S_IMODE(database.path.stat().st_mode) == 0o600
    assert database.integrity() == []


def test_a_new_database_has_large_pages_that_can_be_given_back(database: SqliteDatabase) -> None:
    def layout(path: Path) -> tuple[object, ...]:
        with SqliteDatabase(path) as opened, opened.read() as tx:
            found = (tx.connection.exec_driver_sql(f"PRAGMA {name}") for name in ("page_size", "auto_vacuum"))
            return tuple(each.scalar_one() for each in found)

    assert layout(database.path) == (16384, 2)
    copy = database.path.with_name("copy.db")
    database.backup(copy)
    database.rewrite()
    assert layout(copy) == layout(database.path) == (16384, 2)


def test_others_write_while_a_database_shrinks(database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storage.opening.sqlite_database.PAGES_AT_ONCE", 2)
    with database.write() as tx:
        documents.put(tx, LOCAL_USER, "rules.yaml", "x" * 2_000_000, NOON)
    with database.write() as tx:
        documents.put(tx, LOCAL_USER, "rules.yaml", "", NOON)
    written = 0
    connect = SqliteDatabase.connect

    def watched(each: SqliteDatabase) -> sqlite3.Connection:
        def write(statement: str) -> None:
            nonlocal written
            if each is database and "incremental_vacuum" in statement and written < 3:
                with closing(sqlite3.connect(database.path, timeout=0)) as other:
                    other.execute("UPDATE users SET seed = seed + 1")
                    other.commit()
                written += 1

        connection = connect(each)
        connection.set_trace_callback(write)
        return connection

    monkeypatch.setattr(SqliteDatabase, "connect", watched)
    database.shrink()
    monkeypatch.undo()
    assert written == 3
    with database.read() as tx:
        assert tx.connection.exec_driver_sql("PRAGMA freelist_count").scalar_one() == 0
    assert database.size() < 1_900_000
    assert database.integrity() == []


def test_creating_where_one_is_opens_that(database: SqliteDatabase) -> None:
    with open_database(database.path, create=True, seed=8) as again, again.read() as tx:
        assert users.get(tx, LOCAL_USER).seed == 7


def test_a_statement_is_compiled_once_for_all_files_of_a_process(tmp_path: Path) -> None:
    for number in range(2):
        with open_database(tmp_path / f"{number}.db", create=True) as opened, opened.read() as tx:
            users.get(tx, LOCAL_USER)
        if number == 0:
            compiled = set(map(id, COMPILED.values()))
    assert compiled
    assert set(map(id, COMPILED.values())) == compiled


def test_compiled_statements_do_not_become_more_and_more() -> None:
    statements = CompiledStatements()
    for number in range(MAX_STATEMENTS + 1):
        statements[number] = "SELECT"
    assert set(statements) == {MAX_STATEMENTS}


def test_creating_leaves_nothing_else_behind(tmp_path: Path) -> None:
    open_database(tmp_path / "100 %/new home/iscore.db", create=True).close()
    assert [file.name for file in (tmp_path / "100 %/new home").iterdir()] == ["iscore.db"]


def test_many_can_create_at_once(tmp_path: Path) -> None:
    path = tmp_path / "iscore.db"
    start = threading.Barrier(4)
    unfinished = [tmp_path / f"made-{number}.db" for number in range(4)]
    for each in unfinished:
        open_database(each, create=True).close()

    def put(mine: Path) -> None:
        start.wait()
        creation.put_in_place(mine, path)

    threads = [threading.Thread(target=put, args=(each,)) for each in unfinished]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(tmp_path.iterdir()) == [path]
    open_database(path).close()


def test_the_migrations_make_the_tables_that_the_program_knows(tmp_path: Path) -> None:
    known, migrated = tmp_path / "known.db", tmp_path / "migrated.db"
    engine = sa.create_engine(f"sqlite:///{known}")
    metadata.create_all(engine)
    engine.dispose()
    migrate_empty(migrated)
    made = {name: each for name, each in shape(migrated).items() if not name.startswith("search")}
    assert made == shape(known)


def test_a_new_database_has_what_all_migrations_make(database: SqliteDatabase) -> None:
    hint = "after a new migration: `python -m tests.storage.newest_schema`"
    assert FILE.read_text("utf-8") == newest_schema(), hint
    assert statements(database.path) == creation.statements(REVISIONS[-1])
    assert {file.stem for file in creation.MIGRATIONS.glob("*.sql")} == {REVISIONS[0], REVISIONS[-1]}


def test_a_primary_key_comes_first_in_a_table_without_rowids() -> None:
    """Otherwise SQLite 3.40 finds a NULL that is not there when it checks the file, and the file counts as damaged."""
    for table in metadata.tables.values():
        if not table.dialect_options["sqlite"]["with_rowid"]:
            keys = [column.name for column in table.primary_key]
            assert [column.name for column in table.columns][: len(keys)] == keys, table.name


def test_a_missing_database_is_named_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(MissingDatabase, match="iscore init") as caught:
        open_database(tmp_path / "iscore.db")
    assert caught.value.path == tmp_path / "iscore.db"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "an empty file"),
        (b"feeds:\n  - url: x\n", "another kind of file"),
        (b"SQLite format 3\0", "another program"),
    ],
)
def test_a_foreign_file_is_refused_and_left_alone(tmp_path: Path, content: bytes, what: str) -> None:
    path = tmp_path / "iscore.db"
    path.write_bytes(content)
    for create in (False, True):
        with pytest.raises(NotADatabase, match=what):
            open_database(path, create=create)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotADatabase, match="a folder"):
        open_database(tmp_path)


def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "iscore.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE alembic_version (version_num TEXT)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(NotADatabase, match="another program"):
        open_database(path)
    assert path.read_bytes() == before


def test_a_file_with_our_mark_but_not_our_tables_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "iscore.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA application_id = 0x69536372")
    connection.execute("CREATE TABLE other (x)")
    connection.close()
    with pytest.raises(NotADatabase, match="without iScore's tables"):
        open_database(path)


def set_revision(path: Path, revision: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))
    connection.commit()
    connection.close()


def test_a_newer_schema_is_refused_and_left_alone(database: SqliteDatabase) -> None:
    database.close()
    set_revision(database.path, "9999")
    before = database.path.read_bytes()
    with pytest.raises(UnknownSchema, match="9999") as caught:
        open_database(database.path)
    assert caught.value.revision == "9999"
    assert database.path.read_bytes() == before


def test_a_damaged_file_is_named(database: SqliteDatabase) -> None:
    database.close()
    content = bytearray(database.path.read_bytes())
    content[4096:] = b"\x55" * (len(content) - 4096)
    database.path.write_bytes(content)
    with pytest.raises(DatabaseDamaged, match="backup"):
        open_database(database.path)
    assert database.path.read_bytes() == bytes(content)
    assert SqliteDatabase(database.path).integrity() != []


def test_a_lost_reference_is_found(database: SqliteDatabase) -> None:
    connection = sqlite3.connect(database.path)
    connection.execute("INSERT INTO texts (seq, text) VALUES (5, 'orphan')")
    connection.commit()
    connection.close()
    assert database.integrity() == ["row 5 of texts refers to something missing in articles"]


def as_nobody(path: Path) -> int:
    """Read and write the database in a process without the rights of root; 7 means that only writing was refused."""
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setuid(65534)
            with open_database(path) as database:
                with database.read() as tx:
                    assert users.get(tx, LOCAL_USER).name == "local"
                try:
                    with database.write():
                        pass
                except DatabaseReadOnly:
                    os._exit(7)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("in_use", [False, True])
def test_a_read_only_file_can_be_read_and_writing_is_refused(*, in_use: bool) -> None:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        Path(folder).chmod(0o755)
        path = Path(folder) / "iscore.db"
        database = stack.enter_context(open_database(path, create=True))
        if in_use:  # there is a log, which has to be read as well
            with database.write() as tx:
                users.add(tx, "second", 0)
        else:
            database.close()
        before = path.read_bytes()
        for file in Path(folder).iterdir():
            file.chmod(0o444)
        assert as_nobody(path) == 7
        assert path.read_bytes() == before


def test_a_write_to_what_became_read_only_is_named(database: SqliteDatabase) -> None:
    def add() -> None:
        with database.write() as tx:
            tx.connection.exec_driver_sql("PRAGMA query_only = ON")
            users.add(tx, "second", 0)

    with pytest.raises(DatabaseReadOnly):
        add()


def test_a_full_disk_is_named_and_reading_goes_on(database: SqliteDatabase) -> None:
    def fill() -> None:
        with database.write() as tx:
            tx.connection.exec_driver_sql("PRAGMA max_page_count = 1")
            for number in range(1000):
                users.add(tx, f"{number:060}", number)

    with pytest.raises(DiskFull, match="full"):
        fill()
    with database.read() as tx:
        assert users.get(tx, LOCAL_USER).name == "local"
        with pytest.raises(UnknownUser):
            users.get(tx, 2)


def test_a_lock_held_too_long_is_named(database: SqliteDatabase) -> None:
    with (
        database.write(),
        open_database(database.path, busy_timeout=0.05) as other,
        pytest.raises(DatabaseBusy, match="try again"),
        other.write(),
    ):
        pytest.fail("two writers at once")


@pytest.mark.parametrize(
    ("number", "expected"),
    [(errno.EACCES, DatabaseReadOnly), (errno.ENOSPC, DiskFull), (errno.EIO, DatabaseFailed)],
)
def test_errors_of_the_system_are_translated(number: int, expected: type[Exception]) -> None:
    assert type(creation.from_system(Path("x"), OSError(number, os.strerror(number)))) is expected


def test_durable_writes_wait_for_the_disk_and_others_do_not(database: SqliteDatabase) -> None:
    levels = []
    for durable in (True, False):
        with database.write(durable=durable) as tx:
            levels.append(tx.connection.exec_driver_sql("PRAGMA synchronous").scalar())
    assert levels == [2, 1]


def test_a_backup_is_whole_and_private(database: SqliteDatabase, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    target.write_bytes(b"an older copy")
    database.backup(target)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with open_database(target) as copy, copy.read() as tx:
        assert users.get(tx, LOCAL_USER).seed == 7
    assert list(tmp_path.glob("*unfinished*")) == []


def test_opening_a_file_loads_no_alembic_no_numpy_and_no_psycopg(database: SqliteDatabase) -> None:
    code = (
        "import sys; from pathlib import Path; from storage.opening.database import open_database\n"
        "from storage.stream import articles, features, feeds; from storage.people import deliveries\n"
        "from storage.log import decisions, feedback, snapshots\n"
        "open_database(Path(sys.argv[1])).close()\n"
        "heavy = {'alembic', 'numpy', 'psycopg', 'sqlalchemy.dialects.postgresql', 'sqlalchemy.orm', 'numba'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code, str(database.path)], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_commits_are_counted_unless_they_change_nothing(database: SqliteDatabase) -> None:
    def numbers() -> tuple[int, int, int]:
        """Those of the user's marks, of anything that all share, and of anything else of the user."""
        with database.read() as tx:
            found = changes.numbers(tx, LOCAL_USER)
        return found.marks, *found.others

    marked, shared, own = numbers()
    with database.write() as tx:
        other = users.add(tx, "other", 1).id
    assert numbers() == (marked, shared + 1, own)
    with database.write(LOCAL_USER, marks_only=True) as tx:
        marks.read(tx, LOCAL_USER, [5], NOON)
    assert numbers() == (marked + 1, shared + 1, own)
    with database.write(LOCAL_USER) as tx:
        documents.put(tx, LOCAL_USER, "note", "mine", NOON)
    assert numbers() == (marked + 1, shared + 1, own + 1)
    with database.write(other, marks_only=True) as tx:
        marks.read(tx, other, [5], NOON)
    with database.write(other) as tx:
        documents.put(tx, other, "note", "theirs", NOON)
    with database.write() as tx:
        users.get(tx, LOCAL_USER)
    with suppress(ZeroDivisionError), database.write() as tx:
        users.add(tx, "third", 1)
        raise ZeroDivisionError
    assert numbers() == (marked + 1, shared + 1, own + 1)


def test_what_is_read_without_locks_has_no_version(database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full or protected disk: a connection that was opened on it would never see a change."""
    found = database.version()
    database.close()
    with monkeypatch.context() as full:
        full.setattr(database, "connect", lambda: database._opened("mode=ro&immutable=1", _Frozen))
        assert database.version() is None
    assert database.version() not in (found, None)
