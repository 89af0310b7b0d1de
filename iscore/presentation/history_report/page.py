"""The report as one self-contained page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo

from iscore.presentation.charts.figure import UNDEFINED, plural
from iscore.presentation.history_report.figures import figures
from iscore.presentation.history_report.wording import day, percent, signed, two
from iscore.presentation.html import render
from iscore.services.views.history import HistoryView


@dataclass(frozen=True, slots=True)
class Tile:
    """One number at the head of the page, with what it means."""

    name: str
    value: str
    words: str


def page(view: HistoryView, *, zone: tzinfo | None) -> str:
    """Return the page, to be stored as UTF-8; times are those of ``zone`` (None: the machine's own)."""
    return render(
        "iscore.presentation.history_report",
        "report.html",
        made=day(view.at, zone),
        headline=_headline(view, zone),
        lead=_lead(view),
        tiles=_tiles(view),
        figures=figures(view, zone),
        scale=view.scale,
    )


def _headline(view: HistoryView, zone: tzinfo | None) -> str:
    if view.since is None:
        return "Nothing has been judged yet."
    return (
        f"{day(view.since, zone)} to {day(view.at, zone)}: {plural(view.articles, 'article')}, {view.recommended:,} "
        f"recommended, {view.explored:,} shown to explore."
    )


def _lead(view: HistoryView) -> str:
    """Say in a sentence or two how far it has got."""
    verdicts = plural(view.likes + view.dislikes, "verdict")
    if view.overall.f05 is None or view.overall.precision is None:
        return f"{verdicts} so far: every like and every dislike teaches it."
    said = (
        f"Of what it recommended you liked {percent(view.overall.precision)}, and {percent(view.overall.recall)} of "
        f"what you liked it had recommended, over {verdicts}."
    )
    if len(view.course) > 1 and view.course[-1].f05 is not None and view.course[0].f05 is not None:
        first, last = view.course[0], view.course[-1]
        over = f"the last {min(view.window, last.verdicts)} verdicts"
        said += f" Its F0.5 went from {two(first.f05)} over the first {first.verdicts} to {two(last.f05)} over {over}."
    return said


def _tiles(view: HistoryView) -> list[Tile]:
    used = view.features.in_use[-1].size if view.features is not None and view.features.in_use else None
    of = f"of {view.features.n_features} features in use" if view.features is not None else "features in use"
    said = f"{plural(view.likes, 'like')}, {plural(view.dislikes, 'dislike')}"
    return [
        Tile("F0.5", two(view.overall.f05), "precision and recall in one, precision counting double"),
        Tile("Precision", percent(view.overall.precision), "of what was recommended as it arrived, you liked"),
        Tile(
            "Recall", percent(view.overall.recall), "of what you liked was recommended as it arrived, as far as you saw"
        ),
        Tile("Verdicts", f"{view.likes + view.dislikes:,}", said),
        Tile("Threshold", signed(view.threshold) if view.warm_since else UNDEFINED, "log-odds, to be recommended"),
        Tile("Features", UNDEFINED if used is None else f"{used:,}", of),
    ]
