"""``iscore why``: what moved an article's score."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import typer

from iscore.cli import terminal
from iscore.cli.as_json import AsJson, print_json
from iscore.cli.home import opened, present
from iscore.cli.show import ArticleId, article_heading
from iscore.digest.wording import ago, counted, learning_words, signed, strength_words, wanted_words

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from iscore.views import FeatureView, WhyView

_BAR = 16
"""Columns of the longest bar."""
_MOST = 12
"""Features that are listed; what the others add is told in one sum. All stand in ``--json``."""
_NOTHING = 0.005
"""Contributions below this read 0.00."""
_WORDS = 8
"""Words for, and words against, that are named."""


def why(ctx: typer.Context, article_id: ArticleId, as_json: AsJson = False) -> None:
    """Tell what moved an article's score, feature by feature.

    Contributions are log-odds: they add up to the score, and +0.7 doubles the odds that you like it.

    [dim]iscore why k3f9a2[/dim]
    """
    with opened(ctx) as news:
        view, now = news.why(article_id), present()
    if as_json:
        print_json(view)
    else:
        terminal.show(*explanation(view, now))


def explanation(view: WhyView, now: datetime) -> list[RenderableType]:
    """Lay out the explanation: judgement, reasons, features that counted, words."""
    lines: list[RenderableType] = [article_heading(view.article, now), "", _judgement(view)]
    lines += [terminal.styled(reason, indent="  – ") for reason in view.reasons]
    used = [feature for feature in view.features if feature.used]
    moving = [feature for feature in used if abs(feature.contribution) >= _NOTHING]
    lines += ["", terminal.styled("What moved the score", "bold")]
    if moving or view.learning.warm:
        listed = moving[:_MOST]
        lines += [features_table(view.prior, listed), terminal.styled(_others(view, used, listed), "dim")]
    else:
        lines.append(terminal.styled(f"Likeness to what you liked, and its source. {_cold(view)}"))
    words = _words(view)
    if words:
        lines += ["", *words]
    first = _first_judged(view, now)
    if first:
        lines += ["", terminal.styled(first, "dim")]
    return lines


def _judgement(view: WhyView) -> Text:
    said = "Recommended" if view.interesting else "Held back"
    text = terminal.styled(said, "bold green" if view.interesting else "bold yellow")
    strength = strength_words(view.score, view.threshold)
    words = f": score {signed(view.score)}, threshold {signed(view.threshold)}, {strength}"
    learning = learning_words(view.learning)
    return text.append(f"{words} ({learning})" if learning else words, "not bold default")


def _others(view: WhyView, used: list[FeatureView], listed: list[FeatureView]) -> str:
    rest = sum(feature.contribution for feature in used) - sum(feature.contribution for feature in listed)
    moved = f"by {signed(rest)} together" if abs(rest) >= _NOTHING else "by nothing"
    parts = (
        (len(used) - len(listed), f"more moved it {moved}"),
        (len(view.features) - len(used), "predicted your verdicts less well and did not count"),
    )
    said = [f"{counted(number, 'feature')} {what}" for number, what in parts if number]
    return "; ".join(said)


def _cold(view: WhyView) -> str:
    wanted = wanted_words(view.learning)
    return f"Single features count after {wanted}." if wanted else ""


def features_table(prior: float, features: list[FeatureView]) -> Table:
    """Lay out contributions as numbers and bars, the start first."""
    from rich.table import Table

    longest = max([abs(prior), *(abs(feature.contribution) for feature in features), 1e-9])
    table = Table.grid(padding=(0, 2, 0, 0), expand=True)
    table.add_column(ratio=1, overflow="fold")
    table.add_column(justify="right", no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True, width=_BAR)
    table.add_row(terminal.styled("before any feature"), "", signed(prior), _bar(prior, longest))
    for feature in features:
        table.add_row(
            terminal.styled(feature.meaning or feature.name),
            "missing" if feature.value is None else f"{feature.value:.3g}",
            signed(feature.contribution),
            _bar(feature.contribution, longest),
        )
    return table


def _bar(contribution: float, longest: float) -> Text:
    length = round(_BAR * abs(contribution) / longest)
    return terminal.styled("█" * length, "green" if contribution > 0 else "red")


def _words(view: WhyView) -> list[Text]:
    speaking_for = [word for word, weight in view.words if weight > 0][:_WORDS]
    against = [word for word, weight in view.words if weight < 0][:_WORDS]
    return [
        terminal.styled(f"{heading}: {', '.join(words)}")
        for heading, words in (
            ("Words that speak for it", speaking_for),
            ("Words that speak against it", against),
        )
        if words
    ]


def _first_judged(view: WhyView, now: datetime) -> str:
    if view.decided is None or view.first_score is None or view.first_threshold is None:
        return ""
    return (
        f"First judged {ago(view.decided, now)}: score {signed(view.first_score)}, "
        f"threshold {signed(view.first_threshold)}. Your verdicts since then have moved it."
        if (view.first_score, view.first_threshold) != (view.score, view.threshold)
        else f"Judged {ago(view.decided, now)}."
    )
