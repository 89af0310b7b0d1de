"""What the database holds, as plain frozen values. Nothing here knows SQL.

Times are aware and in UTC. ``seq`` is the order of arrival: 1, 2, 3 … over all articles, never reused.
Personal records carry ``user_id``. ``None`` means "not known" or "never", an empty string "none given".
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

LOCAL_USER = 1
"""The one user of a private installation."""


class Kind(StrEnum):
    """What a row of the feedback log says."""

    LIKE = "like"
    DISLIKE = "dislike"
    SKIP = "skip"
    """Seen, no opinion: leaves the inbox and teaches nothing."""
    UNDO = "undo"
    """Takes back whatever this reader said of the story before."""
    SEED = "seed"
    """Liked elsewhere, before or beside iScore: teaches, but is no verdict on anything that was delivered."""


@dataclass(frozen=True, slots=True)
class User:
    """A person. ``seed`` decides their exploration draws."""

    id: int
    name: str
    seed: int


@dataclass(frozen=True, slots=True)
class Subscription:
    """One person's wish to follow one feed, as it stands in their feeds.yaml."""

    url: str
    title: str = ""
    tags: tuple[str, ...] = ()
    interval: int | None = None
    """Seconds between polls that the person asks for; None is the default interval."""
    fulltext: bool = False
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class Feed:
    """One address that is polled, for all its subscribers at once, and the state that a polite poller keeps
    of it.
    """

    id: int
    url: str
    title: str
    """The feed's own title, or empty before the first success."""
    site_url: str
    interval: int | None
    """The smallest interval its subscribers ask for, in seconds."""
    fulltext: bool
    etag: str | None
    """Byte for byte as received (latin-1)."""
    last_modified: str | None
    body_hash: bytes | None
    """SHA-256 of the last body that was parsed."""
    items_seen: bytes
    """The 8-byte hashes of the last document's raw items, one after the other."""
    next_due: datetime | None
    """None: never polled."""
    last_attempt: datetime | None
    last_success: datetime | None
    last_change: datetime | None
    failures: int
    """Failed attempts since the last success."""
    error: str
    """Why the last attempt failed, readable; empty after a success."""
    gone_since: datetime | None
    """First of an unbroken row of 410 answers."""
    moved_to: str
    """Target of an unbroken row of permanent redirects; empty if none."""
    moved_since: datetime | None
    ttl_minutes: int | None
    """How long the last document that was parsed says it stays fresh; None when not said."""
    skip_hours: tuple[int, ...]
    """Hours of the day, UTC, 0 to 23, in which it asks not to be polled."""
    skip_days: tuple[int, ...]
    """Days of the week on which it asks not to be polled, Monday is 0."""


@dataclass(frozen=True, slots=True)
class NewArticle:
    """One entry of a feed, cleaned and ready to be stored."""

    key: str
    """The entry's identity within its feed."""
    url: str
    title: str
    author: str
    categories: tuple[str, ...]
    text: str
    language: str
    published: datetime | None
    links: int
    pictures: int
    content_hash: bytes
    """16 bytes over everything above as the feed had it; tells whether a known entry has changed. The text may since
    have become that of the article's page."""


@dataclass(frozen=True, slots=True)
class FetchRecord:
    """What one attempt to fetch one feed changes: its feed row's new state, and the entries found."""

    feed: Feed
    """The complete new state of the row."""
    articles: tuple[NewArticle, ...]
    at: datetime
    """Arrival time of the new articles."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What ``feeds.record`` did for one feed."""

    added: int
    updated: int


@dataclass(frozen=True, slots=True)
class Article:
    """An article as stored. It satisfies ``extractors.document.Document``."""

    seq: int
    id: str
    """Public id: short, lower-case letters and digits, stable."""
    feed_id: int
    source: str
    """The title of its feed (the feed's own, else its address)."""
    url: str
    site: str
    title: str
    author: str
    categories: tuple[str, ...]
    text: str
    language: str
    published: datetime | None
    arrived: datetime
    links: int
    pictures: int
    story: int | None
    """``seq`` of the first article of its story (itself, mostly); None before it has been assessed; 0 for a seed, which
    came through no feed and is in no story."""

    @property
    def tags(self) -> tuple[str, ...]:
        """Always empty: an article is everybody's, tags are one person's. ``Arrived`` has them."""
        return ()


@dataclass(frozen=True, slots=True)
class Features:
    """An article's document and stream features, frozen at arrival."""

    seq: int
    story: int
    simhash: int
    """64 bits, signed."""
    names: tuple[str, ...]
    """Names of the values; stored once per distinct set, not per article."""
    values: bytes
    """float64, little-endian, one per name; NaN is missing."""
    terms: bytes
    """``extractors.terms.TermVector.to_bytes``."""
    pairs: bytes
    """Buckets of its different pairs of neighbouring terms, ascending; int32, little-endian."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """What learning needs of a stored article for one person: metadata and frozen features, without the text.

    It satisfies ``extractors.document.Metadata``.
    """

    seq: int
    id: str
    story: int
    url: str
    source: str
    site: str
    author: str
    categories: tuple[str, ...]
    language: str
    published: datetime | None
    arrived: datetime
    names: tuple[str, ...]
    values: bytes
    terms: bytes
    pairs: bytes
    """Empty for what arrived before pairs were kept."""
    tags: tuple[str, ...]
    """The person's own on its feed, as they are now; empty when they do not follow it. All else is frozen."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about an article for a person when it was first judged. A fact: never changed."""

    user_id: int
    seq: int
    score: float
    """Log-odds; 0 is neutral."""
    threshold: float
    interesting: bool
    """Score at or above threshold."""
    explore: bool
    """Delivered although it was not interesting, to learn about what is held back."""
    probability: float
    """Chance with which it was delivered; 1.0 for what is interesting, the drawing probability for all
    others.
    """
    at: datetime


@dataclass(frozen=True, slots=True)
class Standing:
    """What the newest model thinks of an article that the person has not seen yet. A cache: re-scored as one
    learns.
    """

    seq: int
    score: float
    threshold: float
    interesting: bool


class Action(StrEnum):
    """What a person's own rule does with a story."""

    ALWAYS = "always"
    """Shows it, whatever its score."""
    NEVER = "never"
    """Holds it back, whatever its score; stronger than ``ALWAYS``."""
    BOOST = "boost"
    """Raises or lowers its score."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a person's own rules say of a story. A cache: rules change."""

    seq: int
    action: Action
    """The strongest of the rules that speak of it: never, always, boost."""
    boost: float
    """Log-odds that they add to its score, whatever the action."""
    rules: tuple[str, ...]
    """The rules that decided or moved it, in words."""


@dataclass(frozen=True, slots=True)
class InboxRow:
    """One undecided article with its standing, as the inbox lists it."""

    article: Article
    """Its ``text`` is cut to the first 600 characters."""
    standing: Standing
    """As the person's rules make it: the score with their boost, interesting or not as they say."""
    explore: bool
    sources: tuple[str, ...]
    """Titles of all feeds that carried the story so far, the article's own first."""
    ruling: Ruling | None = None
    """What the person's own rules say of it; None when they do not speak of it."""


@dataclass(frozen=True, slots=True)
class Carried:
    """One article of a story, as rules by source and tag look at it."""

    story: int
    feed_id: int
    names: tuple[str, ...]
    """By which a person may call its source: the feed's title, their own for it, the article's site, the feed's."""
    tags: tuple[str, ...]
    """The person's own on the feed."""


@dataclass(frozen=True, slots=True)
class Ruled:
    """What rules look at in a story: the article that leads it, and all that carried it."""

    seq: int
    title: str
    text: str
    """Empty when it was not asked for, or has been pruned."""
    author: str
    categories: tuple[str, ...]
    carried: tuple[Carried, ...]
    """Not empty; the leading article first."""


@dataclass(frozen=True, slots=True)
class DecisionCounts:
    """First decisions of some time, each counted once."""

    recommended: int
    explored: int
    held_back: int
    muted: int
    """Held back like those, but not to be shown anyway, by a rule."""
    overruled: int
    """Turned round by the person's own rules: delivered or held back by them alone."""
    last_explored: datetime | None

    @property
    def judged(self) -> int:
        """All of them."""
        return self.recommended + self.explored + self.held_back + self.muted + self.overruled


@dataclass(frozen=True, slots=True)
class Verdict:
    """A row to append to the feedback log."""

    id: str
    """Made by the client; sending the same id twice counts once."""
    user_id: int
    seq: int
    kind: Kind
    at: datetime
    tags: tuple[str, ...] | None = None
    """The person's own on the article's feed; None: those of now."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A row of the feedback log, with what learning needs to know about the article's delivery."""

    row: int
    """Position in the log: 1, 2, 3 …"""
    id: str
    user_id: int
    seq: int
    story: int
    kind: Kind
    at: datetime
    probability: float
    """Chance with which its story was explored; 1.0 when it was not, but recommended or looked up."""
    tags: tuple[str, ...]
    """The person's own on the feed of the story's leading article, as they were when the row was written."""
    form: str = ""
    """Of a seed: how much was known of it, as whoever imported it calls that; else empty."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """Something that a person said, found again, and what has become of it."""

    id: str
    """Made by the client, as in ``Verdict``."""
    article: str
    """Public id of the article that leads the story."""
    title: str
    kind: Kind
    holds: Kind | None
    """What holds of the story now; None when nothing does."""
    stands: bool
    """Whether this is the row that holds; an undo never is."""
    at: datetime


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Saved state. ``user_id`` None: the stream's, by article seq; else a reader's, by feedback row."""

    user_id: int | None
    sequence: int
    """The last article or log row that the state includes."""
    fingerprint: str
    """Library versions and processor; a snapshot of another fingerprint is not used."""
    state: bytes


@dataclass(frozen=True, slots=True)
class Delivery:
    """One article in one digest."""

    user_id: int
    seq: int
    edition: str
    """The digest's date, ``YYYY-MM-DD``."""
    number: int
    """Its number in that digest, from 1."""
    at: datetime


@dataclass(frozen=True, slots=True)
class Candidate:
    """A story that may come into a digest: how it stands, and what a choice goes by."""

    seq: int
    score: float
    threshold: float
    interesting: bool
    explore: bool
    """Drawn when it was first judged; it may have become interesting since."""
    arrived: datetime
    feed_id: int
    """The feed of its leading article."""
    ruling: str
    """What the person's own rules do with it; empty when none speaks of it."""


@dataclass(frozen=True, slots=True)
class Carrier:
    """One feed's telling of a story."""

    source: str
    title: str
    url: str


class MailState(StrEnum):
    """What became of the mail that carries a digest."""

    WAITING = "waiting"
    """To be sent, for the first time or again."""
    SENDING = "sending"
    """From now on the server may have accepted it. Whoever finds this without a process at work cannot know."""
    SENT = "sent"
    """The server has accepted it, at the scheduler's wish."""
    SENT_BY_HAND = "sent by hand"
    """The server has accepted it, at the person's own wish."""
    UNCERTAIN = "uncertain"
    """Perhaps it was accepted. It is not sent again unless the person says so."""
    FAILED = "failed"
    """It was refused for good, or for too long."""
    EMPTY = "empty"
    """There was nothing in it, and the person wants no mail then."""
    MISSED = "missed"
    """The server could not be reached on that day; its news are in the next edition."""


@dataclass(frozen=True, slots=True)
class Mailing:
    """The mail of one edition to one person."""

    user_id: int
    edition: str
    """The digest's date, ``YYYY-MM-DD``."""
    message_id: str
    """With its angle brackets; it never changes."""
    recipient: str
    state: MailState
    attempts: int
    at: datetime
    """Of the last change."""
    next_attempt: datetime | None
    """Not before; None: at once, or never, by the state."""
    error: str
    """Why the last attempt failed, and what to do; empty when it did not."""


@dataclass(frozen=True, slots=True)
class FeedOverview:
    """A subscription with the state of its feed."""

    subscription: Subscription
    feed: Feed
    articles: int


@dataclass(frozen=True, slots=True)
class Arrivals:
    """When articles of a feed arrived. The first poll brings what had piled up, and tells nothing of the pace."""

    first: datetime
    newest: datetime
    lately: int
    """Arrived since some moment, but not with the first poll."""


@dataclass(frozen=True, slots=True)
class Opinions:
    """What one feed has brought to one person. Stories count for each feed that carried them."""

    recommended: int = 0
    """Stories that were found interesting when they were first judged, and that no rule of the person held back."""
    likes: int = 0
    dislikes: int = 0
    skips: int = 0


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of verdicts against first decisions, over the effective log."""

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int
    likes: int
    dislikes: int
    skips: int
    seeds: int = 0
    """Liked elsewhere; none of the counts above knows of them."""
