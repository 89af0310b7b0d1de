"""How a user's lists are shown, remembered for each list; and which folders are open in the navigation."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from iscore.services.session.user_session import UserSession
from storage.people import users

MOST = 200
"""Lists, and open folders, that are remembered: those that were changed last."""


class ListViews:
    """One user's choices. A list is known by its path, its state is the query of its address."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._user_id = session.context.user_id
        self._cache = session.cache

    def state(self, path: str) -> str:
        """Return the state of a list; empty if the user has changed nothing."""
        return str(self._stored()["states"].get(path, ""))

    def open_folders(self) -> frozenset[str]:
        """Return the names of the folders that are open."""
        return frozenset(self._stored()["open"])

    def remember(self, path: str, state: str) -> None:
        """Remember the state of a list."""

        def change(stored: dict[str, Any]) -> None:
            stored["states"].pop(path, None)
            if state:
                stored["states"] = dict([*stored["states"].items(), (path, state)][-MOST:])

        self._change(change)

    def fold(self, folder: str, *, is_open: bool) -> None:
        """Open or close a folder."""

        def change(stored: dict[str, Any]) -> None:
            others = [each for each in stored["open"] if each != folder]
            stored["open"] = [*others, folder][-MOST:] if is_open else others

        self._change(change)

    def _stored(self) -> dict[str, Any]:
        def read() -> dict[str, Any]:
            with self._database.read() as tx:
                return _parsed(users.list_views(tx, self._user_id))

        return self._cache.get("list views", read, marks=False)

    def _change(self, change: Callable[[dict[str, Any]], None]) -> None:
        with self._database.write(self._user_id) as tx:
            stored = _parsed(users.list_views(tx, self._user_id))
            change(stored)
            users.set_list_views(tx, self._user_id, json.dumps(stored))


def _parsed(text: str) -> dict[str, Any]:
    return {"states": {}, "open": []} | (json.loads(text) if text else {})
