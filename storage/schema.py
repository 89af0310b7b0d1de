"""The tables. ``storage/records/`` describes their fields.

Personal tables have ``user_id`` first in their key. Facts (articles, features, bases, decisions, feedback, deliveries)
are written once; caches (standings, rulings, seen, snapshots, robots, ``users.judged_to``) can be made again from them.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from storage.columns import Moment, Numbers, Words

REVISIONS = ("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008", "0009", "0010", "0011", "0012")
"""Every schema there has been, oldest first; the names of the files in ``migrations/versions``."""

APPLICATION_ID = 0x69536372
"""Marks a SQLite file as iScore's ("iScr"); see ``PRAGMA application_id``."""

metadata = MetaData()

# SQLite counts up only in a column of exactly this type.
Number = BigInteger().with_variant(Integer(), "sqlite")

users = Table(
    "users",
    metadata,
    Column("id", Number, primary_key=True),
    Column("name", Text, nullable=False),
    Column("seed", BigInteger, nullable=False),
    # Every story up to this article has a decision: the search for the others starts here.
    Column("judged_to", BigInteger, nullable=False),
    # The record of the last application of the user's rules, as JSON.
    Column("ruled_by", Text, nullable=False, server_default=""),
    # The last large change of the number of recommendations, as JSON.
    Column("last_change", Text, nullable=False, server_default=""),
    # The ids of the headlines that were shown last for a choice, as JSON.
    Column("headlines", Text, nullable=False, server_default=""),
)

feeds = Table(
    "feeds",
    metadata,
    Column("id", Number, primary_key=True),
    Column("url", Text, nullable=False),
    # What readers see: the title, or the address without its password.
    Column("name", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("site_url", Text, nullable=False),
    Column("etag", Text),
    Column("last_modified", Text),
    Column("body_hash", LargeBinary),
    Column("items_seen", LargeBinary, nullable=False),
    Column("next_due", Moment),
    Column("last_attempt", Moment),
    Column("last_success", Moment),
    Column("last_change", Moment),
    Column("failures", Integer, nullable=False),
    Column("error", Text, nullable=False),
    Column("gone_since", Moment),
    Column("moved_to", Text, nullable=False),
    Column("moved_since", Moment),
    Column("ttl_minutes", Integer),
    Column("skip_hours", Numbers, nullable=False),
    Column("skip_days", Numbers, nullable=False),
    # Until then one process has the feed in its hands.
    Column("lease_until", Moment),
    UniqueConstraint("url", name="feeds_url"),
)

subscriptions = Table(
    "subscriptions",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("feed_id", ForeignKey("feeds.id"), primary_key=True),
    # As the user wrote it: the feed may have moved since.
    Column("url", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("tags", Words, nullable=False),
    Column("interval", Integer),
    Column("fulltext", Boolean, nullable=False),
    Column("enabled", Boolean, nullable=False),
    Column("position", Integer, nullable=False),
    Index("subscriptions_feed", "feed_id"),
    sqlite_with_rowid=False,
)

articles = Table(
    "articles",
    metadata,
    Column("seq", Number, primary_key=True),
    Column("id", Text, nullable=False),
    Column("feed_id", ForeignKey("feeds.id"), nullable=False),
    Column("key", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("site", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("author", Text, nullable=False),
    Column("categories", Words, nullable=False),
    Column("language", Text, nullable=False),
    Column("published", Moment),
    Column("arrived", Moment, nullable=False),
    Column("links", Integer, nullable=False),
    Column("pictures", Integer, nullable=False),
    Column("content_hash", LargeBinary, nullable=False),
    # 0: in no story, since it is an imported item that no feed delivered.
    Column("story", BigInteger),
    # Too old to be news when it arrived.
    Column("archive", Boolean, nullable=False, server_default=text("0")),
    UniqueConstraint("id", name="articles_id"),
    UniqueConstraint("feed_id", "key", name="articles_key"),
    # Finds the members of a story, and what has not been assessed (no story yet) in order of arrival.
    Index("articles_story", "story"),
    sqlite_autoincrement=True,
)

# A cache.
robots = Table(
    "robots",
    metadata,
    # Scheme, host and port.
    Column("site", Text, primary_key=True),
    Column("fetched", Moment, nullable=False),
    Column("body", LargeBinary, nullable=False),
)

# Apart from the articles, so that their rows stay small and a text can be removed when it is old.
texts = Table(
    "texts",
    metadata,
    Column("seq", ForeignKey("articles.seq"), primary_key=True),
    Column("text", Text, nullable=False),
)

feature_sets = Table(
    "feature_sets",
    metadata,
    Column("id", Number, primary_key=True),
    Column("names", Words, nullable=False),
    UniqueConstraint("names", name="feature_sets_names"),
)

# All that learning needs, which never changes: an article may be edited after its verdict was learned.
features = Table(
    "features",
    metadata,
    Column("seq", ForeignKey("articles.seq"), primary_key=True),
    Column("story", BigInteger, nullable=False),
    Column("simhash", BigInteger, nullable=False),
    Column("arrived", Moment, nullable=False),
    Column("id", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("site", Text, nullable=False),
    Column("author", Text, nullable=False),
    Column("categories", Words, nullable=False),
    Column("language", Text, nullable=False),
    Column("published", Moment),
    Column("set_id", ForeignKey("feature_sets.id"), nullable=False),
    Column("values", LargeBinary, nullable=False),
    Column("terms", LargeBinary, nullable=False),
    Column("pairs", LargeBinary, nullable=False, server_default=text("x''")),  # what arrived before 0002 has none
)

# Each is learned from the articles up to `sequence`, once for all users.
bases = Table(
    "bases",
    metadata,
    Column("number", Number, primary_key=True),
    # How many articles had been ingested.
    Column("articles", BigInteger, nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("state", LargeBinary, nullable=False),
)

decisions = Table(
    "decisions",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("seq", ForeignKey("articles.seq"), primary_key=True),
    Column("score", Float, nullable=False),
    Column("threshold", Float, nullable=False),
    Column("interesting", Boolean, nullable=False),
    Column("explore", Boolean, nullable=False),
    Column("probability", Float, nullable=False),
    Column("at", Moment, nullable=False),
    Column("margin", Float),
    Column("vote", Float),
    Index("decisions_at", "user_id", "at", "interesting", "explore"),
    sqlite_with_rowid=False,
)

# Stories that were delivered after their first decision had hidden them. Facts, as first decisions are.
late_deliveries = Table(
    "late_deliveries",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("seq", ForeignKey("articles.seq"), primary_key=True),
    Column("score", Float, nullable=False),
    Column("threshold", Float, nullable=False),
    Column("interesting", Boolean, nullable=False),
    Column("explore", Boolean, nullable=False),
    Column("at", Moment, nullable=False),
    Column("margin", Float, nullable=False),
    Index("late_deliveries_at", "user_id", "at"),
    sqlite_with_rowid=False,
)

# `explore`, `arrived` and `archive` repeat the decision's and the article's, so that the inbox is found in this small
# table alone. Stories that are archive have a standing and no decision.
standings = Table(
    "standings",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("seq", ForeignKey("articles.seq"), primary_key=True),
    Column("score", Float, nullable=False),
    Column("threshold", Float, nullable=False),
    Column("interesting", Boolean, nullable=False),
    Column("explore", Boolean, nullable=False),
    Column("arrived", Moment, nullable=False),
    Column("archive", Boolean, nullable=False, server_default=text("0")),
    Index("standings_arrived", "user_id", "arrived"),
    sqlite_with_rowid=False,
)

# What the user's rules do with stories; those that no rule matches have no row. A cache: rules may change.
rulings = Table(
    "rulings",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("seq", ForeignKey("articles.seq"), primary_key=True),
    Column("action", Text, nullable=False),
    # Log-odds that are added to the score.
    Column("boost", Float, nullable=False),
    # The rules that matched, in words.
    Column("rules", Words, nullable=False),
    sqlite_with_rowid=False,
)

feedback = Table(
    "feedback",
    metadata,
    Column("row", Number, primary_key=True),
    Column("user_id", ForeignKey("users.id"), nullable=False),
    Column("id", Text, nullable=False),
    Column("seq", ForeignKey("articles.seq"), nullable=False),
    Column("story", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("at", Moment, nullable=False),
    # Those on the story's feed at that moment: learning must not change when tags do.
    Column("tags", Words, nullable=False, server_default="[]"),
    # Per user, so that users' ids cannot collide.
    UniqueConstraint("user_id", "id", name="feedback_id"),
    Index("feedback_story", "user_id", "story", "row"),
    sqlite_autoincrement=True,
)

# The effective log: the last row of the log for each story, unless that row is an undo. Also stories that are
# imported items: their row is the item's.
seen = Table(
    "seen",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("story", BigInteger, primary_key=True),
    Column("row", ForeignKey("feedback.row"), nullable=False),
    Column("kind", Text, nullable=False),
    Index("seen_row", "user_id", "row"),
    sqlite_with_rowid=False,
)

# A user's imports of what they liked elsewhere.
imports = Table(
    "imports",
    metadata,
    Column("id", Number, primary_key=True),
    Column("user_id", ForeignKey("users.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("at", Moment, nullable=False),
    sqlite_autoincrement=True,
)

# For each row of the log that is an imported item: its import, how much was known of it, and what it is an example of.
seeds = Table(
    "seeds",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("row", ForeignKey("feedback.row"), primary_key=True),
    Column("import_id", ForeignKey("imports.id"), nullable=False),
    Column("form", Text, nullable=False),
    Column("interest", Text, nullable=False, server_default="imported"),
    # How much it teaches; a verdict on a delivered article has weight 1.
    Column("weight", Float, nullable=False, server_default=text("1.0")),
    Index("seeds_import", "import_id"),
    sqlite_with_rowid=False,
)

snapshots = Table(
    "snapshots",
    metadata,
    Column("id", Number, primary_key=True),
    Column("user_id", ForeignKey("users.id")),
    Column("sequence", BigInteger, nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("state", LargeBinary, nullable=False),
    UniqueConstraint("user_id", "sequence", "fingerprint", name="snapshots_place"),
)

deliveries = Table(
    "deliveries",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("seq", ForeignKey("articles.seq"), primary_key=True),
    Column("edition", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("at", Moment, nullable=False),
    UniqueConstraint("user_id", "edition", "number", name="deliveries_number"),
    sqlite_with_rowid=False,
)

# The contents of digests, so that a digest never changes, though the scores of its articles do.
editions = Table(
    "editions",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("edition", Text, primary_key=True),
    Column("at", Moment, nullable=False),
    # JSON.
    Column("content", Text, nullable=False),
    sqlite_with_rowid=False,
)

# The mail of digests: a row is written before the mail is sent, so that none is sent twice.
mailings = Table(
    "mailings",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("edition", Text, primary_key=True),
    Column("message_id", Text, nullable=False),
    Column("recipient", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    # Of the last change of state.
    Column("at", Moment, nullable=False),
    Column("next_attempt", Moment),
    Column("error", Text, nullable=False),
    sqlite_with_rowid=False,
)
