"""Opens the database: a file, or one on a server.

open_database(Path("iscore.db"))                        SQLite, for one person or a household
open_database("postgresql://user:password@host/name")   PostgreSQL, with the extra `postgresql`
"""

from __future__ import annotations

from pathlib import Path

from storage.engine.base_database import ARRIVALS, BUSY_TIMEOUT, Database
from storage.engine.errors import MissingDatabase
from storage.opening import creation
from storage.opening.sqlite_database import SqliteDatabase, open_file

__all__ = ["ARRIVALS", "BUSY_TIMEOUT", "Database", "create_on_server", "open_database", "unchecked"]


def unchecked(where: Path | str, *, busy_timeout: float = BUSY_TIMEOUT) -> Database:
    """Return a database as it is: nothing is migrated, and its schema may be any.

    To look at one in trouble, after ``diagnostics`` has. Raises ``WrongAddress``, ``NoDriver``.
    """
    if isinstance(where, Path):
        return SqliteDatabase(where, busy_timeout=busy_timeout)
    from storage.opening.postgresql_database import PostgresqlDatabase  # a file needs none of it

    return PostgresqlDatabase(where, busy_timeout=busy_timeout)


def open_database(
    where: Path | str,
    *,
    create: bool = False,
    seed: int = 0,
    busy_timeout: float = BUSY_TIMEOUT,
    progress: creation.Progress | None = None,
) -> Database:
    """Open the database in a file, or at the address of a server.

    One with an older schema is migrated first, a file after it was copied. With ``create`` a missing one is made, with
    the local user, whose exploration draws depend on ``seed``; on a server it must be there, empty.
    ``progress(done, total, what)`` is called while an older one is migrated.

    Raises ``MissingDatabase``, ``NotADatabase``, ``UnknownSchema``, ``DatabaseDamaged``, ``DatabaseReadOnly`` (for an
    older schema, or if it may not be read), ``DatabaseBusy``, ``DiskFull``, and for an address ``WrongAddress``,
    ``NoDriver``, ``NoServer`` or ``NoRights``; then it is unchanged.
    """
    if isinstance(where, Path):
        return open_file(where, create=create, seed=seed, busy_timeout=busy_timeout, progress=progress)
    from storage.opening.postgresql_database import open_address  # a file needs none of it

    return open_address(where, create=create, seed=seed, busy_timeout=busy_timeout, progress=progress)


def create_on_server(address: str) -> bool:
    """Make iScore's tables in an empty database, and return whether it was empty. Raises as ``open_database`` does.

    One that has them stays as it is: it may serve several data folders.
    """
    try:
        open_database(address).close()
    except MissingDatabase:
        open_database(address, create=True).close()
        return True
    return False
