"""What a low value of a feature says, in words that a person understands, as ``meanings`` has it of a high one."""

from __future__ import annotations

OPPOSITES: dict[str, str] = {
    "rocchio": "far from what you liked",
    "erocchio": "closer to what you do not like",
    "mtt": "on none of the topics that you follow",
    "language_model": "worded unlike what you liked",
    "language_model_pairs": "with few phrases of articles you liked",
    "words_nb": "with few words of articles you liked",
    "words_mbw": "with few words that mark what you like",
    "words_pa": "not worded like what you like",
    "words_cw": "with few words that tell what you like",
    "names_cw": "from sources and authors you seldom like",
    "nearest_liked": "unlike any article that you liked",
    "novelty": "like other recent articles",
    "anomaly_mean": "usual among the recent news",
    "anomaly_cluster": "on one of the recent topics",
    "rare_phrases": "puts words together that often meet",
    "coverage": "carried by few sources",
    "source_reputation": "from a source you seldom like",
    "site_reputation": "from a site you seldom like",
    "author_reputation": "by an author you seldom like",
    "category_reputation": "in a category you seldom like",
    "tag_reputation": "from feeds with a tag you seldom like",
    "freshness": "on a topic that was in the news lately",
    "burst": "on a topic that comes up no more than before",
    "age": "published just before it arrived",
    "lix": "easy to read",
    "ari": "written for everybody",
    "sentence_length": "short sentences",
    "word_length": "short words",
    "vocabulary": "a small vocabulary",
    "capitals": "few capital letters",
    "digits": "few figures",
    "punctuation": "little punctuation",
    "function_words": "lists and keywords rather than flowing prose",
    "writing_style": "not written like what you liked",
    "subjectivity": "facts rather than opinions",
    "polarity": "unfavourable rather than favourable",
    "intensity": "calm, neither for nor against",
    "speech_events": "quotes little of what people said",
    "speech_events_objective": "quotes little of what people know",
    "speech_events_subjective": "quotes little of what people think",
    "length": "a short text",
    "title_length": "with a short title",
    "links": "with few links",
    "pictures": "with few pictures",
    "hour": "published early in the day",
    "weekday": "published early in the week",
}
"""Feature → words. Those of other packages are not in it."""


def opposite_of(feature: str, meaning: str) -> str:
    """Return what a low value of the feature says; where nobody has worded that, that it is less than
    the ``meaning`` of a high one."""
    return OPPOSITES.get(feature) or f"less than others: {meaning}"
