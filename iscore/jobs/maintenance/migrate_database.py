"""``iscore migrate-database``: moves the database from the data folder to a server, or back.

    source, in nobody's use ─► copied ─► rows compared ─► models compared with a replay ─► committed ─► config.toml

Only the database moves: everybody's articles, verdicts, models, accounts and mail. The files of the data folder stay
where they are. Until the copy is committed the target is empty; until config.toml says otherwise, the source is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from os import environ
from pathlib import Path

from iscore.core import documents
from iscore.core.clock import system_clock
from iscore.core.data_folder import DATABASE_VARIABLE, DataFolder
from iscore.core.errors import ConfigError, IscoreError
from iscore.core.file_access import exclusive_lock
from iscore.core.settings_text import parted, with_values
from iscore.core.timings import Progress
from iscore.services.news_filter import NewsFilter
from storage.engine.errors import DatabaseInUse, StorageError
from storage.opening.copying import copied, exclusive
from storage.opening.database import Database, unchecked
from storage.opening.diagnostics import Inspection, inspect, inspect_server
from storage.opening.sqlite_database import SqliteDatabase
from storage.people import users
from storage.schema import REVISIONS

FILE = "file"
"""The target that is the data folder's own file."""
_LOCKS = {
    "run.lock": "`iscore run` or `iscore serve` is running on this data folder",
    "mail.lock": "mail is being sent",
    "connect.lock": "another server is being synchronised with this data folder",
}


class MigrationError(IscoreError):
    """The database cannot be moved."""


@dataclass(frozen=True, slots=True)
class MigrationView:
    """What was copied, and what is where now."""

    source: str
    """The file, or the address without user and password."""
    target: str
    rows: int
    """Of all tables; each was compared with the original."""
    users: int
    articles: int
    verdicts: int
    """Rows of the log, including undone ones."""
    learned: int
    """Entries of the log that the models learn from, of all users; each model equals a replay of them."""
    folder: Path
    """Where the files are that did not move."""
    kept: Path | None
    """The file of the old database under its new name; None if that is on a server."""
    variable: bool
    """Whether ``ISCORE_DATABASE`` is set, which comes before config.toml."""


def migrate_database(
    folder: DataFolder,
    to: str,
    *,
    at: datetime,
    progress: Progress | None = None,
    before_loading: Callable[[], None] | None = None,
) -> MigrationView:
    """Move the database of a data folder to an address, or to its file iscore.db, and let config.toml say so.

    ``at`` names the old file. ``before_loading`` is called before modules with compiled code are loaded.

    Raises ``MigrationError``, ``DataFolderError``, ``ConfigError``, ``LockedError``, ``StorageError`` with nothing
    changed: ``NotEmpty`` for a target with anything in it, ``DatabaseInUse`` while somebody else has the source open.
    """
    folder.require()
    source, target = folder.database_place, folder.database if to == FILE else to
    if isinstance(source, Path) == isinstance(target, Path):
        where = "in the file" if isinstance(source, Path) else "on a server"
        other = "an address, postgresql://USER@HOST/DATABASE" if isinstance(source, Path) else f"`{FILE}`"
        raise MigrationError(f"the database is {where} already; the other place is {other}")
    text, new_text = _config(folder, to)
    name = unchecked(target).name
    kept = None
    with _alone(folder), ExitStack() as held:
        found = _inspected(source)
        with exclusive(source) as before:
            pass
        with unchecked(source) as original, copied(original, target, progress) as copy:
            learned = _learned(folder, copy, progress, before_loading)
            original.close()
            if held.enter_context(exclusive(source)) != before:
                raise DatabaseInUse(original.name)
        documents.replace(folder.config, new_text, before=text)
        if isinstance(source, Path):
            kept = source.rename(source.with_name(f"{source.name}.before-migration-{at:%Y%m%d-%H%M%S}"))
    if kept is not None:
        with suppress(StorageError):
            SqliteDatabase(kept).enable_wal()
    return MigrationView(
        source=original.name,
        target=name,
        rows=sum(found.rows.values()),
        users=found.rows["users"],
        articles=found.rows["articles"],
        verdicts=found.rows["feedback"],
        learned=learned,
        folder=folder.path,
        kept=kept,
        variable=DATABASE_VARIABLE in environ,
    )


def _config(folder: DataFolder, to: str) -> tuple[str, str]:
    """Return the text of config.toml, and what it has to be afterwards. Raises ``ConfigError``."""
    try:
        text = documents.read(folder.config).decode("utf-8-sig") if folder.config.exists() else ""
        return text, parted(text, {"database"})[0] if to == FILE else with_values(text, {"database": to})
    except (OSError, ValueError) as error:
        raise ConfigError(str(folder.config), str(error)) from error


@contextmanager
def _alone(folder: DataFolder) -> Iterator[None]:
    """Let nothing that works by itself start meanwhile. Raises ``LockedError`` if something does already."""
    with ExitStack() as held:
        for name, what in _LOCKS.items():
            held.enter_context(exclusive_lock(folder.path / name, what))
        yield


def _inspected(source: Path | str) -> Inspection:
    """Check that a database is whole and of today. Raises ``MigrationError``, ``StorageError``."""
    found = inspect(source) if isinstance(source, Path) else inspect_server(source)
    if not found.current:
        problem = f"has schema {found.revision}, and this iScore's is {REVISIONS[-1]}; `iscore status` migrates it"
        raise MigrationError(f"{unchecked(source).name} {problem}")
    return found


def _learned(
    folder: DataFolder, copy: Database, progress: Progress | None, before_loading: Callable[[], None] | None
) -> int:
    """Check that each user's model equals a replay of the log, and return how many entries they learn from."""
    with copy.read() as tx:
        first = users.first(tx)
    news = NewsFilter(folder, copy, system_clock(), first.id)
    news.extractors.before_loading = before_loading
    learned = 0
    for number, name in news.people.names().items():
        found = news.for_user(number).models.rebuild(check=True, progress=progress)
        if not found.equal:
            problem = f"the model of {name} differs from a replay of the verdicts; nothing was changed"
            raise MigrationError(f"{problem}; `iscore --user {name!r} model rebuild` makes it again")
        learned += found.verdicts
    return learned
