"""The tables. ``storage/records/`` describes their fields.

Personal tables have ``user_id`` first in their key. Facts (articles, features, bases, decisions, rounds, feedback …)
are written once; caches (current_scores, rule_outcomes, effective_verdicts, snapshots, icons, robots,
work, ``users.decided_to``) can be made again from them.
"""

from __future__ import annotations

from storage.schema.column_types import metadata
from storage.schema.connections import connections, remote_items, remote_tags
from storage.schema.decisions import current_scores, decisions, late_deliveries, rounds, rule_changes, rule_outcomes
from storage.schema.feedback import (
    arrived_items,
    changes,
    effective_verdicts,
    feedback,
    import_marks,
    imported_items,
    imports,
    labels,
    marks,
    reading_events,
    reading_sums,
    snapshots,
)
from storage.schema.stream import (
    articles,
    bases,
    contents,
    feature_sets,
    features,
    feeds,
    hub_subscriptions,
    icons,
    meanings,
    pushed_documents,
    robots,
    texts,
)
from storage.schema.users import (
    app_passwords,
    deliveries,
    digests,
    documents,
    folders,
    identities,
    invitations,
    login_attempts,
    mail_confirmations,
    mailings,
    removals,
    sessions,
    subscriptions,
    users,
)
from storage.schema.work import host_pauses, work

REVISIONS = ("1000", "1001", "1002", "1003", "1004", "1005", "1006", "1007")
"""Every schema there has been, oldest first; the names of the files in ``migrations/versions``."""

APPLICATION_ID = 0x69536372
"""Marks a SQLite file as iScore's ("iScr"); see ``PRAGMA application_id``."""

__all__ = [
    "APPLICATION_ID",
    "REVISIONS",
    "app_passwords",
    "arrived_items",
    "articles",
    "bases",
    "changes",
    "connections",
    "contents",
    "current_scores",
    "decisions",
    "deliveries",
    "digests",
    "documents",
    "effective_verdicts",
    "feature_sets",
    "features",
    "feedback",
    "feeds",
    "folders",
    "host_pauses",
    "hub_subscriptions",
    "icons",
    "identities",
    "import_marks",
    "imported_items",
    "imports",
    "invitations",
    "labels",
    "late_deliveries",
    "login_attempts",
    "mail_confirmations",
    "mailings",
    "marks",
    "meanings",
    "metadata",
    "pushed_documents",
    "reading_events",
    "reading_sums",
    "remote_items",
    "remote_tags",
    "removals",
    "robots",
    "rounds",
    "rule_changes",
    "rule_outcomes",
    "sessions",
    "snapshots",
    "subscriptions",
    "texts",
    "users",
    "work",
]
