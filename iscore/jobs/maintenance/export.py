"""``iscore export``: the user's data as JSON Lines."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from iscore.core.data_folder import DataFolder
from iscore.core.errors import os_problem
from iscore.feeds.subscriptions.editing import load
from iscore.jobs.maintenance import export_format
from iscore.jobs.maintenance.errors import ExportError
from iscore.jobs.maintenance.file_replacement import EXISTS, give_name, sync_folder
from iscore.rules import rules_file
from iscore.services.news_filter import NewsFilter
from storage import articles, imports
from storage import export as log

BATCH = 500
"""Articles in memory at a time."""
_NON_ASCII = re.compile(r"[^ -~]")


@dataclass(frozen=True, slots=True)
class ExportView:
    """What was written."""

    subscriptions: int
    verdicts: int
    """Rows of the log, including undone verdicts, skips and imported items."""
    articles: int
    rules: int = 0


def export(folder: DataFolder, out: IO[bytes], *, at: datetime, user: str = "") -> ExportView:
    """Write settings, subscriptions, rules, and the log of verdicts with its articles: a user's, or the first user's.

    Raises ``DataFolderError``, ``UnknownUserError``, ``SubscriptionsError``, ``RulesError``, ``StorageError``.
    """
    counts: dict[str, int] = {}
    with NewsFilter.open(folder.path, user=user) as news:
        for line in _lines(news, at):
            counts[line["kind"]] = counts.get(line["kind"], 0) + 1
            out.write(_encoded(line))
    return ExportView(*(counts.get(kind, 0) for kind in ("subscription", "verdict", "article", "rule")))


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


def _encoded(line: dict[str, Any]) -> bytes:
    """Encode a line. Unprintable characters are escaped: no terminal obeys them, no program splits the line there."""
    text = json.dumps(line, ensure_ascii=False).encode("utf-8", "replace").decode()
    if not text.isprintable():
        text = _NON_ASCII.sub(lambda found: found[0] if found[0].isprintable() else json.dumps(found[0])[1:-1], text)
    return text.encode() + b"\n"


def _lines(news: NewsFilter, at: datetime) -> Iterator[dict[str, Any]]:
    context, user = news.context, news.context.user_id
    yield export_format.first_line(at)
    if context.personal_settings.exists():
        yield export_format.settings_line(context.personal_settings.read().decode("utf-8"))
    yield from map(export_format.subscription_line, load(context.feeds))
    yield from map(export_format.rule_line, rules_file.read(context.rules).rules)
    with news.database.read() as tx:
        for each in imports.list_imports(tx, user):
            yield export_format.import_line(each.id, each.name, each.at)
        rows = log.rows(tx, user)
        keys = {seq: row.article for seq, row in rows}
        seqs = list(keys)
        for start in range(0, len(seqs), BATCH):
            for article in articles.get(tx, seqs[start : start + BATCH]):
                yield export_format.article_line(keys[article.seq], article)
        yield from (export_format.verdict_line(row) for _, row in rows)
