"""A database for one piece of work: it refuses to be written once another worker has taken the work over.

A worker that was stopped for long does not know it when it wakes. Whatever it writes then is undone here, so that no
service needs to know of workers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from storage.engine.base_database import Database
from storage.engine.errors import UnknownSchema
from storage.engine.transaction import Transaction
from storage.records.work import Claim
from storage.schema import REVISIONS
from storage.work import work


class FencedDatabase(Database):
    """Another open database, to be written while some claims are held. It is not closed with this one.

    ``write`` raises ``LeaseLost`` when the claims are held no longer, and ``UnknownSchema`` when a newer iScore has
    changed the tables meanwhile; then nothing is written.
    """

    def __init__(self, database: Database, claims: Sequence[Claim]) -> None:
        self.name = database.name
        self.writable = database.writable
        self._database = database
        self._claims = claims

    def read(self) -> AbstractContextManager[Transaction]:
        return self._database.read()

    @contextmanager
    def write(self, of: int | None = None, *, durable: bool = False, marks_only: bool = False) -> Iterator[Transaction]:
        with self._database.write(of, durable=durable, marks_only=marks_only) as tx:
            # Whoever takes over from now on waits for the same lock before they write.
            work.require(tx, self._claims)
            check_schema(self._database, tx)
            yield tx

    def write_work(self) -> AbstractContextManager[Transaction]:
        return self._database.write_work()

    def version(self) -> Hashable:
        return self._database.version()

    def shrink(self) -> None:
        self._database.shrink()

    def rewrite(self) -> None:
        self._database.rewrite()

    def size(self) -> int:
        return self._database.size()

    def close(self) -> None:
        """Leave the other database open."""


def check_schema(database: Database, tx: Transaction) -> None:
    """Raise ``UnknownSchema`` unless the tables are those that this version knows."""
    found = str(tx.connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar_one())
    if found != REVISIONS[-1]:
        raise UnknownSchema(database.name, found)
