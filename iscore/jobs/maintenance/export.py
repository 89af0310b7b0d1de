"""``iscore export``: the user's data as JSON Lines."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO

from iscore.core.data_folder import DataFolder
from iscore.core.errors import IscoreError, os_problem
from iscore.jobs.maintenance.archive import EXISTS, give_name, sync_folder
from iscore.services.export import export_lines
from iscore.services.news_filter import NewsFilter


class ExportError(IscoreError):
    """An export cannot be written or read. ``line`` counts from 1; None means the whole file."""

    def __init__(self, place: str, problem: str, *, line: int | None = None) -> None:
        super().__init__(f"{place}:{line}: {problem}" if line is not None else f"{place}: {problem}")
        self.line = line


@dataclass(frozen=True, slots=True)
class ExportView:
    """What was written."""

    subscriptions: int
    verdicts: int
    """Rows of the log, including undone verdicts, skips and imported items."""
    articles: int
    rules: int = 0
    marks: int = 0
    """Stories with marks: read, kept unread, saved, labels."""
    reading_events: int = 0


def export(folder: DataFolder, out: IO[bytes], *, at: datetime, user: str = "") -> ExportView:
    """Write all that is a user's, by default the first one's; see ``iscore.services.export``.

    Raises ``DataFolderError``, ``UnknownUserError``, ``SubscriptionsError``, ``RulesError``, ``StorageError``.
    """
    counts: dict[str, int] = {}
    with NewsFilter.open(folder.path, user=user) as news:
        for kind, line in export_lines(news.database, news.context, at):
            counts[kind] = counts.get(kind, 0) + 1
            out.write(line)
    kinds = ("subscription", "verdict", "article", "rule", "mark", "reading_event")
    return ExportView(*(counts.get(kind, 0) for kind in kinds))


def export_to_file(
    folder: DataFolder, file: Path, *, at: datetime, user: str = "", replace: bool = False
) -> ExportView:
    """Write the export atomically into a file that only its owner may read.

    Raises ``ExportError`` when the file exists, unless ``replace``.
    """
    if file.exists() and not replace:
        raise ExportError(str(file), EXISTS)
    unfinished: Path | None = None
    try:
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        unfinished = Path(name)
        with os.fdopen(handle, "wb") as out:
            view = export(folder, out, at=at, user=user)
            out.flush()
            os.fsync(out.fileno())
        give_name(unfinished, file, replace=replace)
        sync_folder(file.parent)
    except FileExistsError as error:
        raise ExportError(str(file), EXISTS) from error
    except OSError as error:
        raise ExportError(str(file), f"cannot be written: {os_problem(error)}") from error
    finally:
        if unfinished is not None:
            unfinished.unlink(missing_ok=True)
    return view
