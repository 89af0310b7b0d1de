"""Many rows at once: the statement is built by SQLAlchemy, the rows go straight to the driver.

SQLAlchemy's own ``executemany`` looks at every value of every row (28 µs a row); this way a row costs what
the driver needs for it. So values must already be what the driver takes: ``storage.schema.columns`` converts times
and lists of words.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Dialect,
    Insert,
    Select,
    SelectBase,
    Table,
    TableValuedAlias,
    Update,
    bindparam,
    func,
    literal_column,
    select,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import UserDefinedType

from storage.engine.base_database import Transaction

CHUNK = 1000
"""Values in one condition: a range is read where most of this many neighbours are wanted."""


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
    """Cut a long list into pieces for ``among`` and ``near``."""
    rest = iter(values)
    while piece := list(islice(rest, CHUNK)):
        yield piece


def among(column: ColumnElement[int], numbers: Sequence[int]) -> ColumnElement[bool]:
    """Build the condition that a column has one of some numbers, which may be none.

    They are one parameter, an array or its JSON. With a parameter for each number the statement would be written and
    parsed anew for every number of numbers: for PostgreSQL a thousand took 14 ms of this process, and take 2.
    """
    return _Among(column, bindparam("numbers", list(numbers), unique=True, type_=_Array("BIGINT")))


def among_texts(column: ColumnElement[str], name: str) -> ColumnElement[bool]:
    """Build the condition that a column has one of some texts, which the parameter ``name`` gives as a list."""
    return _Among(column, bindparam(name, type_=_Array("TEXT")))


def among_few(column: ColumnElement[int], query: SelectBase) -> ColumnElement[bool]:
    """Build the condition that a column has one of the few numbers that a query selects.

    PostgreSQL does not know that they are few: it would read a whole table to join it with them.
    """
    return _AmongFew(column, query.scalar_subquery())


def near(column: Column[int], piece: Sequence[int]) -> ColumnElement[bool]:
    """Build the condition that a column has one of the numbers of a piece, of which there is at least one.

    If at least half of the numbers between the smallest and the largest are wanted, it is met by the others between
    them, too: reading a range costs a third of looking for each number, so passing over a few rows is cheaper.
    """
    first, last = min(piece), max(piece)
    return column.between(first, last) if last - first < 2 * len(piece) else among(column, piece)


def of_own(column: Column[int], numbers: Sequence[int]) -> ColumnElement[bool]:
    """Build the condition that a row of one user has one of some numbers, of which there is at least one.

    If they are many, it is met by all between the smallest and the largest: most of a user's rows are wanted then.
    """
    return column.between(min(numbers), max(numbers)) if len(numbers) > CHUNK else among(column, numbers)


def array_rows(values: Mapping[Column[Any], Sequence[Any]]) -> TableValuedAlias:
    """Build rows for PostgreSQL out of the values of each of their columns, which are one parameter a column.

    Names and types are those of the given columns.
    """
    arrays = [bindparam(None, each, type_=_Array(str(column.type))) for column, each in values.items()]
    names = [literal_column(column.name, column.type) for column in values]
    return func.unnest(*arrays).table_valued(*names).render_derived("new")


class _Array(UserDefinedType[Sequence[Any]]):
    """Values of a type as one parameter, written as PostgreSQL writes an array, or for SQLite as JSON.

    As text it goes through the driver two to four times as fast as a list does.
    """

    cache_ok = True
    render_bind_cast = True

    def __init__(self, items: str) -> None:
        self.items = items

    def get_col_spec(self, **_: Any) -> str:
        return f"{self.items}[]"

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], str]:
        return _array if dialect.name == "postgresql" else json.dumps


def _array(values: Sequence[Any]) -> str:
    if values and isinstance(values[0], str):
        values = ['"' + each.replace("\\", "\\\\").replace('"', '\\"') + '"' for each in values]
    return "{" + ",".join(map(str, values)) + "}"


def as_one_value(query: Select[Any]) -> Select[Any]:
    """Wrap a query for numbers so that the database writes them as one value, for ``numbers_of``.

    As rows, each costs a microsecond or two.
    """
    (column,) = query.subquery().c
    return select(_Joined(column))


def numbers_of(tx: Transaction, statement: Select[Any], parameters: Mapping[str, Any]) -> list[int]:
    """Return the numbers that a statement selects ``as_one_value``, ascending."""
    found = tx.connection.execute(statement, parameters).scalar_one()
    return sorted(map(int, found.split(","))) if found else []


class _Among(FunctionElement[bool]):
    """A column, and numbers or texts of which it has one.

    It has no type: a Boolean is written with ``= 1`` for SQLite, which then looks through the whole table.
    """

    inherit_cache = True


class _AmongFew(FunctionElement[bool]):
    """A column, and a query for numbers of which it has one; without a type, as above."""

    inherit_cache = True


class _Joined(FunctionElement[str | None]):
    """The numbers of a column as text, with commas between them, in no order; NULL without any."""

    inherit_cache = True


@compiles(_Joined, "postgresql")
def _string_agg(element: _Joined, compiler: SQLCompiler, **how: Any) -> str:
    return f"string_agg({compiler.process(element.clauses, **how)}::text, ',')"


@compiles(_Joined, "sqlite")
def _group_concat(element: _Joined, compiler: SQLCompiler, **how: Any) -> str:
    return f"group_concat({compiler.process(element.clauses, **how)})"


@compiles(_AmongFew, "postgresql")
def _among_selected_array(element: _AmongFew, compiler: SQLCompiler, **how: Any) -> str:
    column, query = (compiler.process(each, **how) for each in element.clauses)
    return f"{column} = ANY (ARRAY {query})"


@compiles(_AmongFew, "sqlite")
def _among_selected(element: _AmongFew, compiler: SQLCompiler, **how: Any) -> str:
    column, query = (compiler.process(each, **how) for each in element.clauses)
    return f"{column} IN {query}"


@compiles(_Among, "postgresql")
def _among_array(element: _Among, compiler: SQLCompiler, **how: Any) -> str:
    column, numbers = (compiler.process(each, **how) for each in element.clauses)
    return f"{column} = ANY ({numbers})"


@compiles(_Among, "sqlite")
def _among_json(element: _Among, compiler: SQLCompiler, **how: Any) -> str:
    column, numbers = (compiler.process(each, **how) for each in element.clauses)
    return f"{column} IN (SELECT value FROM json_each({numbers}))"  # noqa: S608 -- both are compiled
