"""The report page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo

from iscore.presentation.charts.figure import UNDEFINED, plural
from iscore.presentation.history_report.figures import figures
from iscore.presentation.history_report.wording import day, percent, two
from iscore.presentation.html import render
from iscore.presentation.wording.quantities import likelihood
from iscore.services.views.history import HistoryView


@dataclass(frozen=True, slots=True)
class Tile:
    """One number at the top of the page, with its meaning."""

    name: str
    value: str
    words: str


def page(view: HistoryView, *, zone: tzinfo | None) -> str:
    """Return the page, to be stored as UTF-8; times in ``zone``, None for the machine's."""
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
        return "No article has been scored yet."
    return (
        f"{day(view.since, zone)} to {day(view.at, zone)}: {plural(view.articles, 'article')}, {view.recommended:,} "
        f"recommended, {view.explored:,} shown to explore."
    )


def _lead(view: HistoryView) -> str:
    """Return a short summary."""
    verdicts = plural(view.likes + view.dislikes, "verdict")
    if view.overall.f05 is None or view.overall.precision is None:
        return f"{verdicts} so far. The filter learns from every like and dislike."
    text = (
        f"You liked {percent(view.overall.precision)} of the articles recommended on arrival, and "
        f"{percent(view.overall.recall)} of the articles you liked had been recommended on arrival, over {verdicts}."
    )
    return text + _course(view)


def _course(view: HistoryView) -> str:
    """Compare the first with the last F0.5; empty if there is only one."""
    known = [(point, point.f05) for point in view.course if point.f05 is not None]
    if len(known) < 2:
        return ""
    (first, was), (last, is_now) = known[0], known[-1]
    over = f"over the last {min(view.window, last.verdicts)} verdicts"
    if two(was) == two(is_now):
        return f" Its F0.5 is {two(is_now)} {over}, as over the first {first.verdicts}."
    moved = "rose" if is_now > was else "fell"
    return f" Its F0.5 {moved} from {two(was)} over the first {first.verdicts} to {two(is_now)} {over}."


def _tiles(view: HistoryView) -> list[Tile]:
    used = view.features.in_use[-1].size if view.features is not None and view.features.in_use else None
    of = f"of {view.features.n_features} features in use" if view.features is not None else "features in use"
    counts = f"{plural(view.likes, 'like')}, {plural(view.dislikes, 'dislike')}"
    return [
        Tile("F0.5", two(view.overall.f05), "precision and recall in one number, precision counts double"),
        Tile("Precision", percent(view.overall.precision), "of what was recommended on arrival, you liked this share"),
        Tile(
            "Recall",
            percent(view.overall.recall),
            "of the articles you liked, this share was recommended on arrival; counts only what you saw",
        ),
        Tile("Verdicts", f"{view.likes + view.dislikes:,}", counts),
        Tile("Threshold", likelihood(view.threshold) if view.trained_since else UNDEFINED, "what an article needs"),
        Tile("Features", UNDEFINED if used is None else f"{used:,}", of),
    ]
