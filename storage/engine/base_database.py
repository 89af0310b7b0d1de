"""What SQLite and PostgreSQL have in common for everybody who reads and writes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from sqlalchemy import Connection

BUSY_TIMEOUT = 20.0
"""Seconds to wait for another writer: longer than any of our writes takes, short enough for a user to wait."""

ARRIVALS = 0
"""In place of a user's number: a transaction that writes feeds, articles, their features and what all users share."""


@dataclass(frozen=True, slots=True)
class Transaction:
    """An open transaction, which every function of this package takes first.

    ``Database.read`` and ``Database.write`` make it and end it.
    """

    connection: Connection


class Database(ABC):
    """An open database. A context manager that closes it.

    All methods raise ``StorageError`` and nothing of SQLAlchemy or the driver; what a failed transaction wrote is
    undone.
    """

    name: str
    """What messages call it: its file, or its address without user and password."""
    writable: bool = True
    """Whether ``write`` may succeed; else it raises ``DatabaseReadOnly``, and the database can still be read."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @abstractmethod
    def read(self) -> AbstractContextManager[Transaction]:
        """Yield a consistent view of the database as it is now, for reading only."""

    @abstractmethod
    def write(
        self, of: int | None = None, *, durable: bool = False, marks_only: bool = False
    ) -> AbstractContextManager[Transaction]:
        """Yield a transaction that writes. Commit when the block ends, roll back when it raises.

        ``of`` is whose rows are written: one user's, by number, or with ``ARRIVALS`` those that all share; None: any.
        Only one transaction at a time writes the same; on SQLite only one writes at all. Transactions that give
        numbers in order, of articles or of rows of a user's log, are so committed in this order.

        A commit survives the death of the process; with ``durable`` also a loss of power, which costs a wait for the
        disk: use it for what cannot be fetched again, such as verdicts. Keep the block short: others wait.

        ``marks_only`` promises that nothing changes but marks, labels and reading events of the user ``of``. Such a
        commit always counts as a change; others do if they change a row. See ``storage.engine.changes``.
        """

    @abstractmethod
    def write_work(self) -> AbstractContextManager[Transaction]:
        """Yield a transaction that writes nothing but the work of workers, and waits for no other where that can be.

        On a server a commit survives a crash of it.

        It is no change of what readers see: ``version`` may stay the same.
        """

    @abstractmethod
    def version(self) -> Hashable:
        """Return a value that changes with every commit, of any process; None where that cannot be known.

        While it stays the same, so does everything that a transaction reads. It means nothing to other ``Database``
        objects.
        """

    @abstractmethod
    def shrink(self) -> None:
        """Give the space of deleted rows back to the disk, where the database does not do that by itself.

        Raises ``DatabaseBusy`` when others do not end.
        """

    @abstractmethod
    def rewrite(self) -> None:
        """Write the database anew, so that nothing of deleted rows is left, where it does not do that by itself.

        Others wait meanwhile. Raises ``DatabaseBusy`` when others do not end.
        """

    @abstractmethod
    def size(self) -> int:
        """Return how many bytes the database has on the disk."""

    @abstractmethod
    def close(self) -> None:
        """Close all connections."""

    def revision(self) -> str:
        """Return the revision of the schema; it may be older or newer than ours."""
        with self.read() as tx:
            return str(tx.connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar_one())
