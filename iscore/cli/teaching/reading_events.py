"""``iscore reading``: whether the filter learns from what you read."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened
from iscore.cli.terminal.output import write
from iscore.presentation.wording.quantities import reading_words


class Switch(StrEnum):
    """The states of the switch."""

    ON = "on"
    OFF = "off"


def reading(
    ctx: typer.Context,
    switch: Annotated[
        Switch | None, typer.Argument(help="Without it, show what was recorded.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Let the filter learn from what you open, read and save in the browser, or no longer.

    It counts a little, never as much as a verdict, and stays on this machine. Off means not recorded.

        iscore reading
        iscore reading on
        iscore reading off
    """
    with opened(ctx) as news:
        if switch is not None:
            news.reading_events.switch(on=switch is Switch.ON)
        view = news.reading_events.view()
    if as_json:
        print_json(view)
    elif view.on:
        write(f"On. {reading_words(view)}")
    else:
        write("Off: what you do while you read is not recorded, and teaches nothing.")
