"""``iscore stats --html``: how the filter has learned, from the user's history, with figures of amounts over time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import tzinfo

import numpy as np
from markupsafe import Markup

from iscore.presentation.charts.bars import Bar, Column, bar_chart, column_chart
from iscore.presentation.charts.figure import UNDEFINED, Figure, Panel, Table, plural, whole
from iscore.presentation.charts.line_chart import Axis, Line, line_chart, moment, named_days
from iscore.presentation.charts.marks import OTHERS
from iscore.presentation.report.page import Report, Tile, report_page
from iscore.presentation.report.parts import day, hours, lacking, percent, period, signed, two
from iscore.presentation.report.quality import calibration, course, missed, spread
from iscore.presentation.report.tastes import features, sources, words
from iscore.presentation.wording.quantities import likelihood
from iscore.presentation.wording.scores import checked_words, share_words
from iscore.services.views.history import MIN_DELAYS, DelayBin, HistoryView, Period


def figures(view: HistoryView, zone: tzinfo | None) -> list[Figure]:
    """Return all figures in page order."""
    makers = (course, missed, volume, threshold, delays, features, sources, words, calibration, spread)
    return [make(view, zone) for make in makers]


def history_page(view: HistoryView, *, zone: tzinfo | None) -> str:
    """Return the page, to be stored as UTF-8; times in ``zone``, None for the machine's."""
    report = Report(
        kind="history",
        title="How your filter learns",
        headline=_headline(view, zone),
        lead=[_lead(view)],
        tiles=_tiles(view),
        figures=figures(view, zone),
        notes={"made": day(view.at, zone)},
    )
    return report_page(report)


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
    text = f"You liked {percent(view.overall.precision)} of the articles recommended on arrival, over {verdicts}."
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
        Tile("F0.5", two(view.overall.f05), "agreement with your verdicts, counts only what you saw"),
        Tile("Precision", percent(view.overall.precision), "of what was recommended on arrival, you liked this share"),
        Tile(
            "Missed",
            share_words(view.missed.checked),
            checked_words(view.missed.checked),
        ),
        Tile("Verdicts", f"{view.likes + view.dislikes:,}", counts),
        Tile("Threshold", likelihood(view.threshold) if view.trained_since else UNDEFINED, "what an article needs"),
        Tile("Features", UNDEFINED if used is None else f"{used:,}", of),
    ]


_KINDS = {"arrived": 0, "recommended": 1, "explored": 3, "read": 4}
_NAMES = 3


def volume(view: HistoryView, _zone: tzinfo | None) -> Figure:
    """A column chart for each, with its own scale."""
    heading = "From all articles to what you read"
    if not view.periods:
        return lacking(view, "volume", heading)
    named = _named(view.periods)
    arrived, recommended, explored, read = (
        whole(sum(getattr(each, kind) for each in view.periods) / len(view.periods)) for kind in _KINDS
    )
    return Figure(
        name="volume",
        heading=heading,
        source="",
        summary=(
            f"A {view.scale} brings {arrived} articles; {recommended} are recommended, {explored} shown to explore, "
            f"and you read {read}."
        ),
        panels=[Panel(kind, _columns(view, kind, style, named)) for kind, style in _KINDS.items()],
        layout="many",
        legend=(),
        caption=(
            f"Each column is a {view.scale}; scales differ. Recommended and explored are first decisions about "
            "stories, read is what you liked, disliked or skipped."
        ),
        table=Table(
            f"Each {view.scale}",
            ["time", "arrived", "recommended", "explored", "read", "likes and dislikes", "threshold"],
            [
                [
                    period(each.first, each.last),
                    *(whole(getattr(each, kind)) for kind in (*_KINDS, "verdicts")),
                    signed(each.threshold),
                ]
                for each in reversed(view.periods)
            ],
        ),
    )


def _columns(view: HistoryView, kind: str, style: int, named: Mapping[int, str]) -> Markup:
    counts = [getattr(each, kind) for each in view.periods]
    columns = [
        Column(float(count), named.get(number, ""), f"{period(each.first, each.last)}: {count:,}")
        for number, (each, count) in enumerate(zip(view.periods, counts, strict=True))
    ]
    return column_chart(columns, style, f"Articles {kind} in each {view.scale}; the table below has the numbers")


def _named(periods: tuple[Period, ...]) -> dict[int, str]:
    """Return the labels of the columns that contain a labelled day."""
    found: dict[int, str] = {}
    for when, name in named_days(periods[0].first, periods[-1].last, _NAMES):
        number = next(number for number, each in enumerate(periods) if each.first <= when <= each.last)
        found.setdefault(number, name)
    return found


def threshold(view: HistoryView, zone: tzinfo | None) -> Figure:
    """The last threshold of each day, week or month since the filter is trained."""
    heading = "Threshold"
    known = [(each, each.threshold) for each in view.periods if each.threshold is not None]
    if not known:
        return lacking(view, "threshold", heading)
    first, last = known[0][0].first, known[-1][0].first
    x = np.array([moment(each.first, zone) for each, _ in known])
    values = [value for _, value in known]
    least, most = signed(min(values)), signed(max(values))
    low, high = math.floor(min(-1.0, *values)), math.ceil(max(1.0, *values))
    names = [(moment(day, zone), name) for day, name in named_days(first, last)]
    drawn = line_chart(
        [Line(1, x, np.array(values)), Line(OTHERS, np.array([x[0], x[-1]]), np.zeros(2))],
        Axis("", float(x[0]), max(float(x[-1]), float(x[0]) + 1.0), names=names),
        Axis("log-odds", float(low), float(high)),
        f"The threshold at the end of each {view.scale}, from {first} to {last}",
    )
    return Figure(
        name="threshold",
        heading=heading,
        source="",
        summary=(
            f"An article now needs a score of {signed(view.threshold)} log-odds, a probability of interest of "
            f"{percent(_probability(view.threshold))}. At the end of each {view.scale} it was "
            f"{least if least == most else f'between {least} and {most}'}."
        ),
        panels=[Panel("", drawn)],
        layout="one",
        legend=(),
        caption=(
            f"The last threshold of each {view.scale}, since the filter is trained. At 0, the thin line, the odds are "
            "even. It moves to the value with the best F0.5, and falls if too few articles pass."
        ),
        table=Table(
            f"Threshold at the end of each {view.scale}",
            ["time", "log-odds"],
            [[period(each.first, each.last), signed(value)] for each, value in reversed(known)],
        ),
    )


def _probability(log_odds: float) -> float:
    return 0.5 * (1.0 + math.tanh(log_odds / 2))


def delays(view: HistoryView, _zone: tzinfo | None) -> Figure:
    """A bar for each range of delays."""
    heading = "Time to verdict"
    total = sum(each.verdicts for each in view.delays.bins)
    if total < MIN_DELAYS or view.delays.median is None:
        return lacking(view, "delays", heading)
    bounds = [None, *(each.hours for each in view.delays.bins)]
    named = [(_name(after, each), each.verdicts) for after, each in zip(bounds, view.delays.bins, strict=False)]
    return Figure(
        name="delays",
        heading=heading,
        source="",
        summary=f"Half of your verdicts come within {hours(view.delays.median)} of an article’s arrival.",
        panels=[
            Panel(
                "",
                bar_chart(
                    [Bar(name, float(count), 4, f"{count:,} · {percent(count / total)}") for name, count in named],
                    f"Time from arrival to verdict, {total:,} verdicts and skips",
                ),
            )
        ],
        layout="one",
        legend=(),
        caption="From the arrival of a story’s first article to your verdict, skips included.",
        table=Table(
            "Time from arrival to verdict",
            ["time", "verdicts", "share"],
            [[name, f"{count:,}", percent(count / total)] for name, count in named],
        ),
    )


def _name(after: float | None, bin_: DelayBin) -> str:
    if bin_.hours is None:
        return "over a week"
    if after is None:
        return "within an hour"
    if bin_.hours <= 24:
        return f"{after:.0f} to {bin_.hours:.0f} hours"
    return f"{after / 24:.0f} to {bin_.hours / 24:.0f} days"
