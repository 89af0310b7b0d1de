"""``iscore status``: the state of the filter."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened, present
from iscore.cli.terminal.output import problem_line, render, styled
from iscore.presentation.wording.quantities import counted, percent, signed, two_decimals
from iscore.presentation.wording.scores import learning_words, verdict_words, wanted_words
from iscore.presentation.wording.times import ago

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from iscore.services.views.status import StatusView


_BEST = 8
"""Features that are listed."""


def status(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show the state of the filter: verdicts, precision and recall, threshold, best features, failing feeds.

    [dim]iscore status[/dim]
    """
    from iscore.jobs.mail.sender import MailSender

    with opened(ctx) as news:
        view, now = replace(news.status(), mail_problem=MailSender.of(news).problem()), present()
    if as_json:
        print_json(view)
    else:
        render(*report(view, now))


def report(view: StatusView, now: datetime) -> list[RenderableType]:
    """Lay out the status: figures, best features, problems."""
    lines: list[RenderableType] = [figures_table(view, now)]
    best = [f"{name} {signed(value)}" for name, value in view.best_features if value][:_BEST]
    if best and view.learning.warm:  # before that they are noise
        lines += ["", styled("Best features, by correlation with your verdicts", "bold")]
        lines.append(styled(", ".join(best)))
    if view.problems:
        lines += ["", styled("Failing feeds", "bold")]
        lines += [styled(f"– {problem_line(problem)}", "red") for problem in view.problems]
    if view.mail_problem:
        lines += ["", styled("Mail problem", "bold"), styled(f"– {view.mail_problem}", "red")]
    if view.moved:
        lines += ["", styled("Moved feeds", "bold")]
        lines += [styled(f"– {problem_line(problem)}") for problem in view.moved]
    return lines


def figures_table(view: StatusView, now: datetime) -> Table:
    """Lay out the figures with their meaning."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in _figures(view, now):
        table.add_row(name, styled(value))
    return table


def _figures(view: StatusView, now: datetime) -> list[tuple[str, str]]:
    polled = f"last poll {ago(view.last_poll, now)}" if view.last_poll else "never polled"
    verdicts = verdict_words(view)
    if view.to_learn:
        verdicts += f"; the next poll, inbox or digest learns {view.to_learn} of them"
    rows = [
        ("feeds", f"{view.feeds}, {polled}"),
        (
            "articles",
            f"{view.articles:,}; {view.judged:,} scored, {view.recommended:,} recommended on arrival, "
            f"{view.explored:,} explored",
        ),
        ("verdicts", verdicts),
    ]
    if not view.learning.warm:
        wanted = wanted_words(view.learning)
        rows.append(("", f"{learning_words(view.learning)}{f'; needs {wanted}' if wanted else ''}"))
    return [
        *rows,
        ("F0.5", f"{two_decimals(view.f05)} (combines precision and recall, precision counts double)"),
        ("precision", f"{percent(view.precision)} of the articles recommended on arrival, you liked"),
        (
            "recall",
            f"{percent(view.recall)} of the articles you liked were recommended on arrival (of those you were shown)",
        ),
        ("threshold", f"{signed(view.threshold)} log-odds"),
        ("features", _features(view)),
    ]


def _features(view: StatusView) -> str:
    if view.subset_size == view.n_features:
        return f"all {view.n_features}"
    return f"the best {view.subset_size} of {counted(view.n_features, 'feature')}"
