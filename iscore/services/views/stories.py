"""Stories, the lists that they are in, and the navigation between lists.

An article has eight shapes on its way through the program:

    NewArticle        an entry of a feed, cleaned                                storage.records.articles
    Article           as stored, with its number and public id                   storage.records.articles
    IngestedArticle   with its story, its frozen features and a user's tags      storage.records.articles
    AnalysedBatch     many of them as arrays, for the learners                   extractors.article_features
    Decision          the first decision about its story: a fact                 storage.records.decisions
    CurrentScore      its score by the current model: a cache                    storage.records.decisions
    StoryView         its story as one user has it, with marks and verdict       here
    StoryEntry        its story as text that is ready to be shown                iscore.presentation.wording.story

Scores are log-odds with neutral 0; times are aware and in UTC.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from storage.records.articles import StorySource, dated
from storage.records.decisions import RecommendationChange
from storage.records.stories import UNMARKED, Mark
from storage.records.users import Kind


@dataclass(frozen=True, slots=True)
class StoryView:
    """A story as one user has it: its leading article, what the filter thinks of it, and what the user did with it.

    Scores are with the user's rules: boosted, and interesting or not as they say.
    """

    id: str
    title: str
    """Without one the first sentence of the text; empty without both."""
    url: str
    source: str
    author: str
    published: datetime | None
    arrived: datetime
    text: str
    """In lists its beginning, as one paragraph; in a search the part around the first match."""
    sources: tuple[StorySource, ...] = ()
    """Every feed with the story, in order of arrival; in a digest those until it was made."""
    categories: tuple[str, ...] = ()
    language: str = ""
    """ISO 639 code, from the feed or detected; empty when unknown."""
    reading_minutes: int = 1
    score: float | None = None
    """None, like the next three, before it is scored."""
    threshold: float | None = None
    interesting: bool | None = None
    explore: bool | None = None
    """In lists: whether it is shown only to be explored. Of one article: whether its first decision explored it."""
    rule_outcome: str = ""
    """Which of the user's rules decided or moved it, in words; empty when none did."""
    archive: bool = False
    """Whether it was too old to be news when it arrived: it is not offered, only listed with all others."""
    interest: str = ""
    """The name of the user's interest that it belongs to; empty if it belongs to none."""
    boost: float = 0.0
    """Log-odds of ``score`` that the user's rules added; the probability is that of the score without them."""
    verdict: Kind | None = None
    """None without one, and in digests."""
    mark: Mark = UNMARKED
    """Of the lists of the reader, and of client apps."""
    number: int = 0
    """In a digest, from 1."""
    reasons: tuple[str, ...] = ()
    """Two or three, in words; empty where they were not asked for."""
    titled: bool = True
    """Whether the publisher gave it a title."""
    feed: int = 0
    """The number of the feed of its leading article; 0 in digests."""
    hidden: bool = False
    """In lists: whether it is neither for the user nor maybe."""

    @property
    def dated(self) -> datetime:
        """When it counts as published: what lists are ordered by."""
        return dated(self.published, self.arrived, archive=self.archive)

    @property
    def source_names(self) -> tuple[str, ...]:
        """Every feed with the story, ``source`` first."""
        return tuple(dict.fromkeys((self.source, *(each.source for each in self.sources))))


@dataclass(frozen=True, slots=True)
class EnclosureView:
    url: str
    type: str
    """Media type, or empty."""
    length: int | None
    """Bytes by the publisher's word."""


@dataclass(frozen=True, slots=True)
class ContentView:
    """What a page shows of an article beside its text."""

    html: str
    """Sanitised, its pictures as the page asked for them; empty if the paragraphs of the text are all there is."""
    picture: str
    """What a page loads above a text without pictures of its own; empty if there is none or pictures are off."""
    enclosures: tuple[EnclosureView, ...]


@dataclass(frozen=True, slots=True)
class Learning:
    """How far the filter has got to know its reader."""

    likes: int
    dislikes: int
    trained: bool
    """Whether there are enough likes and dislikes (``MIN_VERDICTS`` each) for the classifier to decide."""
    imported: int = 0
    """Imported items, which are no verdicts."""
    interests: int = 0
    """How many of these are interests in words."""


@dataclass(frozen=True, slots=True)
class InboxView:
    """The inbox."""

    items: tuple[StoryView, ...]
    waiting: int
    """Number of stories without the limit."""
    hidden: int
    """News below the threshold, that arrived within the setting ``inbox_days`` and have no verdict."""
    feeds: int
    """Number of subscriptions, so that an empty inbox can say whether there is anything to poll."""
    has_articles: bool
    """Whether any article ever came through a feed that the user follows."""
    learning: Learning
    archive: int = 0
    """Stories that were too old to be news when they arrived, within that time and without a verdict."""
    change: RecommendationChange | None = None
    """The last change of the number of recommendations by over a third or by an upgrade, if it was within a day."""
    unmet: tuple[str, ...] = ()
    """The interests in words that no scored article of the inbox's days is about."""


@dataclass(frozen=True, slots=True)
class StoryPage:
    """One page of a list."""

    stories: tuple[StoryView, ...]
    after: str
    """The place behind which the next page begins; empty on the last page."""
    newest: int
    """The number of the newest story when the first page was made: what arrives later is not marked with the list."""


@dataclass(frozen=True, slots=True)
class SearchView:
    """Articles that were found, newest first."""

    items: tuple[StoryView, ...]
    matches: int
    """Articles that match, counted up to a thousand."""
    more: bool
    """Whether there are more than were counted."""


@dataclass(frozen=True, slots=True)
class FeedLink:
    """A feed in the navigation."""

    number: int
    name: str
    """One line without control characters; may be empty."""
    unread: int
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FolderLink:
    """A folder in the navigation: the feeds that have one tag."""

    name: str
    unread: int
    feeds: tuple[FeedLink, ...]


@dataclass(frozen=True, slots=True)
class Navigation:
    """All lists of a user. Unread counts are of stories that arrived within the setting ``inbox_days``."""

    folders: tuple[FolderLink, ...]
    """In alphabetical order; a feed with several tags is in several."""
    feeds: tuple[FeedLink, ...]
    """Those without a tag, in alphabetical order."""
    labels: tuple[tuple[str, int], ...]
    """In alphabetical order, with the number of stories."""
    saved: int
    unread: int
    """Of all feeds; a story in several feeds counts for each."""
    for_you: int = 0
    """Stories that wait in For you."""
    maybe: int = 0
    """The same of Maybe."""


@dataclass(frozen=True, slots=True)
class ReviewQueueView:
    """Articles to go through."""

    ids: tuple[str, ...]
    """In order: the best first, what was put off before last; of a digest by number."""
    verdicts: Mapping[str, Kind]
    """Verdicts on some of them, by id."""
    postponed: int
    """How many at the end were put off before."""
    name: str
    """Of the digest, its date; else empty."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is left."""

    waiting: int
    """Articles in the inbox."""
    learning: Learning


@dataclass(frozen=True, slots=True)
class VerdictView:
    id: str
    title: str
    accepted: bool
    """False when it repeated the current verdict."""
    verdict: Kind
    previous: Kind | None


@dataclass(frozen=True, slots=True)
class FeatureView:
    """One feature's part in a score."""

    name: str
    meaning: str
    """What a high value means, in words a user understands."""
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
    phrase: str = ""
    """What this value means; empty if it is neither high nor low, or contradicts the contribution."""


@dataclass(frozen=True, slots=True)
class WhyView:
    article: StoryView
    score: float
    threshold: float
    interesting: bool
    prior: float
    """Log-odds before any feature."""
    subset_size: int
    features: tuple[FeatureView, ...]
    """Largest absolute contribution first, then by rank."""
    words: tuple[tuple[str, float], ...]
    """Words of the article that count for (positive) or against it, strongest first; empty when the text was pruned."""
    reasons: tuple[str, ...]
    """Two or three sentences for people."""
    learning: Learning
    decided: datetime | None
    """When it was first decided; the score shown is today's."""
    first_score: float | None
    first_threshold: float | None
    rule_outcome: str = ""
    """As in ``StoryView``; the score is the model's own, but interesting is as the user's rules make it."""
    boost: float = 0.0
    """Log-odds that the user's rules add to the score."""
    interest: str = ""
    """The name of the user's interest that it belongs to; empty if it belongs to none."""
    start: float | None = None
    """Log-odds of an article without words about which the classifier says even odds: the score is this, the parts of
    all words, of its meaning, of an interest in words, and the classifier's. None before anything is liked."""
    word_parts: tuple[tuple[str, float], ...] = ()
    """What words of the article add to the score, in log-odds, the strongest first; empty when the text was pruned."""
    words_for: tuple[str, ...] = ()
    """Words of it that are typical of what is liked, or else of the user's interests, the strongest first."""
    words_against: tuple[str, ...] = ()
    """Words of it that are typical of what is disliked."""
    words_part: float = 0.0
    """What all its words add together."""
    meaning_part: float = 0.0
    """What its meaning adds by the sentence encoder of the extra ``semantic``; 0 without one."""
    interest_part: float = 0.0
    """What its similarity to an interest in words adds; 0 without such interests."""
    interest_of_part: str = ""
    """The name of that interest."""
    interest_words: tuple[str, ...] = ()
    """The words of that interest that the article has."""
    classifier_part: float = 0.0
    """What the classifier's vote adds, which it gave at the first decision; 0 while it has none."""
    classifier_share: float = 0.0
    """The share of the classifier's vote, in [0, 1]."""
    classifier_factor: float = 0.0
    """What one of the classifier's log-odds, as of its ``prior`` and ``features``, adds to the score."""
