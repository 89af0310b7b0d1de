"""The result of a check; checks of the data folder without its database: permissions, files, disk space, SQLite."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from shlex import quote

from iscore.core.data_folder import DataFolder
from iscore.core.documents import Document
from iscore.core.errors import IscoreError
from iscore.core.file_access import is_open_to_others
from iscore.core.settings import load_settings
from iscore.feeds.subscriptions.feeds_yaml import read
from iscore.rules import rules_file
from storage.opening.diagnostics import VERSION, has_wal_reset_bug


class State(StrEnum):
    """How serious a result is."""

    OK = "ok"
    ATTENTION = "attention"
    """It works, but needs attention."""
    BROKEN = "broken"
    """Something does not work, or may be lost."""


@dataclass(frozen=True, slots=True)
class Check:
    """One line of ``iscore doctor``."""

    name: str
    state: State
    found: str
    """One line."""
    next: str = ""
    """What to do; may be empty."""


@dataclass(frozen=True, slots=True)
class CheckupView:
    """All checks, and the most serious state."""

    state: State
    checks: tuple[Check, ...]


def ok(name: str, found: str) -> Check:
    """Return a check without a problem."""
    return Check(name, State.OK, found)


def attention(name: str, found: str, next_: str) -> Check:
    """Return a check that needs attention."""
    return Check(name, State.ATTENTION, found, next_)


def broken(name: str, found: str, next_: str) -> Check:
    """Return a check that failed."""
    return Check(name, State.BROKEN, found, next_)


LEAST_SPACE = 50_000_000
"""Bytes; a poll of many feeds needs some of them."""
ABANDONED = 3600
"""Seconds after which an unfinished file is abandoned."""

LISTED = 5
"""Files that are listed."""

_REPLACED = ("feeds.yaml", "rules.yaml", "config.toml", "serve.json", "connections.json")
_UNFINISHED = ("*.unfinished-*", ".*.restored-*", *(f".{name}.*" for name in _REPLACED))


def permissions(folder: DataFolder) -> Check:
    """Check that the user may write everything, and nobody else may read it."""
    paths = (folder.path, folder.database, folder.feeds, folder.rules, folder.config)
    files = [path for path in paths if path.exists()]
    closed = [path for path in files if not os.access(path, os.R_OK | os.W_OK)]
    if closed:
        mine = os.name == "posix" and all(path.stat().st_uid == os.geteuid() for path in closed)
        remedy = f"chmod u+rwX {' '.join(quote(str(path)) for path in closed)}"
        names = ", ".join(path.name or str(path) for path in closed)
        return broken(
            "permissions", f"you cannot read and write {names}", remedy if mine else f"chown -R $USER {folder.path}"
        )
    if not is_open_to_others(folder.path):
        return ok("permissions", "private")  # whatever the permissions of its files
    found = [path.name for path in sorted(folder.path.iterdir()) if path.is_file() and is_open_to_others(path)]
    more = f" and {len(found) - LISTED:,} more" if len(found) > LISTED else ""
    problem = f"other users can read {', '.join(found[:LISTED])}{more}" if found else "other users can list its files"
    return attention("permissions", problem, f"chmod 700 {quote(str(folder.path))}")


def settings(folder: DataFolder, personal: Document | None = None) -> Check:
    """Check ``config.toml`` and the environment, and with several users the settings of one."""
    try:
        load_settings(folder.config, personal)
    except IscoreError as error:
        return broken("settings", str(error), f"correct it in {folder.config}" if personal is None else "correct it")
    return ok("settings", "config.toml is valid" if folder.config.exists() else "all defaults")


def subscriptions(feeds: Document) -> Check:
    """Check somebody's ``feeds.yaml``."""
    try:
        file = read(feeds)
    except IscoreError as error:
        return broken("subscriptions", str(error), "correct that line; until then nothing is polled")
    if not file.feeds:
        return attention("subscriptions", "you follow no feeds", "iscore feeds add URL")
    if warnings := file.warnings():
        return attention("subscriptions", "; ".join(warnings[:3]), "remove what is listed twice")
    return ok("subscriptions", f"{len(file.feeds):,} in feeds.yaml")


def rules(document: Document) -> Check:
    """Check somebody's ``rules.yaml``."""
    try:
        found = rules_file.read(document).rules
    except IscoreError as error:
        return broken("rules", str(error), "correct that line; until then no new article is scored")
    return ok("rules", f"{len(found):,} in rules.yaml" if found else "none")


def sqlite() -> Check:
    """Report the version of SQLite: one with a rare bug is no reason to worry, since few can choose another."""
    version = ".".join(map(str, VERSION))
    if has_wal_reset_bug():
        return ok(
            "sqlite", f"{version}; make a backup now and then, since versions before 3.51.3 can very rarely lose data"
        )
    return ok("sqlite", version)


def disk(folder: DataFolder) -> Check:
    """Check that there is space for the next polls, and for a copy."""
    free = shutil.disk_usage(folder.path).free
    size = folder.database.stat().st_size if folder.database.exists() else 0
    found = f"{free / 1e6:,.0f} MB free"
    if not folder.database_address:
        found += f", the database has {size / 1e6:,.1f} MB"
    if free < LEAST_SPACE:
        return broken("disk", found, "free some space; nothing can be saved on a full disk")
    if free < LEAST_SPACE + 2 * size:
        return attention(
            "disk", found, "free some space: `iscore backup` and `iscore prune` need up to two copies of the database"
        )
    return ok("disk", found)


def leftovers(folder: DataFolder, now: datetime) -> Check:
    """Check for files that interrupted commands left."""
    left = sorted(path.name for path in _abandoned(folder.path, now))
    if left:
        return attention("leftovers", f"interrupted commands left {', '.join(left)}", "delete them")
    return ok("leftovers", "none")


def _abandoned(folder: Path, now: datetime) -> Iterator[Path]:
    for pattern in _UNFINISHED:
        for path in folder.glob(pattern):
            if now.timestamp() - path.stat().st_mtime > ABANDONED:
                yield path
