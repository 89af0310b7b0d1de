"""Many rows at once: the statement is built by SQLAlchemy, the rows go straight to the driver.

SQLAlchemy's own ``executemany`` looks at every value of every row (28 µs a row); this way a row costs what
the driver needs for it. So values must already be what the driver takes: ``storage.columns`` converts times
and lists of words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from operator import itemgetter
from typing import Any

from sqlalchemy import Column, ColumnElement, Dialect, Insert, Table, Update
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler

from storage.transaction import Transaction

CHUNK = 1000
"""Values in one IN (…) list; databases limit the number of parameters."""


class Bulk:
    """One statement, to be run for many rows.

    A row is a tuple: the values of ``columns``, which the statement inserts or sets, then those of
    ``others``, its named parameters.
    """

    def __init__(self, statement: Insert | Update, columns: Sequence[str] = (), others: Sequence[str] = ()) -> None:
        self._statement = statement
        self._columns = list(columns) or None
        self._parameters = (*columns, *others)
        self._sql: dict[str, tuple[str, tuple[int, ...]]] = {}

    def run(self, tx: Transaction, rows: Sequence[tuple[Any, ...]]) -> None:
        """Execute the statement once for each of ``rows``, which may be none."""
        if not rows:
            return
        sql, order = self._compiled(tx)
        if order != tuple(range(len(self._parameters))):
            rows = list(map(itemgetter(*order), rows))
        tx.connection.exec_driver_sql(sql, list(rows))

    def _compiled(self, tx: Transaction) -> tuple[str, tuple[int, ...]]:
        dialect = tx.connection.dialect
        if dialect.name not in self._sql:
            compiled = self._statement.compile(dialect=_by_position(dialect), column_keys=self._columns)
            names = compiled.positiontup or []
            self._sql[dialect.name] = str(compiled), tuple(map(self._parameters.index, names))
        return self._sql[dialect.name]


def insert_new(table: Table) -> Insert:
    """Build an INSERT that passes over rows whose primary key is there already."""
    return _InsertNew(table).inline()  # nothing comes back, so that it ends as below


class _InsertNew(Insert):
    """``ON CONFLICT DO NOTHING``, which SQLite and PostgreSQL write in the same way."""

    inherit_cache = True


@compiles(_InsertNew)
def _insert_new(insert: _InsertNew, compiler: SQLCompiler, **how: Any) -> str:
    assert isinstance(insert.table, Table)  # noqa: S101 -- made above
    key = ", ".join(compiler.preparer.quote(each.name) for each in insert.table.primary_key)
    statement = compiler.visit_insert(insert, **how)  # type: ignore[no-untyped-call]
    return f"{statement} ON CONFLICT ({key}) DO NOTHING"


def _by_position(dialect: Dialect) -> Dialect:
    """Return a dialect that gives parameters by their places, as rows have them."""
    if dialect.positional:
        return dialect
    make: Callable[..., Dialect] = type(dialect)
    return make(paramstyle="format")


def chunks(values: Sequence[int]) -> Iterator[list[int]]:
    """Cut a long list into pieces that fit an IN (…)."""
    rest = iter(values)
    while piece := list(islice(rest, CHUNK)):
        yield piece


def near(column: Column[int], piece: Sequence[int]) -> ColumnElement[bool]:
    """Build the condition that a column has one of the numbers of a piece, of which there is at least one.

    If at least half of the numbers between the smallest and the largest are wanted, it is met by the others between
    them, too: reading a range costs a third of looking for each number, so passing over a few rows is cheaper.
    """
    first, last = min(piece), max(piece)
    return column.between(first, last) if last - first < 2 * len(piece) else column.in_(piece)
