"""Numbers of a user's folders: tags of feeds have none, but some client apps know folders by nothing else.

A number stays when a folder is renamed.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import delete, func, insert, select, update

from storage.engine.base_database import Transaction
from storage.records.feeds import Folder
from storage.schema import folders

FIRST = 2
"""The number of the first folder; 1 is left for feeds without a folder."""


def list_folders(tx: Transaction, user_id: int) -> list[Folder]:
    """List a user's folders in the order of their numbers."""
    query = select(folders.c.number, folders.c.name, folders.c.made).where(folders.c.user_id == user_id)
    return [Folder(*row) for row in tx.connection.execute(query.order_by(folders.c.number))]


def add(tx: Transaction, user_id: int, name: str, *, made: bool) -> int:
    """Add a folder and return its number. ``made``: it stays when no feed is in it."""
    last = tx.connection.execute(select(func.max(folders.c.number)).where(folders.c.user_id == user_id)).scalar_one()
    number = max(FIRST, (last or 0) + 1)
    tx.connection.execute(insert(folders).values(user_id=user_id, number=number, name=name, made=made))
    return number


def rename(tx: Transaction, user_id: int, number: int, name: str) -> None:
    """Give a folder another name."""
    mine = folders.c.user_id == user_id, folders.c.number == number
    tx.connection.execute(update(folders).where(*mine).values(name=name))


def remove(tx: Transaction, user_id: int, numbers: Collection[int]) -> None:
    """Remove folders."""
    tx.connection.execute(delete(folders).where(folders.c.user_id == user_id, folders.c.number.in_(numbers)))
