"""The tables. ``storage/records/`` describes their fields.

Personal tables have ``user_id`` first in their key. Facts (articles, features, bases, decisions, rounds, feedback …)
are written once; caches (standings, rulings, seen, snapshots, robots, work, ``users.judged_to``) can be made again from
them.
"""

from __future__ import annotations

from storage.schema.accounts import app_passwords, identities, invitations, login_attempts, sessions
from storage.schema.connections import connections, remote_items, remote_tags
from storage.schema.decisions import decisions, late_deliveries, rounds, rule_changes, rulings, standings
from storage.schema.feedback import arrived_items, feedback, import_marks, imports, seeds, seen, snapshots
from storage.schema.hubs import hub_subscriptions, pushed_documents
from storage.schema.marks import changes, labels, marks
from storage.schema.metadata import metadata
from storage.schema.people import deliveries, documents, editions, folders, mailings, removals, subscriptions, users
from storage.schema.reading_events import reading_events, reading_sums
from storage.schema.stream import articles, bases, contents, feature_sets, features, feeds, robots, texts
from storage.schema.work import host_pauses, work

REVISIONS = (
    "0001",
    "0002",
    "0003",
    "0004",
    "0005",
    "0006",
    "0007",
    "0008",
    "0009",
    "0010",
    "0011",
    "0012",
    "0013",
    "0014",
    "0015",
    "0016",
    "0017",
    "0018",
    "0019",
    "0020",
    "0021",
    "0022",
    "0023",
    "0024",
    "0025",
    "0026",
    "0027",
    "0028",
    "0029",
    "0030",
    "0031",
    "0032",
    "0033",
    "0034",
    "0035",
    "0036",
)
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
    "decisions",
    "deliveries",
    "documents",
    "editions",
    "feature_sets",
    "features",
    "feedback",
    "feeds",
    "folders",
    "host_pauses",
    "hub_subscriptions",
    "identities",
    "import_marks",
    "imports",
    "invitations",
    "labels",
    "late_deliveries",
    "login_attempts",
    "mailings",
    "marks",
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
    "rulings",
    "seeds",
    "seen",
    "sessions",
    "snapshots",
    "standings",
    "subscriptions",
    "texts",
    "users",
    "work",
]
