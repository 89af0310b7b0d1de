"""The dialect of files, whose compiled statements all files share.

An engine compiles each statement once, which takes longer than most queries. SQLAlchemy looks a compiled statement up
by the engine's dialect, so a process that opens a file again, or another one, would compile everything again.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

URL = "sqlite+shared://"
"""Of an engine with this dialect."""

MAX_STATEMENTS = 1000
"""More than iScore has; statements for lists of any length could be without number."""


class SharedDialect(SQLiteDialect_pysqlite):
    """SQLite's own dialect, without arguments. One is as good as another, so all are equal."""

    supports_statement_cache = True

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))


class CompiledStatements(dict[Any, Any]):
    """Compiled statements; all are forgotten when they become too many."""

    def __setitem__(self, key: Any, compiled: Any) -> None:
        if len(self) >= MAX_STATEMENTS:
            self.clear()
        super().__setitem__(key, compiled)


COMPILED = CompiledStatements()
"""What this process has compiled for files: the execution option ``compiled_cache``."""

registry.register("sqlite.shared", __name__, SharedDialect.__name__)
