"""Words that go with likes and with dislikes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo

from iscore.presentation.charts.bar_chart import Bar, bar_chart
from iscore.presentation.charts.figure import Figure, Panel, Table
from iscore.presentation.history_report.figures.lacking import lacking
from iscore.presentation.history_report.wording import listed, signed
from iscore.services.views.history import HistoryView, WordOpinion

MOST = 12
"""Words drawn of either side; the table has more."""
_SAID = 5
_LIKED, _DISLIKED = 1, 2


def words(view: HistoryView, _zone: tzinfo | None) -> Figure:
    """Bars as long as the log-odds, liked words and disliked words apart."""
    heading = "Your words"
    liked, disliked = view.words_liked or (), view.words_disliked or ()
    if not liked and not disliked:
        return lacking(view, "words", heading)
    said = [
        f"{what} {listed([each.word for each in found[:_SAID]])}."
        for what, found in (("What you like tells of", liked), ("What you dislike tells of", disliked))
        if found
    ]
    panels = [
        Panel(name, bar_chart(_bars(found, style), f"{name}, the surest first; the table below has them"))
        for name, found, style in (("Words you like", liked, _LIKED), ("Words you dislike", disliked, _DISLIKED))
        if found
    ]
    return Figure(
        name="words",
        heading=heading,
        source="",
        summary=" ".join(said),
        panels=panels,
        layout="two",
        legend=(),
        caption=(
            "In how many liked and disliked stories a word stands; the longer the bar, the more it goes with the one. "
            "The surest come first, and what could be chance is left out."
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
        for each in found[:MOST]
    ]
