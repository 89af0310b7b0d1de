"""A simulated reader with a hidden taste, for the demo and for tests.

The taste was written down before any learner saw it and is not tuned to one; how well it is learned is no evidence of
quality. It is deliberately not a topic: it mixes style, length, author, the age of a story, and a change of mind.
"""

from __future__ import annotations

from benchmarks.sample_news.article import Article
from benchmarks.sample_news.draws import Draws

FAVOURITE_AUTHORS = frozenset(
    {"Silas Nettlefold", "Verity Quill", "Rhea Yarrow", "Hamish Lindqvist", "Celia Marchbank", "Fosca Belmonte"}
)
LONG = 320
"""Words from which an analysis counts as long."""
RAIL_FROM_DAY = 14
"""The interest in railways begins with the third week."""
FICKLENESS = 0.05
"""Share of verdicts that contradict the taste."""


class Reader:
    """Judges articles of the sample world; the same article always gets the same verdict."""

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def verdict(self, article: Article) -> bool:
        """Return whether the reader finds the article interesting.

        A reprint is judged as the wire report it repeats: the words are the same, and so is the whim.
        """
        whim = not article.noise and Draws(self._seed, "whim", article.copy_of or article.id).chance(FICKLENESS)
        return self.likes(article) != whim

    def likes(self, article: Article) -> bool:
        """Return what the taste alone says, without whims."""
        if article.noise or article.style == "tabloid":
            return False
        if article.opens_story and article.author in FAVOURITE_AUTHORS:
            return True
        if article.style == "analysis":
            return article.topic in {"energy", "space", "climate"} and article.words >= LONG
        early = bool(article.story) and article.stage <= 1
        if article.topic in {"energy", "space"}:
            return early and article.language == "en"
        if article.topic != "rail" or article.day < RAIL_FROM_DAY:
            return False
        return bool(article.story) or article.style == "trade"

    def describe(self) -> str:
        """Return the taste in plain words, one sentence a line."""
        authors = ", ".join(sorted(FAVOURITE_AUTHORS))
        return "\n".join(
            (
                "Never advertisements, listings, horoscopes or anything in tabloid style.",
                f"The first report of a running story, whatever its topic, if signed by one of: {authors}.",
                f"Long analyses (at least {LONG} words) of energy, space or climate; no other analyses.",
                "The first two developments of running stories on energy or space, in English; not the later ones.",
                f"From day {RAIL_FROM_DAY + 1} on: railways and ports, if it is a running story or in the trade press.",
                f"{FICKLENESS:.0%} of the verdicts (never on noise) contradict all this.",
            )
        )
