"""An edition as the HTML part of a mail: what the page says, in the HTML that mail programs understand."""

from __future__ import annotations

from iscore.presentation.digest.layout import Edition
from iscore.presentation.html import render
from iscore.presentation.wording.scores import STRENGTHS


def render_mail(edition: Edition) -> str:
    """Return a complete HTML document, to be sent as UTF-8. Nothing is loaded, nothing runs.

    Half of the mail programs throw style sheets away, or the variables and grids in them; so every element has its own
    style, in one column. What is left of a sheet darkens it where that is understood.
    """
    return render("iscore.presentation.digest", "mail.html", edition=edition, strengths=STRENGTHS).lstrip()
