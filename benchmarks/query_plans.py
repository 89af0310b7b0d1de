"""How a PostgreSQL server would execute the statements of the program: each is explained just before it is executed.

    with observed() as plans:
        ...                                # the program works
    found = plans.scans({"articles", …})   # which of them read a whole table of these

Statements that differ in their values only are explained once.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine

_VERBS = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")
_LIST = re.compile(r"\((?:%\(\w+\)s(?:::\w+)?(?:, )?)+\)")
_NUMBER = re.compile(r"_\d+\b|\d+")
_WHOLE = ("Index Scan", "Index Only Scan", "Bitmap Index Scan")


@dataclass(frozen=True, slots=True)
class Scan:
    """A statement that reads a whole table."""

    during: str
    """What the program did."""
    table: str
    how: str
    cost: float
    """Of the whole statement, in the server's unit: about one page that is read."""
    statement: str


@dataclass
class Plans:
    """The statements and their plans."""

    during: str = ""
    """What the program is doing."""
    found: dict[str, tuple[str, str, dict[str, Any]]] = field(default_factory=dict)
    """By form: what the program did, the statement, its plan."""

    def scans(self, tables: Collection[str]) -> list[Scan]:
        """List what reads one of ``tables`` from end to end; the costliest statement first."""
        scans = [
            Scan(during, table, how, plan["Total Cost"], statement)
            for during, statement, plan in self.found.values()
            for table, how in _whole(plan)
            if table in tables
        ]
        return sorted(scans, key=lambda each: -each.cost)

    def explain(self, cursor: Any, statement: str, parameters: Any) -> None:
        """Explain a statement, unless one of its form was."""
        form = _NUMBER.sub("#", _LIST.sub("(…)", statement))
        if not statement.lstrip("( \n").upper().startswith(_VERBS) or form in self.found:
            return
        with cursor.connection.cursor() as other:
            other.execute(f"EXPLAIN (FORMAT JSON) {statement}", parameters, prepare=False)
            plan = other.fetchone()[0][0]["Plan"]
        self.found[form] = (self.during, statement, plan)


@contextmanager
def observed() -> Iterator[Plans]:
    """Explain every statement that is executed while the block runs."""
    plans = Plans()

    def before(_connection: Any, cursor: Any, statement: str, parameters: Any, _context: Any, many: bool) -> None:
        plans.explain(cursor, statement, parameters[0] if many else parameters)

    event.listen(Engine, "before_cursor_execute", before)
    try:
        yield plans
    finally:
        event.remove(Engine, "before_cursor_execute", before)


def _whole(plan: dict[str, Any], *, limited: bool = False) -> Iterator[tuple[str, str]]:
    """Yield the tables that a plan reads from end to end, and how.

    An index that is read in its order until there is enough, below a LIMIT, is not read to its end.
    """
    kind = plan["Node Type"]
    if kind == "Seq Scan":
        yield plan["Relation Name"], "sequential scan"
    elif kind in _WHOLE and "Index Cond" not in plan and not limited:
        yield plan.get("Relation Name", ""), f"whole index {plan['Index Name']}"
    stops = kind in ("Sort", "Hash", "Aggregate", "HashAggregate", "Materialize")
    for below in plan.get("Plans", ()):
        yield from _whole(below, limited=kind == "Limit" or (limited and not stops))
