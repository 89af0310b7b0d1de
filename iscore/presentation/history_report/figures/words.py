"""Words typical of likes and of dislikes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo

from iscore.presentation.charts.bar_chart import Bar, bar_chart
from iscore.presentation.charts.figure import Figure, Panel, Table
from iscore.presentation.history_report.figures.missing_data import lacking
from iscore.presentation.history_report.wording import listed, signed
from iscore.services.views.history import HistoryView, WordOpinion

PER_PANEL = 12
"""Words per panel; the table has more."""
_IN_SUMMARY = 5
_LIKED, _DISLIKED = 1, 2


def words(view: HistoryView, _zone: tzinfo | None) -> Figure:
    """Log-odds as bars, for liked and disliked words."""
    heading = "Your words"
    liked, disliked = view.words_liked or (), view.words_disliked or ()
    if not liked and not disliked:
        return lacking(view, "words", heading)
    sentences = [
        f"{what} {listed([each.word for each in found[:_IN_SUMMARY]])}."
        for what, found in (("Typical of what you like:", liked), ("Typical of what you dislike:", disliked))
        if found
    ]
    panels = [
        Panel(name, bar_chart(_bars(found, style), f"{name}, most certain first; see the table"))
        for name, found, style in (("Words you like", liked, _LIKED), ("Words you dislike", disliked, _DISLIKED))
        if found
    ]
    return Figure(
        name="words",
        heading=heading,
        source="",
        summary=" ".join(sentences),
        panels=panels,
        layout="two",
        legend=(),
        caption=(
            "The number of liked and disliked stories with a word; a longer bar means a stronger association. The most "
            "certain come first; words that could be chance are left out."
        ),
        table=Table(
            "Words and the stories that have them",
            ["word", "liked", "disliked", "log-odds"],
            [
                [each.word, f"{each.liked:,}", f"{each.disliked:,}", signed(each.log_odds)]
                for each in (*liked, *reversed(disliked))
            ],
        ),
    )


def _bars(found: Sequence[WordOpinion], style: int) -> list[Bar]:
    return [
        Bar(each.word, abs(each.log_odds), style, f"{each.liked:,} liked, {each.disliked:,} not")
        for each in found[:PER_PANEL]
    ]
