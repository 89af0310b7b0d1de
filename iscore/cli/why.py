"""``iscore why``: explain an article's score."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened, present
from iscore.cli.show import ArticleId, article_heading
from iscore.cli.terminal import output
from iscore.presentation.wording.explanation import (
    contributions,
    decision_words,
    first_words,
    informative_words,
    judgement_words,
    value_words,
)
from iscore.presentation.wording.quantities import signed

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from iscore.services.views.articles import FeatureView, WhyView

_BAR = 16
"""Columns of the longest bar."""


def why(ctx: typer.Context, article_id: ArticleId, as_json: AsJson = False) -> None:
    """Explain an article's score, feature by feature.

    Contributions are log-odds that add up to the score: +0.7 doubles the odds that you like it.

    [dim]iscore why k3f9a2[/dim]
    """
    with opened(ctx) as news:
        view, now = news.why(article_id), present()
    if as_json:
        print_json(view)
    else:
        output.render(*explanation(view, now))


def explanation(view: WhyView, now: datetime) -> list[RenderableType]:
    """Lay out the explanation: decision, reasons, contributions of features, words."""
    lines: list[RenderableType] = [article_heading(view.article, now), "", _decision(view)]
    lines += [output.styled(reason, indent="  – ") for reason in view.reasons]
    moved = contributions(view)
    lines += ["", output.styled("Contributions to the score", "bold")]
    if moved.features or view.learning.warm:
        lines += [features_table(view.prior, list(moved.features)), output.styled(moved.rest, "dim")]
    else:
        lines.append(output.styled(moved.rest))
    words = informative_words(view)
    if words:
        lines += ["", *(output.styled(f"{heading}: {listed}") for heading, listed in words)]
    first = first_words(view, now)
    if first:
        lines += ["", output.styled(first, "dim")]
    return lines


def _decision(view: WhyView) -> Text:
    text = output.styled(decision_words(view), "bold green" if view.interesting else "bold yellow")
    return text.append(f": {judgement_words(view)}", "not bold default")


def features_table(prior: float, features: list[FeatureView]) -> Table:
    """Lay out contributions as numbers and bars, the prior first."""
    from rich.table import Table

    longest = max([abs(prior), *(abs(feature.contribution) for feature in features), 1e-9])
    table = Table.grid(padding=(0, 2, 0, 0), expand=True)
    table.add_column(ratio=1, overflow="fold")
    table.add_column(justify="right", no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True, width=_BAR)
    table.add_row(output.styled("before any feature"), "", signed(prior), _bar(prior, longest))
    for feature in features:
        table.add_row(
            output.styled(feature.meaning or feature.name),
            value_words(feature),
            signed(feature.contribution),
            _bar(feature.contribution, longest),
        )
    return table


def _bar(contribution: float, longest: float) -> Text:
    length = round(_BAR * abs(contribution) / longest)
    return output.styled("█" * length, "green" if contribution > 0 else "red")
