"""The families of features, as the papers of iScore have them: features of one family look at one side of an article,
and much of what they say they say together."""

from __future__ import annotations

from functools import cache

FAMILIES: dict[str, tuple[str, ...]] = {
    "topic relevance": (
        *("rocchio", "erocchio", "mtt", "language_model", "language_model_pairs", "words_nb"),
        *("words_mbw", "words_pa", "words_cw", "nearest_liked"),
    ),
    "uniqueness": ("novelty", "anomaly_mean", "anomaly_cluster", "rare_phrases", "coverage"),
    "source": (
        *("source_reputation", "site_reputation", "author_reputation", "category_reputation", "tag_reputation"),
        "names_cw",
    ),
    "freshness": ("freshness", "burst", "age"),
    "writing style": (
        *("lix", "ari", "sentence_length", "word_length", "vocabulary", "capitals", "digits", "punctuation"),
        *("function_words", "writing_style"),
    ),
    "feeling": ("subjectivity", "polarity", "intensity"),
    "speech events": ("speech_events", "speech_events_objective", "speech_events_subjective"),
    "form and rhythm": ("length", "title_length", "links", "pictures", "hour", "weekday"),
}
"""Family → features. Those of other packages are in none."""

OTHER = "other"


def family_of(feature: str) -> str:
    """Return the family of a feature, ``OTHER`` for one that is in none."""
    return _families().get(feature, OTHER)


@cache
def _families() -> dict[str, str]:
    return {feature: family for family, features in FAMILIES.items() for feature in features}
