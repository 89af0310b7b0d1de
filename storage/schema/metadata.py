"""What all tables have in common."""

from __future__ import annotations

from sqlalchemy import BigInteger, Integer, MetaData

metadata = MetaData()

# SQLite counts up only in a column of exactly this type.
Number = BigInteger().with_variant(Integer(), "sqlite")
