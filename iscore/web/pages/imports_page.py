"""What the page of imports shows, in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath

from iscore.core.sanitizing import line
from iscore.core.translation import gettext, grouped, ngettext
from iscore.presentation.wording.times import ago
from iscore.services.views.interests import ImportedItemsView, ImportView

LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class ImportRow:
    """An import in the list."""

    number: int
    name: str
    words: str
    """When it was, and what it still does."""
    in_use: bool
    """Whether there is anything to undo."""


def file_name(given: str) -> str:
    """Return a name for an uploaded file that is safe in any folder.

    >>> file_name("../../etc/starred.json"), file_name("C:\\\\me\\\\links.csv"), file_name("..")
    ('starred.json', 'links.csv', 'upload')
    """
    name = re.sub(r"[^\w. ()-]", "_", PurePath(given.replace("\\", "/")).name)[-LONGEST_NAME:].lstrip(". ")
    return name or "upload"


def outcome(view: ImportedItemsView) -> list[str]:
    """Return what an import did, a sentence each."""
    found = [
        ngettext("%(count)s new example of what you like.", "%(count)s new examples of what you like.", view.learned)
    ]
    if view.saved:
        found.append(ngettext("%(count)s article saved.", "%(count)s articles saved.", view.saved))
    if view.rules:
        found.append(ngettext("%(count)s new rule.", "%(count)s new rules.", view.rules))
    if view.old:
        found.append(
            ngettext("%(count)s was imported or rated before.", "%(count)s were imported or rated before.", view.old)
        )
    if view.left_out:
        found.append(
            ngettext("%(count)s older one teaches nothing.", "%(count)s older ones teach nothing.", view.left_out)
        )
    if view.without_words:
        found.append(
            ngettext(
                "%(count)s has no words that iScore compares.",
                "%(count)s have no words that iScore compares.",
                view.without_words,
            )
        )
    if view.skipped:
        found.append(
            ngettext(
                "%(count)s entry was passed over: no web page, or not liked there.",
                "%(count)s entries were passed over: no web pages, or not liked there.",
                view.skipped,
            )
        )
    damaged = (gettext("The file is damaged: %(problem)s.", problem=line(problem)) for problem in view.problems)
    return [*found, *damaged]


def rows(imports: Sequence[ImportView], now: datetime) -> list[ImportRow]:
    """Return the imports as they are listed, the newest first."""
    return [_row(each, now) for each in reversed(imports)]


def _row(view: ImportView, now: datetime) -> ImportRow:
    used = gettext("%(count)s of %(all)s in use", count=grouped(view.in_use), all=grouped(view.items))
    saved = ngettext("%(count)s saved", "%(count)s saved", view.saved) if view.saved else ""
    words = " · ".join(filter(None, (ago(view.at, now), used if view.items else "", saved)))
    return ImportRow(view.number, line(view.name), words, bool(view.in_use or view.saved or not view.items))
