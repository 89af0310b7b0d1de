"""An edition as one self-contained page: no script, nothing loaded, readable on a phone and on paper."""

from __future__ import annotations

from iscore.presentation.digest.layout import Edition
from iscore.presentation.html import render
from iscore.presentation.wording.scores import STRENGTHS


def render_html(edition: Edition) -> str:
    """Return the page as a complete HTML document, to be stored or sent as UTF-8.

    Every foreign text is escaped by the template engine; addresses have passed ``addresses.web_address``.
    A lone surrogate, which UTF-8 cannot hold, becomes a question mark.
    """
    return render("iscore.presentation.digest", "digest.html", edition=edition, strengths=STRENGTHS)
