"""``iscore prune``: removes the texts of old articles.

The article's row stays, so that its feed cannot deliver it again. Its features stay, so that verdicts can be learned
again. The texts of articles with a verdict stay, too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from iscore.core.data_folder import DataFolder
from iscore.core.errors import IscoreError
from iscore.services.news_filter import NewsFilter
from iscore.services.reading.pictures import PictureCache
from storage.opening.database import Database, open_database
from storage.stories import pruning


class PruneError(IscoreError):
    """``iscore prune`` would remove too much."""


@dataclass(frozen=True, slots=True)
class PruneView:
    """What was or would be removed."""

    before: datetime
    """Articles that arrived before this lost their texts."""
    texts: int
    text_bytes: int
    kept: int
    """Old texts that stay, of stories with a verdict."""
    bytes_before: int
    """Of the database file and its write-ahead log."""
    bytes_after: int
    picture_bytes: int = 0
    """Of cached pictures that were or would be deleted."""


def prune_folder(
    folder: DataFolder, *, now: datetime, keep_days: int, dry_run: bool = False, pictures: bool = False
) -> PruneView:
    """Remove the texts of articles that arrived more than ``keep_days`` ago, and shrink the database.

    ``pictures``: delete the cached pictures, too.
    Raises ``PruneError`` when articles in the inbox would lose their texts; ``DataFolderError``,
    ``ConfigError``, ``StorageError``.
    """
    folder.require()
    with NewsFilter.open(folder.path, clock=lambda: now) as news:
        inbox_days = max(each.settings.inbox_days for each in news.people.contexts())
    if keep_days < inbox_days:
        raise PruneError(f"articles stay in the inbox for {inbox_days} days; keep their texts at least as long")
    with open_database(folder.database_place) as database:
        view = _prune(database, now - timedelta(days=keep_days), dry_run)
    cache = PictureCache(folder.pictures)
    removed = (cache.size() if dry_run else cache.purge()) if pictures else 0
    return replace(view, picture_bytes=removed)


def _prune(database: Database, before: datetime, dry_run: bool) -> PruneView:
    with database.read() as tx:
        found = pruning.count(tx, before)
    size = database.size()
    if not dry_run:
        removed = 1
        while removed:
            with database.write() as tx:
                removed = pruning.remove(tx, before)
        database.shrink()
    return PruneView(before, found.texts, found.bytes, found.kept, size, database.size())
