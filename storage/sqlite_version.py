"""Which SQLite this process uses, and whether it can damage a database."""

from __future__ import annotations

import sqlite3

VERSION: tuple[int, int, int] = sqlite3.sqlite_version_info


def has_wal_reset_bug(version: tuple[int, int, int] = VERSION) -> bool:
    """Tell whether this version has the WAL-reset bug.

    Two connections that write and check-point the write-ahead log at the same instant may leave the database damaged:
    a race that is met very rarely. From 3.7.0 to 3.51.2; corrected in 3.51.3, and in 3.44.6 and 3.50.7 for those who
    stay there (https://www.sqlite.org/wal.html#walresetbug). What a distribution corrected by itself, the number does
    not tell.
    """
    corrected = version >= (3, 51, 3) or (3, 50, 7) <= version < (3, 51, 0) or (3, 44, 6) <= version < (3, 45, 0)
    return version >= (3, 7, 0) and not corrected
