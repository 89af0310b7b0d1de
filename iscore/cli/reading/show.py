"""``iscore show``: read an article."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened, present
from iscore.cli.options import article_ids
from iscore.cli.terminal import output
from iscore.core.translation import UNTITLED
from iscore.presentation.wording.scores import match_words
from iscore.presentation.wording.story import from_sources, text_below
from iscore.presentation.wording.times import age_of

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from iscore.services.views.stories import StoryView

ArticleId = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="The article's ID, or the start of it.",
        show_default=False,
        autocompletion=article_ids,
    ),
]

TEXT_WIDTH = 88
"""Columns of running text; longer lines are hard to read."""


def show(ctx: typer.Context, article_id: ArticleId, as_json: AsJson = False) -> None:
    """Show an article with its text.

    iscore show k3f9a2
    """
    with opened(ctx) as news:
        view, now = news.show(article_id), present()
    if as_json:
        from iscore.services.views import story_json

        print_json(story_json.article(view))
    else:
        output.render(*article(view, now))


def article(view: StoryView, now: datetime) -> list[RenderableType]:
    """Lay out an article: heading, address, assessment, text."""
    from rich.constrain import Constrain
    from rich.text import Text

    text = [Text(each) for each in output.paragraphs(text_below(view)).split("\n\n") if each.strip()]
    lines: list[RenderableType] = [article_heading(view, now)]
    if view.url:
        lines.append(output.address(view.url, "cyan"))
    lines.append(output.styled(assessment(view)))
    for paragraph in text if view.text.strip() else [output.styled("(no text)", "dim")]:
        lines += ["", Constrain(paragraph, TEXT_WIDTH)]
    return lines


def article_heading(view: StoryView, now: datetime) -> Text:
    """Lay out title, sources, author, age, categories and ID."""
    about = (
        from_sources(view.source_names),
        view.author,
        age_of(view.published, now),
        ", ".join(view.categories[:5]),
        view.id,
    )
    title = output.linked(view.title or UNTITLED, view.url, "bold")
    return title.append("\n").append_text(output.styled(" · ".join(part for part in about if part), "not bold dim"))


def assessment(view: StoryView) -> str:
    """Return the score in words, the outcome of rules, and the user's verdict."""
    if view.score is None or view.threshold is None:
        words = "not scored yet"
    else:
        words = match_words(view.score - view.boost, view.threshold, view.boost)
    if view.rule_outcome:
        words += f" · {view.rule_outcome}"
    return f"{words} · your verdict: {view.verdict}" if view.verdict else words
