"""Why an article has its score."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from iscore.services.views.stories import Learning, StoryView


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
    all words, and the classifier's. None before anything is liked."""
    word_parts: tuple[tuple[str, float], ...] = ()
    """What words of the article add to the score, in log-odds, the strongest first; empty when the text was pruned."""
    words_part: float = 0.0
    """What all its words add together."""
    classifier_part: float = 0.0
    """What the classifier's vote adds, which it gave at the first decision; 0 while it has none."""
    classifier_share: float = 0.0
    """The share of the classifier's vote, in [0, 1]."""
    classifier_factor: float = 0.0
    """What one of the classifier's log-odds, as of its ``prior`` and ``features``, adds to the score."""
