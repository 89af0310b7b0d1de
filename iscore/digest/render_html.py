"""An edition as one self-contained page: no script, nothing loaded, readable on a phone and on paper."""

from __future__ import annotations

from iscore.digest.edition import Edition
from iscore.pages import render
from iscore.wording.standing import STRENGTHS


def render_html(edition: Edition) -> str:
    """Return the page as a complete HTML document, to be stored or sent as UTF-8.

    Every foreign text is escaped by the template engine; addresses have passed ``addresses.web_address``.
    A lone surrogate, which UTF-8 cannot hold, becomes a question mark.
    """
    return render("iscore.digest", "digest.html", edition=edition, strengths=STRENGTHS)
