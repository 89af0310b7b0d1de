"""A user's data as lines of JSON: settings, feeds, rules, verdicts with their articles, marks, reading events."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from iscore.feeds.subscriptions.editing import load
from iscore.rules import rules_file
from iscore.services.export import export_format
from iscore.services.session.user_context import UserContext
from storage.exchange import export as exported
from storage.log import imports
from storage.opening.database import Database
from storage.stream import articles

BATCH = 500
"""Articles in memory at a time."""
_NON_ASCII = re.compile(r"[^ -~]")


def export_lines(database: Database, context: UserContext, at: datetime) -> Iterator[tuple[str, bytes]]:
    """Return kind and text of each line. Raises ``SubscriptionsError``, ``RulesError``, ``StorageError``."""
    for line in _lines(database, context, at):
        yield line["kind"], _encoded(line)


def _encoded(line: dict[str, Any]) -> bytes:
    """Encode a line. Unprintable characters are escaped: no terminal obeys them, no program splits the line there."""
    text = json.dumps(line, ensure_ascii=False).encode("utf-8", "replace").decode()
    if not text.isprintable():
        text = _NON_ASCII.sub(lambda found: found[0] if found[0].isprintable() else json.dumps(found[0])[1:-1], text)
    return text.encode() + b"\n"


def _lines(database: Database, context: UserContext, at: datetime) -> Iterator[dict[str, Any]]:
    user = context.user_id
    yield export_format.first_line(at)
    if context.personal_settings.exists():
        yield export_format.settings_line(context.personal_settings.read().decode("utf-8"))
    yield from map(export_format.subscription_line, load(context.feeds))
    yield from map(export_format.rule_line, rules_file.read(context.rules).rules)
    with database.read() as tx:
        for each in imports.list_imports(tx, user):
            yield export_format.import_line(each.id, each.name, each.at)
        rows = exported.rows(tx, user)
        keys = {seq: row.article for seq, row in rows}
        marks = exported.marked(tx, user)
        marked = exported.names(tx, list(marks))
        keys |= {seq: marked[seq].key for seq, mark in marks.items() if mark.saved_at or mark.labels}
        seqs = list(keys)
        for start in range(0, len(seqs), BATCH):
            for article in articles.get(tx, seqs[start : start + BATCH]):
                yield export_format.article_line(keys[article.seq], article)
        yield from (export_format.verdict_line(row) for _, row in rows)
        yield from (export_format.mark_line(marked[seq], mark) for seq, mark in marks.items())
        events = list(exported.read_events(tx, user))
        read = exported.names(tx, list({seq for seq, _ in events}))
        yield from (export_format.reading_event_line(read[seq], event) for seq, event in events)
