"""What can go wrong with the database: one tree, each error with what it is about and what to do next.

A database is named by its file, or by its address as text, without user and password.
"""

# ruff: noqa: N818 -- each name says what is the matter with the database, as errno names do

from __future__ import annotations

import re
from pathlib import Path

SCRIPT = "scripts/rename_earlier_database.py"
"""Renames tables and columns of a database from before the first schema. It is beside the product, in its sources."""


class StorageError(Exception):
    """Anything the storage raises on purpose. Its message is one line, ready to be shown.

    ``path`` is the database file that the error is about; None when it is not about a file.
    """

    def __init__(self, message: str, *, path: Path | str | None = None) -> None:
        super().__init__(message)
        self.path = path if isinstance(path, Path) else None


class MissingDatabase(StorageError):
    """There is no file at the path, or nothing in the database of a server."""

    def __init__(self, path: Path | str) -> None:
        if isinstance(path, Path):
            super().__init__(f"There is no database at {path}; `iscore init` makes one.", path=path)
        else:
            super().__init__(f"The database {path} is empty; `iscore init` makes iScore's tables in it.")


class NotADatabase(StorageError):
    """The path is something else: a folder, an empty file, or a file of another program."""

    def __init__(self, path: Path | str, what: str) -> None:
        instead = "move it away or choose another home, or put a backup in its place"
        if isinstance(path, str):
            instead = "make another one for iScore"
        super().__init__(f"{path} is {what}, not an iScore database; {instead}.", path=path)
        self.what = what


class UnknownSchema(StorageError):
    """The database was written by a newer iScore, or by one from before the first schema, 1000.

    ``revision`` is the schema it has, ``advice`` what to do.
    """

    def __init__(self, path: Path | str, revision: str) -> None:
        self.revision = revision
        self.earlier = re.fullmatch(r"00\d\d", revision) is not None
        what = "of an earlier iScore" if self.earlier else "which this iScore does not know"
        self.advice = f"rename it with `python {SCRIPT}`" if self.earlier else "update iScore"
        super().__init__(f"{path} has schema {revision}, {what}; {self.advice} to open it.", path=path)


class DatabaseDamaged(StorageError):
    """SQLite finds the file's contents inconsistent."""

    def __init__(self, path: Path, detail: str) -> None:
        super().__init__(
            f"The database {path} is damaged ({detail}); put a backup in its place with `iscore restore FILE` "
            f"(or a file named {path.name}.backup-*, after closing iScore).",
            path=path,
        )
        self.detail = detail


class DatabaseReadOnly(StorageError):
    """The file or its folder cannot be written, or the server only answers questions."""

    def __init__(self, path: Path | str) -> None:
        instead = "give yourself write permission on it and its folder"
        if isinstance(path, str):
            instead = "use the address of a server that is no read-only copy"
        super().__init__(f"The database {path} cannot be written; {instead}.", path=path)


class DatabaseBusy(StorageError):
    """Another process held the write lock for longer than the busy timeout."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(f"Another process is writing to {path} and does not finish; try again later.", path=path)


class DatabaseInUse(StorageError):
    """Somebody else has the database open, or has changed it."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(
            f"{path} is in use; stop `iscore run`, `iscore serve` and all other commands that use it, and try again.",
            path=path,
        )


class NotEmpty(StorageError):
    """There is something already where a database would be made."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(f"{path} is not empty; nothing was changed there.", path=path)


class CopyFailed(StorageError):
    """What was copied is not what is there."""

    def __init__(self, table: str) -> None:
        super().__init__(f"The copy of the table {table} differs from the original; nothing was kept of it.")


class DiskFull(StorageError):
    """There is no room to write; nothing of the transaction was kept."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(f"The disk that holds {path} is full; make room and try again, nothing is lost.", path=path)


class DatabaseFailed(StorageError):
    """Any other failure of the database. The cause is kept as ``__cause__``."""

    def __init__(self, path: Path | str, detail: str) -> None:
        super().__init__(f"The database {path} does not answer: {detail}.", path=path)


class WrongAddress(StorageError):
    """The address of a database cannot be used. It is not shown: it may contain a password, in any place."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"The address of the database {what}; write postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with %40 for @, "
            "%2F for / and %3A for : in user and password."
        )


class NoDriver(StorageError):
    """The library for PostgreSQL is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "A database on PostgreSQL needs the library psycopg; install `iscore-news[postgresql]` instead of "
            "`iscore-news`."
        )


class NoServer(StorageError):
    """The server cannot be reached, does not let us in, or has no such database."""

    def __init__(self, name: str, detail: str) -> None:
        super().__init__(f"The database {name} cannot be opened: {detail}.")


class NoRights(StorageError):
    """The server's user may not do what is necessary."""

    def __init__(self, name: str, detail: str) -> None:
        super().__init__(
            f"The database {name} refuses: {detail}; iScore's user must own it, or be granted ALL on its schema."
        )


class LeaseLost(StorageError):
    """A worker took too long, and another one does its work now."""

    def __init__(self) -> None:
        super().__init__("Another worker has taken over what this one worked on; what this one did is discarded.")


class UnknownArticle(StorageError):
    """No article has this number in the order of arrival (``seq``)."""

    def __init__(self, seq: int) -> None:
        super().__init__(f"There is no article number {seq}.")
        self.seq = seq


class UnknownUser(StorageError):
    """No user has this number."""

    def __init__(self, user_id: int) -> None:
        super().__init__(f"There is no user number {user_id}.")
        self.user_id = user_id


class RefusedUserName(StorageError):
    """This cannot be the name of a user."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name[:60]!r} cannot be a user's name; use letters and digits, and blanks, dots, - _ @ ' between them, "
            "of one alphabet, 60 characters at most"
        )
        self.name = name


class TakenUserName(StorageError):
    """Another user has this name, maybe in another case."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is a user called {name!r} already; choose another name")
        self.name = name


class LastAdmin(StorageError):
    """Without this user there would be no admin."""

    def __init__(self) -> None:
        super().__init__("this is the only admin; make somebody else an admin first")


class UnknownName(StorageError):
    """No feed, tag or label has this name. ``nearest`` is the one that is most alike; empty if none is."""

    def __init__(self, what: str, name: str, nearest: str) -> None:
        known = "" if what == "label" else "; `iscore edit feeds` shows your feeds and tags"
        meant = f"; did you mean {nearest!r}?" if nearest else known
        super().__init__(f"no {what} is called {name!r}{meant}")
        self.what = what
        """``feed``, ``tag`` or ``label``."""
        self.name = name
        self.nearest = nearest
