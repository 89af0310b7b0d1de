"""Exports for tests: write one, read its lines, import it."""

import io
import json
from datetime import timedelta
from typing import Any

from iscore.core.data_folder import DataFolder
from iscore.jobs.maintenance.export import export
from iscore.jobs.maintenance.import_export import ImportView, import_lines
from tests.iscore.conftest import START

LATER = START + timedelta(days=1)


def exported(home: DataFolder) -> bytes:
    out = io.BytesIO()
    export(home, out, at=LATER)
    return out.getvalue()


def imported(home: DataFolder, content: bytes) -> ImportView:
    return import_lines(home, io.BytesIO(content), "export.jsonl")


def lines(content: bytes, kind: str) -> list[dict[str, Any]]:
    return [row for row in map(json.loads, content.splitlines()) if row["kind"] == kind]


def all_articles(tx: Any) -> list[Any]:
    from storage.stream import articles

    return articles.get(tx, range(1, articles.last_seq(tx) + 1))
