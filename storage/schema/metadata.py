"""What all tables have in common."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Integer, MetaData
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import DDLCompiler
from sqlalchemy.sql.elements import ColumnElement

metadata = MetaData()

# SQLite counts up only in a column of exactly this type.
Number = BigInteger().with_variant(Integer(), "sqlite")


class NoBytes(ColumnElement[bytes]):
    """An empty string of bytes, as a default of a column."""

    inherit_cache = True


@compiles(NoBytes)
def _no_bytes(_element: NoBytes, compiler: DDLCompiler, **_: Any) -> str:
    return "x''" if compiler.dialect.name == "sqlite" else "''::bytea"
