"""Sources by the share of likes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo

from markupsafe import Markup

from iscore.presentation.charts.figure import Figure, Panel, Table, plural
from iscore.presentation.charts.line_chart import Axis
from iscore.presentation.charts.row_chart import Dot, Row, row_chart
from iscore.presentation.history_report.figures.missing_data import lacking
from iscore.presentation.history_report.wording import listed, percent
from iscore.services.views.history import MIN_SOURCE_VERDICTS, HistoryView, SourceOpinion

PER_PANEL = 12
"""Sources per panel; the table has all."""
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
