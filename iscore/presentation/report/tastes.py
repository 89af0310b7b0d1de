"""Figures of what the user likes: features, sources, words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo

import numpy as np
from markupsafe import Markup

from iscore.presentation.charts.bars import Bar, Dot, Row, bar_chart, row_chart
from iscore.presentation.charts.figure import Figure, Panel, Table, plural
from iscore.presentation.charts.line_chart import Axis, Line, line_chart
from iscore.presentation.charts.marks import key
from iscore.presentation.report.parts import correlation_axis, day, lacking, listed, missing_data, percent, signed
from iscore.services.views.history import MIN_SOURCE_VERDICTS, FeatureHistory, HistoryView, SourceOpinion, WordOpinion

_NOW, _THEN = 6, 7


def features(view: HistoryView, zone: tzinfo | None) -> Figure:
    """Correlations as a dot plot, and the number of features in use where it changes."""
    heading = "Most predictive features"
    found = view.features
    if found is None or not found.changes:
        return lacking(
            view, "features", heading, missing_data(view, "features") or "This classifier computes no correlations."
        )
    compared = found.before is not None and found.changes[0].before is not None
    then = f"on {day(found.before, zone)}" if found.before is not None else "a month ago"
    best = found.changes[0]
    text = f"“{best.meaning}” predicts your verdicts best ({signed(best.now)} now"
    text += f", {signed(best.before)} {then})." if compared else ")."
    sizes = _sizes(found)
    panels = [_rows(found, then, compared=compared), *([sizes] if sizes is not None else [])]
    return Figure(
        name="features",
        heading=heading,
        source="",
        summary=f"{text} {_used(found)} {'' if compared else missing_data(view, 'month')}".rstrip(),
        panels=panels,
        layout="one" if len(panels) == 1 else "two",
        legend=[(key(_NOW), "now"), *([(key(_THEN), then)] if compared else [])],
        caption=(
            "Correlation of each feature, computed before the verdict was learned, with your verdicts. Positive: you "
            "tend to like articles where it is high; negative: you tend to dislike them."
        ),
        table=Table(
            "Correlations with your verdicts",
            ["feature", "now", *([then] if compared else [])],
            [[each.meaning, signed(each.now), *([signed(each.before)] if compared else [])] for each in found.changes],
        ),
    )


def _rows(found: FeatureHistory, then: str, *, compared: bool) -> Panel:
    most = max(max(abs(each.now), abs(each.before or 0.0)) for each in found.changes)
    rows = [
        Row(
            each.meaning,
            [
                Dot(_NOW, each.now, f"{each.meaning}: now {signed(each.now)}"),
                Dot(_THEN, each.before if compared else None, f"{each.meaning}: {then} {signed(each.before)}"),
            ],
        )
        for each in found.changes
    ]
    axis = correlation_axis("correlation with your verdicts", most)
    when = "now and a month ago" if compared else "now"
    described = f"Correlations of {plural(len(rows), 'feature')} with your verdicts, {when}"
    return Panel("", row_chart(rows, axis, described, width=480))


def _used(found: FeatureHistory) -> str:
    size = found.in_use[-1].size if found.in_use else 0
    if size == found.n_features:
        return f"All {size} features are in use, each with its own weight."
    return f"The best {size} of {found.n_features} features are in use."


def _sizes(found: FeatureHistory) -> Panel | None:
    """Draw the number of features in use at each saved state; None if it never changed."""
    sizes = [each.size for each in found.in_use]
    if len(set(sizes)) < 2:
        return None
    x = np.array([float(each.row) for each in found.in_use])
    line = Line(6, x, np.array(sizes, dtype=np.float64), marked=True)
    drawn = line_chart(
        [line],
        Axis("entries of your log", 0.0, float(x[-1])),
        Axis("features", 0.0, float(found.n_features)),
        f"Features in use: {', '.join(f'{each.size} after {each.row}' for each in found.in_use)}",
    )
    return Panel("Features in use", drawn)


PER_PANEL = 12
"""Sources or words per panel; the table has more."""
MIN_FOR_TWO_PANELS = 6
_NAMED = 3
_LIKED, _NOT = 1, 2


def sources(view: HistoryView, _zone: tzinfo | None) -> Figure:
    """The share of likes with its confidence interval."""
    heading = "Your sources"
    found = view.sources
    if not found:
        return lacking(view, "sources", heading)
    parts = _parts(found)
    panels = [Panel(name, _drawn(part)) for name, part in parts]
    left_out = len(found) - sum(len(part) for _, part in parts)
    rest = f" {plural(left_out, 'source')} in between only in the table." if left_out else ""
    return Figure(
        name="sources",
        heading=heading,
        source="",
        summary=_summary(found),
        panels=panels,
        layout="one" if len(panels) == 1 else "two",
        legend=(),
        caption=(
            "Share of likes among likes and dislikes, with the 95\u00a0% interval (Wilson): few verdicts give a "
            f"wide interval. A story counts for each of its sources.{rest}"
        ),
        table=Table(
            f"Sources with {MIN_SOURCE_VERDICTS} likes or dislikes or more",
            ["source", "likes", "dislikes", "liked", "at least", "at most", "rarely liked"],
            [
                [
                    _name(each),
                    f"{each.likes:,}",
                    f"{each.dislikes:,}",
                    *(percent(share) for share in (each.share, each.low, each.high)),
                    each.hint,
                ]
                for each in found
            ],
        ),
    )


def _parts(found: Sequence[SourceOpinion]) -> list[tuple[str, Sequence[SourceOpinion]]]:
    if len(found) < MIN_FOR_TWO_PANELS:
        return [("", found)]
    half = min(PER_PANEL, len(found) // 2)
    return [("Liked most", found[:half]), ("Liked least", found[-half:])]


def _drawn(found: Sequence[SourceOpinion]) -> Markup:
    rows = [
        Row(
            _name(each),
            [Dot(_NOT if each.hint else _LIKED, 100 * each.share, f"{each.likes} of {each.likes + each.dislikes}")],
            span=(100 * each.low, 100 * each.high),
        )
        for each in found
    ]
    described = f"Share of likes of {plural(len(rows), 'source')}, with intervals"
    return row_chart(rows, Axis("liked, %", 0.0, 100.0), described)


def _summary(found: Sequence[SourceOpinion]) -> str:
    best = found[0]
    text = f"Liked most reliably: {_name(best)}, {best.likes} of {best.likes + best.dislikes}."
    hints = [f"{_name(each)} ({each.hint})" for each in found if each.hint]
    if not hints:
        return text
    more = f", and {len(hints) - _NAMED} more" if len(hints) > _NAMED else ""
    return f"{text} Rarely liked: {listed(hints[:_NAMED])}{more}."


def _name(source: SourceOpinion) -> str:
    return source.title or source.url


_IN_SUMMARY = 5


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
        for name, found, style in (("Words you like", liked, _LIKED), ("Words you dislike", disliked, _NOT))
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
