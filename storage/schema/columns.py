"""What all tables have in common, and column types for times and lists.

A time is a count of microseconds since 1970 in UTC: exact, sortable, the same in every database, and cheap to convert.
A list is JSON text.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, TypeVar, cast

from sqlalchemy import BigInteger, Dialect, Integer, MetaData
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import DDLCompiler
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.types import UserDefinedType

metadata = MetaData()

# SQLite counts up only in a column of exactly this type.
Number = BigInteger().with_variant(Integer(), "sqlite")

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Items = TypeVar("Items", tuple[str, ...], tuple[int, ...])


def microseconds(moment: datetime) -> int:
    """Turn an aware time into its column value; a naive one is a ``TypeError``."""
    since = moment - EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def microseconds_or_none(moment: datetime | None) -> int | None:
    """The same for a time that may be missing."""
    return None if moment is None else microseconds(moment)


def moment_or_none(value: int | None) -> datetime | None:
    """Turn a column value back into an aware time in UTC; None stays None."""
    return None if value is None else EPOCH + timedelta(microseconds=value)


@lru_cache(maxsize=4096)  # the same few lists of categories come again and again
def to_json(items: tuple[str, ...] | tuple[int, ...]) -> str:
    """Turn a tuple of words or of whole numbers into its column value."""
    return json.dumps(items, ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=4096)
def from_json(text: str) -> tuple[Any, ...]:
    """Turn a column value back into the tuple that it was."""
    return tuple(json.loads(text))


class Moment(UserDefinedType[datetime]):
    """A column of aware times in UTC, to the microsecond."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        """The type in SQL."""
        return "BIGINT"

    def bind_processor(self, _dialect: Dialect) -> Callable[[datetime | None], int | None]:
        """Bind processor."""
        return microseconds_or_none

    def result_processor(self, _dialect: Dialect, _type: object) -> Callable[[Any], datetime | None]:
        """Result processor."""
        return moment_or_none


class _List(UserDefinedType[Items]):
    def get_col_spec(self, **_: Any) -> str:
        """The type in SQL."""
        return "TEXT"

    def bind_processor(self, _dialect: Dialect) -> Callable[[Any], str]:
        """Bind processor."""
        return to_json

    def result_processor(self, _dialect: Dialect, _type: object) -> Callable[[Any], Items]:
        """Result processor."""
        return cast(Callable[[Any], Items], from_json)


class Words(_List[tuple[str, ...]]):
    """A column of lists of words, which may be empty but never missing."""

    cache_ok = True


class Numbers(_List[tuple[int, ...]]):
    """A column of lists of whole numbers, which may be empty but never missing."""

    cache_ok = True


class NoBytes(ColumnElement[bytes]):
    """An empty string of bytes, as a default of a column."""

    inherit_cache = True


@compiles(NoBytes)
def _no_bytes(_element: NoBytes, compiler: DDLCompiler, **_: Any) -> str:
    return "x''" if compiler.dialect.name == "sqlite" else "''::bytea"
