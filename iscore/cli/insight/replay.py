"""``iscore replay``: evaluate classifiers on labelled streams or on your own verdicts."""

from __future__ import annotations

import dataclasses
import os
import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened, present
from iscore.cli.options import duration, interval
from iscore.cli.terminal.output import message, render, styled, write
from iscore.cli.terminal.progress import progress_bar
from iscore.presentation.wording.quantities import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.table import Table

    from iscore.evaluation.replay.run import ReplayResult


class ProtocolName(StrEnum):
    """The verdicts that the filter gets."""

    FULL = "full"
    DELIVERED = "delivered"


class ThresholdName(StrEnum):
    """What finds the threshold where every verdict is known: the keys of ``paper.THRESHOLDERS``."""

    EXPECTED = "expected"
    PAST = "past"


def replay(
    ctx: typer.Context,
    streams: Annotated[
        list[Path] | None,
        typer.Argument(metavar="STREAM", help="Labelled streams: JSON Lines, also .xz or .gz.", show_default=False),
    ] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option(metavar="P", help="A reader of the streams; repeatable. All by default."),
    ] = None,
    classifier: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="A classifier; repeatable. The default classifier by default; all with --own."
        ),
    ] = None,
    protocol: Annotated[
        ProtocolName,
        typer.Option(
            metavar="NAME",
            help="full: a verdict on every article; delivered: on delivered articles only, after --delay.",
        ),
    ] = ProtocolName.FULL,
    threshold: Annotated[
        ThresholdName | None,
        typer.Option(
            metavar="NAME",
            help="With full: expected or past, the threshold with the best F0.5 expected, or over past verdicts. "
            "Each classifier's own by default.",
            show_default=False,
        ),
    ] = None,
    delay: Annotated[
        str, typer.Option(metavar="TIME", help="With delivered: time from scoring to the verdict.")
    ] = "1d",
    every: Annotated[
        str, typer.Option(metavar="TIME", help="With delivered: time between batches, or articles per batch.")
    ] = "1d",
    start: Annotated[
        str,
        typer.Option(
            metavar="START",
            help="With delivered: nothing, examples:N, interests:FILE or headlines.",
        ),
    ] = "nothing",
    archive: Annotated[
        int, typer.Option(metavar="A", min=0, help="With delivered: articles that are there before the start.")
    ] = 0,
    draw: Annotated[
        int, typer.Option(metavar="D", min=0, help="With examples: 0 takes the newest, other numbers others.")
    ] = 0,
    one_verdict_in: Annotated[
        int, typer.Option(metavar="N", min=1, help="With delivered: a verdict on one delivery in N.")
    ] = 1,
    beta: Annotated[
        float, typer.Option(metavar="B", min=0.25, max=2, help="With delivered: below 0.5 fewer articles, above more.")
    ] = 0.5,
    report: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for the report, and to resume later.", show_default=False),
    ] = None,
    jobs: Annotated[int, typer.Option(metavar="N", min=0, help="Processes; 0: one per processor.")] = 1,
    cluster: Annotated[
        str, typer.Option(metavar="URL", help="Dask scheduler, such as tcp://host:8786.", show_default=False)
    ] = "",
    own: Annotated[bool, typer.Option("--own", help="Replay your own verdicts instead of streams.")] = False,
    as_json: AsJson = False,
) -> None:
    """Evaluate classifiers: each article is scored first and learned afterwards.

    With --report, an interrupted replay resumes where it stopped.

        iscore replay reuters.jsonl.xz --proxy crude --proxy trade --report crude-and-trade
        iscore replay --own
    """
    _check_usage(streams, proxy, protocol, own=own)
    delay_, every_ = duration(delay), interval(every)
    examples = _examples(start, archive, draw, protocol)
    if one_verdict_in > 1 and protocol is ProtocolName.FULL:
        raise typer.BadParameter("--one-verdict-in needs --protocol delivered")
    if threshold is not None and protocol is ProtocolName.DELIVERED:
        raise typer.BadParameter("--threshold works with --protocol full only")
    thresholder = "" if threshold is None else threshold.value

    if beta != 0.5 and protocol is ProtocolName.FULL:
        raise typer.BadParameter("--beta needs --protocol delivered")

    from iscore.evaluation.replay.protocol import Protocol
    from iscore.evaluation.replay.run import Workers
    from iscore.learners import LEARNERS

    workers = Workers(jobs or os.cpu_count() or 1, cluster)
    with progress_bar() as progress:
        if own:
            from iscore.evaluation.replay.own_history import replay_own_history

            with opened(ctx) as news:
                result = replay_own_history(
                    news,
                    classifiers=classifier or list(LEARNERS),
                    thresholder=thresholder,
                    report=report,
                    workers=workers,
                    progress=progress,
                )
        else:
            from iscore.core.settings import Settings
            from iscore.evaluation.replay.run import replay as run

            result = run(
                streams or [],
                readers=proxy or [],
                classifiers=classifier or [Settings.model_fields["classifier"].default],
                protocol=Protocol(
                    "delivered",
                    delay_,
                    every_,
                    archive=archive,
                    examples=examples,
                    draw=draw,
                    headlines=start == "headlines",
                    interests=_interests(start),
                    beta=beta,
                    one_verdict_in=one_verdict_in,
                )
                if protocol is ProtocolName.DELIVERED
                else Protocol(thresholder=thresholder),
                report=report,
                about={"replayed": f"{present():%Y-%m-%d}"},
                workers=workers,
                progress=progress,
            )
    for name, reason in result.extractor_problems.items():
        message(f"iscore: extractor {name}: {reason}; its features are missing")
    if result.left_out:
        message(f"iscore: left out, with too few examples or no interest: {', '.join(result.left_out)}")
    if as_json:
        print_json(document(result))
        return
    render(results_table(result))
    write()
    write(closing(result, own=own))


def _check_usage(
    streams: Sequence[Path] | None, proxy: Sequence[str] | None, protocol: ProtocolName, *, own: bool
) -> None:
    if own and (streams or proxy):
        raise typer.BadParameter("--own replays your own verdicts; leave out streams and --proxy")
    if own and protocol is ProtocolName.DELIVERED:
        raise typer.BadParameter("--own works with --protocol full only")
    if not own and not streams:
        raise typer.BadParameter("name a labelled stream, or use --own")


def _examples(start: str, archive: int, draw: int, protocol: ProtocolName) -> int:
    """Return how many examples a start has. Raises ``BadParameter``."""
    found = re.fullmatch(r"nothing|headlines|interests:.+|examples:([1-9]\d{0,5})", start)
    if found is None:
        raise typer.BadParameter(f"{start!r} is no start; write nothing, headlines, interests:FILE or examples:10")
    if protocol is ProtocolName.FULL and (archive or start != "nothing"):
        raise typer.BadParameter("--start and --archive need --protocol delivered")
    if start not in ("nothing", "headlines") and not archive:
        raise typer.BadParameter(f"--start {start} needs --archive: the articles that are there before the start")
    if draw and not found[1]:
        raise typer.BadParameter("--draw needs --start examples:N")
    return int(found[1] or 0)


def _interests(start: str) -> tuple[tuple[str, str], ...]:
    """Read the file of a start from interests, if it is one. Raises ``ReplayError``."""
    from iscore.evaluation.replay.starts import interests_of

    kind, _, file = start.partition(":")
    return interests_of(Path(file)) if kind == "interests" else ()


def document(result: ReplayResult) -> dict[str, Any]:
    """Return the JSON document; results are as in ``report.json``."""
    from iscore.evaluation.replay.metrics import METRICS
    from iscore.evaluation.replay.report.files import identity

    answer = {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}
    rows = [identity(each) | {name: getattr(each, name) for name in METRICS} for each in result.results]
    return answer | {"results": rows}


def results_table(result: ReplayResult) -> Table:
    """Lay out one row per reader and classifier, and the means."""
    from rich.table import Table

    # A column whose values are all equal is left out.
    labels = ("stream", "reader", "classifier")
    varying = [name for name in labels if len({getattr(each, name) for each in result.results}) > 1 or name == "reader"]
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold")
    for name in varying:
        table.add_column(name, overflow="fold")
    for heading, _, _ in _COLUMNS:
        table.add_column(heading, justify="right", no_wrap=True, min_width=max(map(len, heading.split())))
    for each in result.results:
        row = {measure: getattr(each, measure) for _, measure, _ in _COLUMNS}
        table.add_row(*(styled(getattr(each, name)) for name in varying), *_cells(row))
    for classifier, means in result.mean.items():
        first = {"stream": "", "reader": "", "classifier": classifier} | {varying[0]: "mean"}
        table.add_row(*(styled(first[name], "bold") for name in varying), *_cells(means), style="bold")
    return table


_COLUMNS = (
    ("articles", "n", "{:,.0f}"),
    ("liked", "positives", "{:,.0f}"),
    ("F0.5", "f05", "{:.3f}"),
    ("prec.", "precision", "{:.3f}"),
    ("recall", "recall", "{:.3f}"),
    ("first\n5,000", "f05_first_5000", "{:.3f}"),
    ("votes", "verdicts", "{:,.0f}"),
    ("s", "seconds", "{:,.1f}"),
)
"""Heading, metric, format."""


def _cells(measures: Mapping[str, float | None]) -> list[str]:
    values = [(measures.get(measure), form) for _, measure, form in _COLUMNS]
    return ["–" if value is None else form.format(value) for value, form in values]


def closing(result: ReplayResult, *, own: bool) -> str:
    """Return notes on the table, and the path of the report."""
    classifiers = list(result.mean)
    by = classifiers[0] if len(classifiers) == 1 else counted(len(classifiers), "classifier")
    streams = dict.fromkeys(each.stream for each in result.results)
    lines = [
        f"{', '.join(streams)}; {by}, {result.protocol} protocol. F0.5 combines precision and recall, precision counts "
        "double. Votes: verdicts that the filter learned from. s: processor seconds for scoring and learning."
    ]
    if own:
        from iscore.evaluation.replay.own_history import NOTE

        lines.append(NOTE)
    if result.report is not None:
        lines.append(f"The report is {result.report / 'report.html'}.")
    return "\n".join(lines)
