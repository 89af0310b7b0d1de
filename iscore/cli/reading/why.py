"""``iscore why``: explain an article's score."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened, present
from iscore.cli.reading.show import ArticleId, article_heading
from iscore.cli.terminal import output
from iscore.cli.terminal.progress import progress_bar
from iscore.presentation.wording.explanation import (
    STARTING_POINT,
    closeness_words,
    contributions,
    decision_words,
    family_sums,
    feature_words,
    first_words,
    informative_words,
    judgement_words,
    part_words,
    value_words,
)
from iscore.presentation.wording.quantities import signed

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from iscore.services.views.stories import FeatureView, WhyView

_BAR = 16
"""Columns of the longest bar."""


def why(
    ctx: typer.Context,
    article_id: ArticleId,
    details: Annotated[bool, typer.Option("--details", help="Include scores and features in figures.")] = False,
    as_json: AsJson = False,
) -> None:
    """Explain why an article is recommended or hidden.

    iscore why k3f9a2
    """
    with opened(ctx) as news, progress_bar() as news.context.progress:
        view, now = news.why(article_id), present()
    if as_json:
        from iscore.services.views import story_json

        print_json(story_json.why(view))
    else:
        output.render(*explanation(view, now, details=details))


def explanation(view: WhyView, now: datetime, *, details: bool = False) -> list[RenderableType]:
    """Lay out the explanation: decision, reasons, what counted, words; with ``details`` scores and features."""
    lines: list[RenderableType] = [article_heading(view.article, now), "", _decision(view, details=details)]
    lines += [output.styled(reason, indent="  – ") for reason in view.reasons]
    if details and part_words(view):
        lines += ["", output.styled(part_words(view))]
    if not view.learning.trained:
        lines += ["", output.styled(contributions(view).rest)]
    elif details:
        moved = contributions(view)
        heading = "The classifier's vote, in log-odds: +0.7 doubles the odds that you like it, −0.7 halves them"
        lines += ["", output.styled(heading, "bold"), features_table(view.prior, list(moved.features))]
        lines.append(output.styled(moved.rest, "dim"))
    elif counted := family_sums(view):
        lines += ["", output.styled("What counted", "bold"), _families_table(counted)]
    words = informative_words(view)
    if words:
        lines += ["", *(output.styled(f"{heading}: {listed}") for heading, listed in words)]
    first = first_words(view, now) if details else ""
    if first:
        lines += ["", output.styled(first, "dim")]
    return lines


def _decision(view: WhyView, *, details: bool) -> Text:
    text = output.styled(decision_words(view), "bold green" if view.interesting else "bold yellow")
    return text.append(f": {judgement_words(view) if details else closeness_words(view)}", "not bold default")


def _families_table(sums: tuple[tuple[str, float], ...]) -> Table:
    from rich.table import Table

    longest = max((abs(added) for _, added in sums), default=1.0)
    table = Table.grid(padding=(0, 2, 0, 0))
    for family, added in sums:
        table.add_row(output.styled(family, indent="  "), "for it" if added > 0 else "against it", _bar(added, longest))
    return table


def features_table(prior: float, features: list[FeatureView]) -> Table:
    """Lay out contributions as numbers and bars, the prior first."""
    from rich.table import Table

    longest = max([abs(prior), *(abs(feature.contribution) for feature in features), 1e-9])
    table = Table.grid(padding=(0, 2, 0, 0), expand=True)
    table.add_column(ratio=1, overflow="fold")
    table.add_column(justify="right", no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True, width=_BAR)
    table.add_row(output.styled(STARTING_POINT), "", signed(prior), _bar(prior, longest))
    for feature in features:
        table.add_row(
            output.styled(feature_words(feature)),
            value_words(feature),
            signed(feature.contribution),
            _bar(feature.contribution, longest),
        )
    return table


def _bar(contribution: float, longest: float) -> Text:
    length = round(_BAR * abs(contribution) / longest)
    return output.styled("█" * length, "green" if contribution > 0 else "red")
