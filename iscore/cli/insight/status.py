"""``iscore status``: the state of the filter."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened, present
from iscore.cli.terminal.output import problem_lines, render, styled
from iscore.cli.terminal.progress import progress_bar
from iscore.presentation.wording.quantities import counted, likelihood, percent, signed, two_decimals
from iscore.presentation.wording.scores import learning_words, missed_words, verdict_words, wanted_words
from iscore.presentation.wording.times import ago

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from iscore.services.news_filter import NewsFilter
    from iscore.services.views.status import StatusView


BETAS = (0.25, 0.5, 1.0, 2.0)
"""Values of the setting ``beta`` for which the details show how many recommendations they would give."""
NO_ENCODER = 'none: the extra "semantic" is not installed'
_BEST = 8
"""Features that are listed."""


def status(
    ctx: typer.Context,
    details: Annotated[bool, typer.Option("--details", help="Include figures of the filter.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show how the filter is doing: feeds, articles, verdicts, how well it knows you, and problems.

    iscore status
    """
    from iscore.jobs.mail.sender import MailSender

    with opened(ctx) as news, progress_bar() as news.context.progress:
        found = news.status(details=details or as_json)
        view, now = replace(found, mail_problem=MailSender.of(news).problem(), **_inbox_and_files(news)), present()
        a_day = _a_day(news) if details and not as_json else []
    if as_json:
        print_json(view)
    else:
        render(*report(view, now, details=details))
        if a_day:
            render("", styled("Recommendations a day", "bold"), figures_table(a_day))


def report(view: StatusView, now: datetime, *, details: bool = False) -> list[RenderableType]:
    """Lay out the status: what it did and how well, problems; with ``details`` the filter's figures."""
    lines: list[RenderableType] = [figures_table([*_figures(view, now), *(_details(view) if details else [])])]
    best = [f"{name} {signed(value)}" for name, value in view.best_features if value][:_BEST]
    if details and best and view.learning.trained:  # before that they are noise
        lines += ["", styled("Best features, by correlation with your verdicts", "bold")]
        lines.append(styled(", ".join(best)))
    if view.file_problems:
        lines += ["", styled("Problems", "bold")]
        lines += [styled(f"– {line}", "red") for line in view.file_problems]
    if view.problems:
        lines += ["", styled("Failing feeds", "bold")]
        lines += [styled(f"– {line}", "red") for line in problem_lines(view.problems)]
    if view.mail_problem:
        lines += ["", styled("Mail problem", "bold"), styled(f"– {view.mail_problem}", "red")]
    if view.moved:
        lines += ["", styled("Moved feeds", "bold")]
        lines += [styled(f"– {line}") for line in problem_lines(view.moved)]
    return lines


class _Found(TypedDict):
    waiting: int | None
    hidden: int | None
    file_problems: tuple[str, ...]


def _inbox_and_files(news: NewsFilter) -> _Found:
    """Return what waits in the inbox now, and what is wrong with feeds.yaml and rules.yaml."""
    from iscore.core.errors import IscoreError
    from iscore.jobs.maintenance.checks import State, rules, subscriptions

    checks = (subscriptions(news.context.feeds), rules(news.context.rules))
    problems = tuple(f"{each.found}; {each.next}" for each in checks if each.state is State.BROKEN)
    try:
        inbox = news.inbox(limit=0, learn=False)
    except IscoreError:  # rules.yaml, which is among the problems
        return {"waiting": None, "hidden": None, "file_problems": problems}
    return {"waiting": inbox.waiting, "hidden": inbox.hidden, "file_problems": problems}


def _a_day(news: NewsFilter) -> list[tuple[str, str]]:
    """Return how many recommendations a day each value of ``beta`` gives, and which is in force."""
    beta = news.context.settings.beta
    values = sorted({*BETAS, beta})
    return [
        (f"beta = {value:g}", f"about {number:.0f}{' (your setting)' if value == beta else ''}")
        for value, number in zip(values, news.recommendations_a_day(values), strict=True)
    ]


def figures_table(rows: list[tuple[str, str]]) -> Table:
    """Lay out figures with their names."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, styled(value))
    return table


def _figures(view: StatusView, now: datetime) -> list[tuple[str, str]]:
    polled = f"last poll {ago(view.last_poll, now)}" if view.last_poll else "never polled"
    waiting = "" if view.waiting is None else f"; {view.waiting:,} in your inbox, {view.hidden or 0:,} hidden"
    verdicts = verdict_words(view)
    if view.to_learn:
        verdicts += f"; {view.to_learn:,} of them will be learned by the next poll, inbox or digest"
    rows = [
        ("feeds", f"{view.feeds:,}, {polled}"),
        ("articles", f"{view.articles:,}{waiting}"),
        ("verdicts", verdicts),
    ]
    if not view.learning.trained:
        wanted = wanted_words(view.learning)
        rows.append(("", f"{learning_words(view.learning)}{f'; needs {wanted}' if wanted else ''}"))
    if view.precision is not None:
        rows.append(("accuracy", f"you liked {percent(view.precision)} of what was recommended, on arrival or later"))
    offer = "" if view.checked.checked else "; `iscore interests check` shows ten"
    rows.append(("missed", missed_words(view.checked) + offer))
    return rows


def _details(view: StatusView) -> list[tuple[str, str]]:
    used = counted(view.n_features, "feature")
    if view.subset_size < view.n_features:
        used = f"the best {view.subset_size} of {used}"
    return [
        ("precision", percent(view.precision)),
        ("F0.5", f"{two_decimals(view.f05)}, agreement with your verdicts; counts only what you saw"),
        ("threshold", f"{likelihood(view.threshold)}; {signed(view.threshold)} log-odds"),
        ("scored", f"{counted(view.decided, 'article')} by {used}"),
        ("meanings", f"of {counted(view.with_meaning, 'article')} by {view.encoder}" if view.encoder else NO_ENCODER),
    ]
