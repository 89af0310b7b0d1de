"""``iscore rules``: always show, never show or boost articles, whatever the filter learned."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened, present
from iscore.cli.options import duration
from iscore.cli.terminal.output import line, message, render, styled, write
from iscore.cli.terminal.progress import progress_bar
from iscore.presentation.wording.quantities import counted
from iscore.rules.boosts import WORDS, read_boost

if TYPE_CHECKING:
    from rich.table import Table

    from iscore.services.views.rules import RuleTrial, RuleView

app = typer.Typer(help="Your own rules. You can also edit rules.yaml.")

Action = Annotated[
    str, typer.Argument(metavar="ACTION", help="`always` (show), `never` (show) or `boost`.", show_default=False)
]
Looks = Annotated[
    str,
    typer.Argument(
        metavar="FIELD",
        help="What the rule matches: `word`, `phrase`, `source`, `author`, `category`, `tag` or `regex`.",
        show_default=False,
    ),
]
Looked = Annotated[
    str,
    typer.Argument(
        metavar="TEXT",
        help="The text to match, ignoring case; a star at the end matches any ending.",
        show_default=False,
    ),
]
By = Annotated[
    str,
    typer.Option(
        "--by",
        metavar="MUCH",
        help=f"How much to boost: {', '.join(WORDS)}, with `down` to lower; or log-odds, such as 0.5.",
    ),
]
InTitle = Annotated[bool, typer.Option("--in-title", help="Match titles only.")]


@app.command()
def add(
    ctx: typer.Context,
    action: Action,
    looks: Looks,
    text: Looked,
    by: By = "",
    in_title: InTitle = False,
    until: Annotated[str, typer.Option("--until", metavar="DATE", help="The last day on which the rule applies.")] = "",
    during: Annotated[
        str, typer.Option("--for", metavar="TIME", help="How long the rule applies, such as 30d or 4w.")
    ] = "",
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="A note for yourself.")] = "",
    as_json: AsJson = False,
) -> None:
    """Add a rule. It applies at once; the filter learns nothing from it.

    iscore rules add never word celebrity --for 30d
    iscore rules add boost source LWN.net --by strongly
    """
    last = _last_day(until, during)
    with opened(ctx) as news, progress_bar() as news.context.progress:
        boost = read_boost(by) if by else None
        view = news.rules.add(action, looks, text, boost=boost, until=last, note=note, in_title=in_title)
        waiting = news.inbox(limit=1).waiting
    if as_json:
        print_json(view)
        return
    write(f"Added rule {view.number}, {line(_description(view))}.")
    if view.problem:
        message(f"iscore: the rule is disabled: {view.problem}")
    message(f"{counted(waiting, 'article')} in your inbox now; `iscore rules remove {view.number}` removes the rule.")


@app.callback(invoke_without_command=True)
def _list_by_default(ctx: typer.Context) -> None:
    if ctx.invoked_subcommand is None:
        list_(ctx)


@app.command(name="list")
def list_(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List your rules with their numbers.

    iscore rules list
    """
    with opened(ctx) as news:
        views = news.rules.list()
    if as_json:
        print_json(views)
    elif not views:
        write("No rules yet. Add one, such as `iscore rules add never word celebrity`.")
    else:
        render(rules_table(views))


@app.command()
def remove(
    ctx: typer.Context,
    number: Annotated[
        int, typer.Argument(metavar="NUMBER", help="Its number in `iscore rules list`.", show_default=False)
    ],
    as_json: AsJson = False,
) -> None:
    """Remove a rule. Articles that it hid return to the inbox.

    iscore rules remove 2
    """
    with opened(ctx) as news:
        view = news.rules.remove(number)
    if as_json:
        print_json(view)
    else:
        write(f"Removed {line(_description(view))}.")


@app.command(name="test")
def try_out(
    ctx: typer.Context,
    action: Action,
    looks: Looks,
    text: Looked,
    by: By = "",
    in_title: InTitle = False,
    days: Annotated[
        int, typer.Option("--days", min=1, max=365, metavar="N", help="Test articles that arrived in the last N days.")
    ] = 7,
    limit: Annotated[int, typer.Option("--limit", min=1, metavar="N", help="Show at most N.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Show which recent articles without a verdict a rule would match, without adding it.

    iscore rules test never phrase "black friday" --days 30
    """
    with opened(ctx) as news:
        boost = read_boost(by) if by else None
        trial = news.rules.try_out(action, looks, text, boost=boost, in_title=in_title, days=days, limit=limit)
        now = present()
    if as_json:
        from iscore.services.views import story_json

        print_json(story_json.rule_trial(trial))
        return
    from iscore.cli.reading.inbox import articles_table

    render(styled(trial_summary(trial), "bold"), *([articles_table(trial.items, now)] if trial.items else []))


def trial_summary(trial: RuleTrial) -> str:
    """Return in words what a rule would do."""
    searched = f"{counted(trial.stories, 'unrated article')} that arrived in the last {counted(trial.days, 'day')}"
    if not trial.touched:
        return f"Matches none of {searched}."
    newest = f", the newest {len(trial.items):,} of them" if len(trial.items) < trial.touched else ""
    return (
        f"Matches {trial.touched:,} of {searched}{newest}: "
        f"it would add {trial.shown:,} to your inbox and hide {trial.hidden:,}."
    )


def rules_table(views: list[RuleView]) -> Table:
    """Lay out rules: number and effect; below that expiry, note and problem."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2, 0, 0), expand=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    for view in views:
        lines = [styled(view.words, "bold" if view.in_force and not view.problem else "dim")]
        about = " · ".join(part for part in (_expiry(view), view.note) if part)
        if about:
            lines.append(styled(about, "dim"))
        if view.problem:
            lines.append(styled(f"disabled: {view.problem}", "red"))
        table.add_row(styled(str(view.number), "cyan"), Text("\n").join(lines))
    return table


def _description(view: RuleView) -> str:
    expiry = _expiry(view)
    return f"{view.words} ({expiry})" if expiry else view.words


def _expiry(view: RuleView) -> str:
    if view.until is None:
        return ""
    return f"until {view.until}" if view.in_force else f"expired on {view.until}"


def _last_day(until: str, during: str) -> date | timedelta | None:
    if until and during:
        raise typer.BadParameter("use either --until or --for", param_hint="'--until' / '--for'")
    if during:
        length = duration(during)
        if length < timedelta(days=1):
            raise typer.BadParameter("a rule applies for at least a day", param_hint="'--for'")
        return length
    try:
        return date.fromisoformat(until) if until else None
    except ValueError:
        raise typer.BadParameter(f"{until!r} is not a date; write 2026-12-24", param_hint="'--until'") from None
