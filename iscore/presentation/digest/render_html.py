"""A digest as one HTML page without scripts or external files."""

from __future__ import annotations

from iscore.presentation.digest.layout import Digest
from iscore.presentation.html import render
from iscore.presentation.wording.scores import STRENGTHS


def render_html(digest: Digest) -> str:
    """Return the page as a complete HTML document, to be stored or sent as UTF-8.

    Texts are escaped by the template engine; URLs have passed ``addresses.web_address``.
    """
    return render("iscore.presentation.digest", "digest.html", digest=digest, strengths=STRENGTHS)
