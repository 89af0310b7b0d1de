"""``iscore rules``: what is always shown, never shown, raised or lowered, whatever was learned."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened, present
from iscore.cli.durations import duration
from iscore.cli.terminal.output import line, say, show, styled, tell
from iscore.presentation.wording.quantities import counted
from iscore.rules.boosts import WORDS, read_boost

if TYPE_CHECKING:
    from rich.table import Table

    from iscore.services.views.rules import RuleTrial, RuleView

app = typer.Typer(help="Your own rules; they stand in rules.yaml, which you may also edit.")

Action = Annotated[
    str, typer.Argument(metavar="ACTION", help="`always` or `never` shown, or `boost`.", show_default=False)
]
Looks = Annotated[
    str,
    typer.Argument(
        metavar="FIELD",
        help="What it looks at: `word`, `phrase`, `source`, `author`, `category`, `tag` or `regex`.",
        show_default=False,
    ),
]
Looked = Annotated[
    str,
    typer.Argument(
        metavar="TEXT",
        help="What it looks for, whatever the case; a star at the end fits any ending.",
        show_default=False,
    ),
]
By = Annotated[
    str,
    typer.Option(
        "--by", metavar="MUCH", help=f"How much: {', '.join(WORDS)}, with `down` to lower; or log-odds, such as 0.5."
    ),
]
InTitle = Annotated[bool, typer.Option("--in-title", help="Look at titles only.")]


@app.command()
def add(
    ctx: typer.Context,
    action: Action,
    looks: Looks,
    text: Looked,
    by: By = "",
    in_title: InTitle = False,
    until: Annotated[str, typer.Option("--until", metavar="DATE", help="The last day on which it is in force.")] = "",
    during: Annotated[
        str, typer.Option("--for", metavar="TIME", help="The same as a length of time, such as 30d or 4w.")
    ] = "",
    note: Annotated[str, typer.Option("--note", help="Why, for yourself.")] = "",
    as_json: AsJson = False,
) -> None:
    """Add a rule. It is in force at once, and teaches nothing.

    [dim]iscore rules add never word celebrity --for 30d[/dim]

    [dim]iscore rules add boost source LWN.net --by strongly[/dim]
    """
    last = _last_day(until, during)
    with opened(ctx) as news:
        boost = read_boost(by) if by else None
        view = news.rules.add(action, looks, text, boost=boost, until=last, note=note, in_title=in_title)
        waiting = news.inbox(limit=1).waiting
    if as_json:
        print_json(view)
        return
    say(f"Rule {view.number}, {line(_said(view))}.")
    if view.problem:
        tell(f"iscore: it is switched off: {view.problem}")
    tell(f"{counted(waiting, 'article')} in your inbox now; `iscore rules remove {view.number}` takes it back.")


@app.command(name="list")
def list_(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List your rules, each with the number by which it is removed.

    [dim]iscore rules list[/dim]
    """
    with opened(ctx) as news:
        views = news.rules.list()
    if as_json:
        print_json(views)
    elif not views:
        say("You have no rules. `iscore rules add never word celebrity` adds one.")
    else:
        show(rules_table(views))


@app.command()
def remove(
    ctx: typer.Context,
    number: Annotated[
        int, typer.Argument(metavar="NUMBER", help="Its number in `iscore rules list`.", show_default=False)
    ],
    as_json: AsJson = False,
) -> None:
    """Remove a rule. What it held back and still waits comes into the inbox again.

    [dim]iscore rules remove 2[/dim]
    """
    with opened(ctx) as news:
        view = news.rules.remove(number)
    if as_json:
        print_json(view)
    else:
        say(f"Removed {line(_said(view))}.")


@app.command(name="test")
def try_out(
    ctx: typer.Context,
    action: Action,
    looks: Looks,
    text: Looked,
    by: By = "",
    in_title: InTitle = False,
    days: Annotated[int, typer.Option("--days", min=1, max=365, metavar="N", help="Look back N days.")] = 7,
    limit: Annotated[int, typer.Option("--limit", min=1, metavar="N", help="Show at most N.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Tell which articles of the last days a rule would touch, and add nothing.

    [dim]iscore rules test never phrase "black friday" --days 30[/dim]
    """
    with opened(ctx) as news:
        boost = read_boost(by) if by else None
        trial = news.rules.try_out(action, looks, text, boost=boost, in_title=in_title, days=days, limit=limit)
        now = present()
    if as_json:
        print_json(trial)
        return
    from iscore.cli.inbox import stories_table

    show(styled(told(trial), "bold"), *([stories_table(trial.items, now)] if trial.items else []))


def told(trial: RuleTrial) -> str:
    """Say what a rule would do."""
    looked = f"{counted(trial.stories, 'article')} of the last {counted(trial.days, 'day')}"
    if not trial.touched:
        return f"It fits none of {looked}."
    newest = f", the newest {len(trial.items):,} of them" if len(trial.items) < trial.touched else ""
    return (
        f"It fits {trial.touched:,} of {looked}{newest}: "
        f"{trial.shown:,} would be shown that are not now, {trial.hidden:,} would be shown no longer."
    )


def rules_table(views: list[RuleView]) -> Table:
    """Lay out rules: number, what it does, and below that how long, why, and whether anything is wrong."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2, 0, 0), expand=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    for view in views:
        lines = [styled(view.words, "bold" if view.in_force and not view.problem else "dim")]
        about = " · ".join(part for part in (_how_long(view), view.note) if part)
        if about:
            lines.append(styled(about, "dim"))
        if view.problem:
            lines.append(styled(f"switched off: {view.problem}", "red"))
        table.add_row(styled(str(view.number), "cyan"), Text("\n").join(lines))
    return table


def _said(view: RuleView) -> str:
    how_long = _how_long(view)
    return f"{view.words} ({how_long})" if how_long else view.words


def _how_long(view: RuleView) -> str:
    if view.until is None:
        return ""
    return f"until {view.until}" if view.in_force else f"expired, was until {view.until}"


def _last_day(until: str, during: str) -> date | timedelta | None:
    if until and during:
        raise typer.BadParameter("say either when it ends or how long it lasts", param_hint="'--until' / '--for'")
    if during:
        length = duration(during)
        if length < timedelta(days=1):
            raise typer.BadParameter("a rule lasts a day or longer", param_hint="'--for'")
        return length
    try:
        return date.fromisoformat(until) if until else None
    except ValueError:
        raise typer.BadParameter(f"{until!r} is no date; write it as 2026-12-24", param_hint="'--until'") from None
