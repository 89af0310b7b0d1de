"""What the facade answers: frozen values, ready to be shown or serialised. Nothing here computes.

The facade (``iscore.services.news_filter.NewsFilter``) offers::

    NewsFilter.create(home, feeds_file=None, *, clock) -> NewsFilter      `iscore init`
    NewsFilter.open(home, *, clock) -> NewsFilter                        raises HomeError, ConfigError, StorageError
    with NewsFilter.open(home) as news: ...                              closes the database

    news.subscriptions                                  subscriptions: see ``services.subscriptions.Subscriptions``
    news.review_queue                                  what to go through, one by one: see ``review_queue.ReviewQueue``
    news.poll(force=False, progress=None) -> PollView     progress(done: int, total: int, what: str)
    news.inbox(everything=False, limit=30) -> InboxView
    news.show(article_id) -> ArticleView
    news.why(article_id) -> WhyView
    news.reading                                    lists that wait for no learning: see ``services.inbox.Reading``
    news.give(kind, article_ids) -> list[VerdictView]     kind: storage.records.Kind
    news.rules                                      the person's own rules: see ``iscore.services.rules.Rules``
    news.current_inbox.most_informative(count) -> list[InboxItem]        whose verdicts would teach most
    news.imports.learn(sources, keywords="", format_name="", fetch=False, limit=1000, progress=None) -> SeedsView
    news.imports.imports() -> list[ImportView]
    news.imports.seeds(number) -> list[SeedView]            of one import
    news.imports.take_back(number) -> int
    news.digests.get(date=None) -> DigestView       records the delivery; the same date gives the same digest again
    news.digests.last(count, until=None) -> EditionsView     the last digests, for feeds
    news.digests.numbered(numbers, on=None) -> list[str]     article ids of a digest's numbers (the last one's)
    news.digest(date=None), news.digests.numbered(numbers)            the same, for short
    news.mail                                       the digest by mail: see ``iscore.jobs.mail.sender.MailSender``
    news.status() -> StatusView
    news.models.rebuild(check=False, progress=None) -> RebuildView
    news.replay(classifiers, follow_changes=False, report=None, workers=None, progress=None) -> Replayed
    news.extractor_problems() -> tuple[ExtractorProblem, ...]     since it was opened

Scores are log-odds with neutral 0. ``probability`` of interest is 1 / (1 + exp(-score)), for display only. Times are
aware, in UTC; ages and dates are formatted by who shows them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from storage.records import Kind


@dataclass(frozen=True, slots=True)
class FeedView:
    """One subscription and how its feed is doing."""

    url: str
    """As the person wrote it, but without user name and password."""
    title: str
    tags: tuple[str, ...]
    enabled: bool
    articles: int
    last_success: datetime | None
    next_due: datetime | None
    error: str
    """Why the last attempt failed; empty when it did not."""
    last_attempt: datetime | None = None
    failures: int = 0
    """Failed attempts since the last success."""
    newest: datetime | None = None
    """When its newest article arrived."""
    per_week: float | None = None
    """Articles a week, over the last four; None until it has been followed for a week."""
    state: str = "well"
    """How it is doing, in a word: see ``iscore.feeds.subscriptions.health.State``."""
    moved_to: str = ""
    """Its new address, without password, if it has moved or seems to; else empty."""
    advice: str = ""
    """What the person may do; empty when nothing needs doing."""


@dataclass(frozen=True, slots=True)
class FeedProblem:
    """A feed whose last attempt failed."""

    url: str
    title: str
    error: str
    advice: str = ""
    """What the person may do, if anything."""


@dataclass(frozen=True, slots=True)
class ExtractorProblem:
    """An extractor that was left out or failed; its features are missing."""

    name: str
    """As it is registered."""
    reason: str


@dataclass(frozen=True, slots=True)
class PollView:
    """What one round of polling did."""

    feeds: int
    """Feeds that were due."""
    changed: int
    unchanged: int
    failed: int
    cooling: int
    """Feeds that a forced round left alone because they had been asked a moment ago."""
    new_articles: int
    updated_articles: int
    judged: int
    recommended: int
    explored: int
    seconds: float
    problems: tuple[FeedProblem, ...]
    next_due: datetime | None
    pages_fetched: int = 0
    """Pages of new articles that were fetched for their full text and read."""
    pages_failed: int = 0
    """Pages that were wanted and could not be read; these articles have the feed's text."""
    page_problems: tuple[FeedProblem, ...] = ()
    """Feeds of which pages could not be read, and why."""
    warnings: tuple[str, ...] = ()
    """What concerns the round as a whole, for instance that an extra is not installed."""
    extractor_problems: tuple[ExtractorProblem, ...] = ()
    moved: tuple[FeedProblem, ...] = ()
    """Feeds whose new address was believed in this round."""


@dataclass(frozen=True, slots=True)
class InboxItem:
    """One article that waits for the person."""

    id: str
    title: str
    url: str
    source: str
    sources: tuple[str, ...]
    """Every feed that carried the story, ``source`` first."""
    author: str
    published: datetime | None
    arrived: datetime
    summary: str
    """The beginning of the text, one paragraph."""
    score: float
    threshold: float
    interesting: bool
    explore: bool
    ruling: str = ""
    """Which of the person's own rules decided or moved it, in words; empty when none did."""
    language: str = ""
    """ISO 639 code, as the feed says or the text tells; empty when nobody knows."""


@dataclass(frozen=True, slots=True)
class StorySourceView:
    """One feed's telling of a story."""

    source: str
    title: str
    url: str


@dataclass(frozen=True, slots=True)
class Learning:
    """How far the filter has got to know its reader."""

    likes: int
    dislikes: int
    warm: bool
    """False until there are 5 likes and 5 dislikes: until then ranking goes by similarity and source."""
    seeds: int = 0
    """Things liked elsewhere, which count as no verdicts."""


@dataclass(frozen=True, slots=True)
class InboxView:
    items: tuple[InboxItem, ...]
    waiting: int
    """How many there are without the limit."""
    held_back: int
    """Undecided articles of the last 7 days that did not pass."""
    feeds: int
    """Subscriptions, so that an empty inbox can say whether there is anything to poll."""
    articles: int
    """All articles ever stored."""
    learning: Learning


@dataclass(frozen=True, slots=True)
class ArticleView:
    id: str
    title: str
    url: str
    source: str
    sources: tuple[str, ...]
    author: str
    categories: tuple[str, ...]
    language: str
    published: datetime | None
    arrived: datetime
    text: str
    score: float | None
    threshold: float | None
    interesting: bool | None
    explore: bool | None
    verdict: Kind | None
    ruling: str = ""
    """As in ``InboxItem``; score and interesting are as the person's rules make them."""


@dataclass(frozen=True, slots=True)
class FeatureView:
    """One feature's part in a score."""

    name: str
    meaning: str
    """In words a person understands."""
    family: str
    """The side of the article that it looks at, such as ``topic relevance``."""
    value: float | None
    """None: missing."""
    contribution: float
    """Log-odds that the feature adds (positive: towards interesting); 0 when missing or not in the chosen subset."""
    correlation: float
    """Running Pearson correlation with this reader's verdicts, -1 to 1."""
    rank: int
    """1 is the most useful feature."""
    used: bool
    """In the chosen subset."""


@dataclass(frozen=True, slots=True)
class WhyView:
    article: ArticleView
    score: float
    threshold: float
    interesting: bool
    prior: float
    """Log-odds before any feature."""
    subset_size: int
    features: tuple[FeatureView, ...]
    """Largest absolute contribution first, then by rank."""
    words: tuple[tuple[str, float], ...]
    """Words of the article that speak for (positive) or against it, strongest first; empty when the text was pruned."""
    reasons: tuple[str, ...]
    """Two or three sentences for people."""
    learning: Learning
    decided: datetime | None
    """When it was first judged; the score shown is today's."""
    first_score: float | None
    first_threshold: float | None
    ruling: str = ""
    """As in ``InboxItem``; the score is the model's own, but interesting is as the person's rules make it."""
    boost: float = 0.0
    """Log-odds that the person's rules add to the score."""


@dataclass(frozen=True, slots=True)
class VerdictView:
    id: str
    title: str
    accepted: bool
    """False when it repeated what already stood."""
    verdict: Kind
    previous: Kind | None


@dataclass(frozen=True, slots=True)
class ImportedItemsView:
    """What became of things liked elsewhere."""

    found: int
    """Seeds in all sources, each counted once."""
    learned: int
    """New ones, that the next poll, inbox or digest learns from."""
    known: int
    """Of these, what was in the archive already."""
    old: int
    """What was left alone, since it was brought before or something was said of it."""
    left_out: int
    """What was too much: only the newest count."""
    pages_fetched: int
    pages_failed: int
    page_problem: str
    """Why pages could not be read, for the first of them; empty when none failed."""
    number: int | None
    """By which the import can be taken back; None when nothing was new."""


@dataclass(frozen=True, slots=True)
class ImportView:
    """One import of things liked elsewhere."""

    number: int
    name: str
    """What was read, in short."""
    at: datetime
    seeds: int
    standing: int
    """How many of them still teach."""


@dataclass(frozen=True, slots=True)
class ImportedItemView:
    """One thing liked elsewhere."""

    id: str
    """Of its article, as the other commands take it."""
    title: str
    url: str
    form: str
    """How much was known of it: text, title, address, keywords or feed."""
    standing: bool
    """Whether it still teaches."""


@dataclass(frozen=True, slots=True)
class StatusView:
    """How the filter is doing. Rates are None while they are undefined."""

    feeds: int
    articles: int
    judged: int
    recommended: int
    explored: int
    likes: int
    dislikes: int
    skips: int
    f05: float | None
    """Of first decisions against later verdicts, like precision and recall; recall knows only what was delivered."""
    precision: float | None
    recall: float | None
    threshold: float
    subset_size: int
    n_features: int
    best_features: tuple[tuple[str, float], ...]
    """Name and correlation of the features that the classifier uses, most useful first."""
    learning: Learning
    problems: tuple[FeedProblem, ...]
    last_poll: datetime | None
    to_learn: int
    """Verdicts that the next poll, inbox or digest will learn from."""
    extractor_problems: tuple[ExtractorProblem, ...] = ()
    moved: tuple[FeedProblem, ...] = ()
    """Feeds that work at another address than the one in feeds.yaml."""
    mail_problem: str = ""
    """What keeps the digest from being mailed, and what to do; empty when nothing does."""


@dataclass(frozen=True, slots=True)
class RebuildView:
    verdicts: int
    equal: bool | None
    """With check: whether the saved state equals the replay, bit for bit; None without."""
    seconds: float
