"""``iscore export``: everything personal, as lines of JSON that any program can read."""

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
from iscore.feeds.subscriptions.editing import load
from iscore.jobs.maintenance import export_format
from iscore.jobs.maintenance.errors import ExportError
from iscore.jobs.maintenance.export_format_rules import rule_line
from iscore.jobs.maintenance.file_replacement import TAKEN, give_name, settle
from iscore.rules import rules_file
from storage import articles, imports
from storage import export as log
from storage.database import Database, open_database
from storage.records import LOCAL_USER

BATCH = 500
"""Articles in memory at a time."""
_BEYOND_ASCII = re.compile(r"[^ -~]")


@dataclass(frozen=True, slots=True)
class ExportView:
    """What was written."""

    subscriptions: int
    verdicts: int
    """Rows of the log: undone ones, skips and seeds included."""
    articles: int
    rules: int = 0


def export(home: DataFolder, out: IO[bytes], *, at: datetime) -> ExportView:
    """Write settings, subscriptions, rules, and the log of verdicts with the articles it is about.

    Raises ``DataFolderError``, ``SubscriptionsError``, ``RulesError``, ``StorageError``.
    """
    home.require()
    counts: dict[str, int] = {}
    with open_database(home.database) as database:
        for row in _rows(home, database, at):
            counts[row["kind"]] = counts.get(row["kind"], 0) + 1
            out.write(_written(row))
    return ExportView(*(counts.get(kind, 0) for kind in ("subscription", "verdict", "article", "rule")))


def _written(row: dict[str, Any]) -> bytes:
    """Write a line. What cannot be seen stands as an escape: no terminal obeys it, no program cuts the line there."""
    text = json.dumps(row, ensure_ascii=False).encode("utf-8", "replace").decode()
    if not text.isprintable():
        text = _BEYOND_ASCII.sub(lambda found: found[0] if found[0].isprintable() else json.dumps(found[0])[1:-1], text)
    return text.encode() + b"\n"


def export_to_file(home: DataFolder, file: Path, *, at: datetime, replace: bool = False) -> ExportView:
    """Write the export into a file that only its owner may read, and that is there when it is whole.

    Raises ``ExportError`` when there is such a file already, unless ``replace``.
    """
    if file.exists() and not replace:
        raise ExportError(str(file), TAKEN)
    unfinished: Path | None = None
    try:
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        unfinished = Path(name)
        with os.fdopen(handle, "wb") as out:
            view = export(home, out, at=at)
            out.flush()
            os.fsync(out.fileno())
        give_name(unfinished, file, replace=replace)
        settle(file.parent)
    except FileExistsError as error:
        raise ExportError(str(file), TAKEN) from error
    except OSError as error:
        raise ExportError(str(file), f"cannot be written: {error.strerror or error}") from error
    finally:
        if unfinished is not None:
            unfinished.unlink(missing_ok=True)
    return view


def _rows(home: DataFolder, database: Database, at: datetime) -> Iterator[dict[str, Any]]:
    from iscore import __version__

    yield {"kind": "iscore", "format": export_format.FORMAT, "made": at.isoformat(), "iscore": __version__}
    if home.config.exists():
        yield export_format.settings_line(home.config.read_text(encoding="utf-8"))
    yield from (export_format.subscription_line(wish) for wish in load(home.feeds))
    yield from (rule_line(rule) for rule in rules_file.read(home.rules).rules)
    with database.read() as tx:
        for brought in imports.list_imports(tx, LOCAL_USER):
            yield export_format.import_line(brought.id, brought.name, brought.at)
        rows = log.rows(tx, LOCAL_USER)
        places = {seq: said.place for seq, said in rows}
        seqs = list(places)
        for start in range(0, len(seqs), BATCH):
            for article in articles.get(tx, seqs[start : start + BATCH]):
                yield export_format.article_line(
                    export_format.PortableArticle(
                        place=places[article.seq],
                        source=article.source,
                        url=article.url,
                        title=article.title,
                        author=article.author,
                        categories=article.categories,
                        language=article.language,
                        published=article.published,
                        arrived=article.arrived,
                        text=article.text,
                        links=article.links,
                        pictures=article.pictures,
                    )
                )
        yield from (export_format.verdict_line(said) for _, said in rows)
