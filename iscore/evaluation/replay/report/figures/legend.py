"""Which classifier a line or a mark belongs to."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from iscore.evaluation.replay.report.content import Content
from iscore.presentation.charts.figure import plural
from iscore.presentation.charts.marks import OTHERS, key


def classifier_legend(content: Content, names: Sequence[str], *, lined: bool = True) -> list[tuple[Markup, str]]:
    """Return the keys of these classifiers, the background ones as one; ``lined`` where the figure draws lines."""
    shown = [(key(content.styles[name], lined=lined), name) for name in names if content.styles[name] != OTHERS]
    others = len(names) - len(shown)
    return shown + ([(key(OTHERS, lined=lined), plural(others, "other"))] if others else [])
