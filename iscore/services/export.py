"""The lines of an export: one JSON object each, with ``kind`` first. The guide documents them.

iscore         what wrote the export, and when; always the first line
settings       config.toml as text
subscription   a feed that is followed
rule           one of the user's rules
article        what a verdict or a saved or labelled mark is about; comes before it
import         the origin of imported items; comes before them
verdict        a row of the log, in its order
mark           what is read, kept unread, saved or labelled
reading_event  what the user did while reading
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from iscore.feeds.subscriptions.editing import load
from iscore.rules import rules_file
from iscore.rules.rule import Rule
from iscore.services.session.user_session import UserContext
from storage.exchange import export as log
from storage.exchange.export import ArticleKey, LogRow, NamedArticle
from storage.log import imports
from storage.opening.database import Database
from storage.records.articles import Article
from storage.records.feeds import Subscription
from storage.records.reading_events import ReadingEvent
from storage.records.rules import Action
from storage.records.stories import Mark
from storage.records.users import Kind
from storage.stream import articles

FORMAT = 1
_PASSWORD = re.compile(
    r"""^[ \t]*["']?(mail_password|metrics_password|database)["']?[ \t]*=[ \t]*"""
    r"""(?:\"""(?s:.*?)\"""|'''(?s:.*?)'''|[^\n]*)[^\n]*(?:\n|\Z)""",
    re.MULTILINE,
)


def first_line(at: datetime) -> dict[str, Any]:
    """Return the line that identifies an export."""
    from iscore import __version__

    return {"kind": "iscore", "format": FORMAT, "made": at.isoformat(), "iscore": __version__}


def settings_line(text: str) -> dict[str, Any]:
    """Return the line of the settings, without the mail password and the address of the database."""
    return {"kind": "settings", "config": _PASSWORD.sub(r"# \1 was left out\n", text)}


def subscription_line(subscription: Subscription) -> dict[str, Any]:
    """Return the line of a subscription."""
    return {
        "kind": "subscription",
        "url": subscription.url,
        "title": subscription.title,
        "tags": subscription.tags,
        "interval": subscription.interval,
        "fulltext": subscription.fulltext,
        "enabled": subscription.enabled,
        "priority": subscription.priority.value,
    }


def rule_line(rule: Rule) -> dict[str, Any]:
    """Return the line of a rule."""
    return {
        "kind": "rule",
        "action": rule.action.value,
        "field": rule.field.value,
        "text": rule.text,
        "boost": rule.boost if rule.action is Action.BOOST else None,
        "in_title": rule.in_title,
        "until": rule.until and rule.until.isoformat(),
        "note": rule.note,
    }


def article_line(key: ArticleKey, article: Article) -> dict[str, Any]:
    """Return the line of an article."""
    return {
        "kind": "article",
        "feed": key.feed,
        "key": key.key,
        "source": article.source,
        "url": article.url,
        "title": article.title,
        "author": article.author,
        "categories": article.categories,
        "language": article.language,
        "published": article.published and article.published.isoformat(),
        "arrived": article.arrived.isoformat(),
        "links": article.links,
        "pictures": article.pictures,
        "text": article.text,
    }


def import_line(number: int, name: str, at: datetime) -> dict[str, Any]:
    """Return the line of an import of items liked elsewhere."""
    return {"kind": "import", "number": number, "name": name, "at": at.isoformat()}


def verdict_line(row: LogRow) -> dict[str, Any]:
    """Return the line of a row of the log."""
    line: dict[str, Any] = {
        "kind": "verdict",
        "id": row.id,
        "verdict": row.kind.value,
        "at": row.at.isoformat(),
        "feed": row.article.feed,
        "key": row.article.key,
        "tags": row.tags,
    }
    if row.kind is Kind.IMPORTED:
        line |= {"import": row.import_id, "form": row.form, "interest": row.interest, "weight": row.weight}
    return line


def mark_line(article: NamedArticle, mark: Mark) -> dict[str, Any]:
    """Return the line of the marks on a story."""
    return {
        "kind": "mark",
        **_named(article),
        "read_at": mark.read_at and mark.read_at.isoformat(),
        "kept_unread": mark.kept_unread,
        "saved_at": mark.saved_at and mark.saved_at.isoformat(),
        "labels": mark.labels,
    }


def reading_event_line(article: NamedArticle, event: ReadingEvent) -> dict[str, Any]:
    """Return the line of a reading event."""
    return {
        "kind": "reading_event",
        "id": event.id,
        **_named(article),
        "act": event.act.value,
        "at": event.at.isoformat(),
        "visit": event.visit,
        "seconds": event.seconds,
    }


def _named(article: NamedArticle) -> dict[str, str]:
    return {"feed": article.key.feed, "key": article.key.key, "url": article.url, "title": article.title}


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
    yield first_line(at)
    if context.personal_settings.exists():
        yield settings_line(context.personal_settings.read().decode("utf-8"))
    yield from map(subscription_line, load(context.feeds))
    yield from map(rule_line, rules_file.read(context.rules).rules)
    with database.read() as tx:
        for each in imports.list_imports(tx, user):
            yield import_line(each.id, each.name, each.at)
        rows = log.rows(tx, user)
        keys = {seq: row.article for seq, row in rows}
        marks = log.marked(tx, user)
        marked = log.names(tx, list(marks))
        keys |= {seq: marked[seq].key for seq, mark in marks.items() if mark.saved_at or mark.labels}
        seqs = list(keys)
        for start in range(0, len(seqs), BATCH):
            for article in articles.get(tx, seqs[start : start + BATCH]):
                yield article_line(keys[article.seq], article)
        yield from (verdict_line(row) for _, row in rows)
        yield from (mark_line(marked[seq], mark) for seq, mark in marks.items())
        events = list(log.read_events(tx, user))
        read = log.names(tx, list({seq for seq, _ in events}))
        yield from (reading_event_line(read[seq], event) for seq, event in events)
