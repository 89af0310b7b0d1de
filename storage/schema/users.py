"""Tables of users: how they sign in, their subscriptions, and what was sent to them.

Secrets are stored as SHA-256.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Integer, Table, Text, UniqueConstraint, false

from storage.schema.column_types import Moment, Number, Words, metadata

users = Table(
    "users",
    metadata,
    Column("id", Number, primary_key=True),
    Column("name", Text, nullable=False),
    Column("seed", BigInteger, nullable=False),
    # Every story up to this article has a decision: the search for the others starts here.
    Column("decided_to", BigInteger, nullable=False),
    # The record of the last application of the user's rules, as JSON.
    Column("ruled_by", Text, nullable=False, server_default=""),
    # The last large change of the number of recommendations, as JSON.
    Column("last_change", Text, nullable=False, server_default=""),
    # The ids of the headlines that were shown last for a choice, as JSON.
    Column("headlines", Text, nullable=False, server_default=""),
    # The name without differences of case: no two users have the same.
    Column("name_key", Text, nullable=False, server_default=""),
    Column("role", Text, nullable=False, server_default="reader"),
    # Empty: that of the settings.
    Column("time_zone", Text, nullable=False, server_default=""),
    # By argon2; empty: none.
    Column("password", Text, nullable=False, server_default=""),
    Column("created", Moment),
    # Whether the filter may learn from what the user does while they read.
    Column("learns_from_reading", Boolean, nullable=False, server_default=false()),
    # From which the addresses of personal feeds are made; empty: there are none.
    Column("feeds_key", Text, nullable=False, server_default=""),
    # How the user's lists are shown, and which folders are open, as JSON.
    Column("list_views", Text, nullable=False, server_default=""),
    Index("users_name", "name_key", unique=True),
)

# What users write: feeds.yaml, rules.yaml, and the settings that are their own. With one user these are files.
documents = Table(
    "documents",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("text", Text, nullable=False),
    Column("changed", Moment, nullable=False),
    sqlite_with_rowid=False,
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
    # A value of Priority.
    Column("priority", Text, nullable=False, server_default="filtered"),
    Index("subscriptions_feed", "feed_id"),
    sqlite_with_rowid=False,
)

deliveries = Table(
    "deliveries",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("seq", ForeignKey("articles.seq"), primary_key=True),
    Column("digest", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("at", Moment, nullable=False),
    UniqueConstraint("user_id", "digest", "number", name="deliveries_number"),
    sqlite_with_rowid=False,
)

# The contents of digests, so that a digest never changes, though the scores of its articles do.
digests = Table(
    "digests",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("digest", Text, primary_key=True),
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
    Column("digest", Text, primary_key=True),
    Column("message_id", Text, nullable=False),
    Column("recipient", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    # Of the last change of state.
    Column("at", Moment, nullable=False),
    Column("next_attempt", Moment),
    Column("error", Text, nullable=False),
    Index("mailings_next", "next_attempt"),
    sqlite_with_rowid=False,
)

# Mails with a code, by which a user shows that an address is theirs. They are counted, so that nobody gets many.
mail_confirmations = Table(
    "mail_confirmations",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    # In lower case, its domain in ASCII.
    Column("address", Text, nullable=False),
    Column("asked", Moment, nullable=False),
    # When it is to be sent; empty: never, or never again.
    Column("due", Moment),
    # The digest of its code; empty: it is not sent yet, was refused, or its code was used.
    Column("key", Text, nullable=False),
    # Wrong codes that were entered.
    Column("wrong", Integer, nullable=False),
    Column("confirmed", Moment),
    Index("mail_confirmations_address", "address", "asked"),
    sqlite_with_rowid=False,
)

# What users removed from their feeds and rules, for as long as they can bring it back.
removals = Table(
    "removals",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    # Random, in the link that undoes it.
    Column("key", Text, primary_key=True),
    Column("at", Moment, nullable=False),
    # A value of RemovalKind.
    Column("kind", Text, nullable=False),
    # JSON.
    Column("content", Text, nullable=False),
    sqlite_with_rowid=False,
)

# Numbers of folders, for client apps that know folders by numbers.
folders = Table(
    "folders",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    # The tag of feeds that are in it.
    Column("name", Text, nullable=False),
    # Whether an app has made it, so that it stays when no feed is in it.
    Column("made", Boolean, nullable=False),
    sqlite_with_rowid=False,
)


sessions = Table(
    "sessions",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    # The digest of the session's id.
    Column("key", Text, primary_key=True),
    Column("created", Moment, nullable=False),
    Column("used", Moment, nullable=False),
    # What the browser calls itself.
    Column("agent", Text, nullable=False),
    UniqueConstraint("key", name="sessions_key"),
    sqlite_with_rowid=False,
)

invitations = Table(
    "invitations",
    metadata,
    # Who invites.
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    # The digest of the token in the link.
    Column("key", Text, primary_key=True),
    # Proposed to the guest.
    Column("name", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("created", Moment, nullable=False),
    UniqueConstraint("key", name="invitations_key"),
    sqlite_with_rowid=False,
)

app_passwords = Table(
    "app_passwords",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    # Of the app, as the user calls it.
    Column("name", Text, primary_key=True),
    # The digest of the password.
    Column("key", Text, nullable=False),
    Column("created", Moment, nullable=False),
    Column("used", Moment),
    # Values of AppOption that are switched on.
    Column("options", Words, nullable=False, server_default="[]"),
    # The digest of the key that the Fever API makes of name and password; empty for passwords of earlier versions.
    Column("fever_key", Text, nullable=False, server_default=""),
    Index("app_passwords_fever_key", "fever_key"),
    UniqueConstraint("key", name="app_passwords_key"),
    sqlite_with_rowid=False,
)

# Of nobody in particular: an attempt may name an account that does not exist.
login_attempts = Table(
    "login_attempts",
    metadata,
    # What ``web.security.passwords`` counts: by address, by account, or where somebody has signed in.
    Column("kind", Text, primary_key=True),
    # A digest with the server's secret, so that no address and no name can be read here.
    Column("key", Text, primary_key=True),
    Column("wrong", Integer, nullable=False),
    # Of the last attempt.
    Column("at", Moment, nullable=False),
    sqlite_with_rowid=False,
)

# Accounts at a provider of OpenID Connect with which users sign in.
identities = Table(
    "identities",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    # Address of the provider.
    Column("issuer", Text, primary_key=True),
    # The provider's own id of the account.
    Column("subject", Text, nullable=False),
    Column("created", Moment, nullable=False),
    UniqueConstraint("issuer", "subject", name="identities_subject"),
    sqlite_with_rowid=False,
)
