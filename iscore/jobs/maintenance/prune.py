"""``iscore prune``: what has become history leaves.

Texts leave. An article's row stays, so that its feed cannot bring it back as news; so do its features, so that
whatever was said of it can be learned again, and so does the text of what you judged, so that you may read it again and
take it along.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from iscore.core.data_folder import DataFolder
from iscore.core.settings import load_settings
from iscore.jobs.maintenance.errors import PruneError
from storage import pruning
from storage.database import Database, open_database


@dataclass(frozen=True, slots=True)
class PruneView:
    """What has left, or would."""

    before: datetime
    """Texts of articles that arrived earlier."""
    texts: int
    text_bytes: int
    kept: int
    """Texts as old that stay, of stories that were judged."""
    bytes_before: int
    """Of the database file and its log."""
    bytes_after: int


def prune_home(home: DataFolder, *, now: datetime, keep_days: int, dry_run: bool = False) -> PruneView:
    """Remove the texts of what arrived more than ``keep_days`` ago, and give their room back to the disk.

    Raises ``PruneError`` when articles that still wait for their reader would lose their texts; ``DataFolderError``,
    ``ConfigError``, ``StorageError``.
    """
    home.require()
    wait = load_settings(home.config).inbox_days
    if keep_days < wait:
        raise PruneError(f"articles wait in the inbox for {wait} days; keep their texts at least as long")
    with open_database(home.database) as database:
        return _pruned(home, database, now - timedelta(days=keep_days), dry_run)


def _pruned(home: DataFolder, database: Database, before: datetime, dry_run: bool) -> PruneView:
    with database.read() as tx:
        found = pruning.count(tx, before)
    size = _size(home)
    if not dry_run:
        removed = 1
        while removed:
            with database.write() as tx:
                removed = pruning.remove(tx, before)
        database.shrink()
    return PruneView(before, found.texts, found.bytes, found.kept, size, _size(home))


def _size(home: DataFolder) -> int:
    log = home.database.with_name(f"{home.database.name}-wal")
    return sum(path.stat().st_size for path in (home.database, log) if path.exists())
