"""What can be seen of a home without its database: rights, files, room, and the SQLite that will read it."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from shlex import quote

from iscore.core.data_folder import DataFolder
from iscore.core.errors import IscoreError
from iscore.core.file_permissions import open_to_others
from iscore.core.settings import load_settings
from iscore.feeds.subscriptions.editing import load
from iscore.jobs.maintenance.check import Check, attention, broken, ok
from iscore.rules import rules_file
from storage.diagnostics import VERSION, has_wal_reset_bug

LEAST_ROOM = 50_000_000
"""Bytes; a poll of many feeds writes some of them."""
ABANDONED = 3600
"""Seconds after which an unfinished file is nobody's any more."""

NAMED = 5
"""Files that are named."""

_UNFINISHED = ("*.unfinished-*", ".*.restored-*", ".feeds.yaml.*", ".rules.yaml.*", ".config.toml.*")


def permissions(home: DataFolder) -> Check:
    """Whether the owner may write everything, and nobody else may read it."""
    files = [path for path in (home.path, home.database, home.feeds, home.rules, home.config) if path.exists()]
    closed = [path.name or str(path) for path in files if not os.access(path, os.R_OK | os.W_OK)]
    if closed:
        return broken("permissions", f"you may not read and write {', '.join(closed)}", f"chown -R $USER {home.path}")
    if not open_to_others(home.path):
        return ok("permissions", "yours alone")  # whatever the rights of the files in it
    found = [path.name for path in sorted(home.path.iterdir()) if path.is_file() and open_to_others(path)]
    more = f" and {len(found) - NAMED:,} more" if len(found) > NAMED else ""
    told = f"others may read {', '.join(found[:NAMED])}{more}" if found else "others may see which files are there"
    return attention("permissions", told, f"chmod 700 {quote(str(home.path))}")


def settings(home: DataFolder) -> Check:
    """Whether ``config.toml`` and the environment can be used."""
    try:
        with warnings.catch_warnings(record=True, category=DeprecationWarning) as deprecated:
            load_settings(home.config)
    except IscoreError as error:
        return broken("settings", str(error), f"correct it in {home.config}")
    if deprecated:
        return attention("settings", str(deprecated[0].message), "remove that line")
    return ok("settings", "config.toml is in order" if home.config.exists() else "all as delivered")


def subscriptions(home: DataFolder) -> Check:
    """Whether ``feeds.yaml`` can be used."""
    try:
        feeds = load(home.feeds)
    except IscoreError as error:
        return broken("subscriptions", str(error), "correct that line; nothing is polled before")
    if not feeds:
        return attention("subscriptions", "you follow no feed", "iscore feeds add URL")
    return ok("subscriptions", f"{len(feeds):,} in feeds.yaml")


def rules(home: DataFolder) -> Check:
    """Whether ``rules.yaml`` can be used."""
    try:
        found = rules_file.read(home.rules).rules
    except IscoreError as error:
        return broken("rules", str(error), "correct that line; nothing new is judged before")
    return ok("rules", f"{len(found):,} in rules.yaml" if found else "none")


def sqlite() -> Check:
    """Whether this SQLite has the bug that may damage a database in write-ahead logging."""
    version = ".".join(map(str, VERSION))
    if has_wal_reset_bug():
        return attention(
            "sqlite",
            f"{version} has the WAL-reset bug: very rarely, two writers at the same instant damage a database",
            "use a Python with SQLite 3.51.3 or newer when there is one for you; until then make backups",
        )
    return ok("sqlite", version)


def disk(home: DataFolder) -> Check:
    """Whether there is room for the next polls, and for a copy."""
    free = shutil.disk_usage(home.path).free
    size = home.database.stat().st_size if home.database.exists() else 0
    found = f"{free / 1e6:,.0f} MB free, the database has {size / 1e6:,.1f} MB"
    if free < LEAST_ROOM:
        return broken("disk", found, "make room; nothing can be fetched or said when the disk is full")
    if free < LEAST_ROOM + 2 * size:
        return attention("disk", found, "make room: a backup and `iscore prune` need space for a copy or two")
    return ok("disk", found)


def leftovers(home: DataFolder, now: datetime) -> Check:
    """Whether interrupted commands have left something behind."""
    left = sorted(path.name for path in _abandoned(home.path, now))
    if left:
        return attention("leftovers", f"interrupted commands have left {', '.join(left)}", "delete them")
    return ok("leftovers", "none")


def _abandoned(folder: Path, now: datetime) -> Iterator[Path]:
    for pattern in _UNFINISHED:
        for path in folder.glob(pattern):
            if now.timestamp() - path.stat().st_mtime > ABANDONED:
                yield path
