"""Tables of what arrives, which all users share: feeds and their hubs, articles, their features."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
)

from storage.schema.column_types import Moment, NoBytes, Number, Numbers, Words, metadata

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
    # Until then one process has claimed the feed.
    Column("lease_until", Moment),
    # Address of its icon, or empty.
    Column("icon", Text, nullable=False, server_default=""),
    # Of `url`. Nobody asks a host while another does.
    Column("host", Text, nullable=False, server_default=""),
    # A digest of the user and password in `url`; empty without.
    Column("login", Text, nullable=False, server_default=""),
    # By the database's clock. None: before 0035.
    Column("added", Moment),
    UniqueConstraint("url", name="feeds_url"),
    Index("feeds_host", "host"),
)

# One for all who follow a feed. A row without a picture says that its site had none when it was asked.
icons = Table(
    "icons",
    metadata,
    Column("feed_id", ForeignKey("feeds.id"), primary_key=True),
    Column("asked", Moment, nullable=False),
    # The secret part of its address, another one for each other picture; empty without.
    Column("key", Text, nullable=False),
    # PNG, or empty.
    Column("picture", LargeBinary, nullable=False),
    Index("icons_key", "key"),
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
    Column("archive", Boolean, nullable=False, server_default=false()),
    # `records.articles.dated`: lists by time are ordered by it.
    Column("dated", Moment, nullable=False, server_default=text("0")),
    UniqueConstraint("id", name="articles_id"),
    UniqueConstraint("feed_id", "key", name="articles_key"),
    # Finds the members of a story, and what has not been assessed (no story yet) in order of arrival.
    Index("articles_story", "story"),
    # Finds the newest articles of a feed, and has all that unread counts read: after each commit SQLite reads the pages
    # of a table again.
    Index("articles_feed", "feed_id", "seq", "story", "arrived", "archive"),
    Index("articles_dated", "feed_id", "dated", "seq"),
    sqlite_autoincrement=True,
)

# Apart from the articles, so that their rows stay small and a text can be removed when it is old.
texts = Table(
    "texts",
    metadata,
    Column("seq", ForeignKey("articles.seq"), primary_key=True),
    Column("text", Text, nullable=False),
)

# Likewise. An article without anything but its text has no row.
contents = Table(
    "contents",
    metadata,
    Column("seq", ForeignKey("articles.seq"), primary_key=True),
    # zlib (RFC 1950) of UTF-8, or empty.
    Column("html", LargeBinary, nullable=False),
    # JSON: [[address, media type, bytes or null], …].
    Column("enclosures", Text, nullable=False),
    Column("thumbnail", Text, nullable=False),
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
    Column("pairs", LargeBinary, nullable=False, server_default=NoBytes()),  # what arrived before 0002 has none
)

# Apart from the features, since an encoder may come later and be replaced by another; empty without one.
meanings = Table(
    "meanings",
    metadata,
    Column("seq", ForeignKey("articles.seq"), primary_key=True),
    # Name and version of the encoder.
    Column("encoder", Text, nullable=False),
    Column("vector", LargeBinary, nullable=False),
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


# A row for each feed that names a hub, unless the feed is private.
hub_subscriptions = Table(
    "hub_subscriptions",
    metadata,
    Column("feed_id", ForeignKey("feeds.id"), primary_key=True, autoincrement=False),
    # Address of the hub.
    Column("hub", Text, nullable=False),
    # The feed's address, as the hub knows it.
    Column("topic", Text, nullable=False),
    # Where the feed was fetched: relative links are resolved against it.
    Column("base", Text, nullable=False),
    # The secret part of the callback address.
    Column("key", Text, nullable=False),
    # With which the hub signs what it pushes.
    Column("secret", Text, nullable=False),
    # The callback address that the hub was given last; empty before it is asked.
    Column("callback", Text, nullable=False),
    # Whether the subscription is to end.
    Column("ending", Boolean, nullable=False),
    # When the hub was asked last.
    Column("asked", Moment),
    # Empty until the hub has agreed.
    Column("lease_until", Moment),
    # When the hub is asked again.
    Column("next_attempt", Moment),
    # Requests since the hub has agreed last.
    Column("failures", Integer, nullable=False),
    Column("error", Text, nullable=False),
    # When contents came last that could be read.
    Column("pushed", Moment),
    # When a poll found what the hub had not pushed; empty again when it pushes.
    Column("missed", Moment),
    UniqueConstraint("key", name="hub_subscriptions_key"),
    Index("hub_subscriptions_due", "next_attempt"),
    sqlite_with_rowid=False,
)

# What hubs have pushed, until the next poll reads it.
pushed_documents = Table(
    "pushed_documents",
    metadata,
    Column("id", Number, primary_key=True),
    Column("feed_id", ForeignKey("feeds.id"), nullable=False),
    Column("at", Moment, nullable=False),
    Column("content_type", Text, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Index("pushed_documents_feed", "feed_id"),
)
