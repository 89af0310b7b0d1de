"""How answers of a PostgreSQL server come."""

from __future__ import annotations

from typing import Any

import psycopg


class BinaryCursor(psycopg.Cursor[Any]):  # type: ignore[misc]  # mypy skips what is optional
    """Gets values as they are. Written as text, bytes take twice the room, and numbers are read again."""

    def execute(self, query: Any, params: Any = None, **how: Any) -> Any:
        """Execute a statement. Several at once, which have no parameters, are answered as text."""
        return super().execute(query, params, binary=params is not None, **how)
