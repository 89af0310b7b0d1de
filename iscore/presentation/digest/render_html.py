"""A digest as one HTML page without scripts or external files, and as the HTML part of a mail."""

from __future__ import annotations

from iscore.presentation.digest.layout import Digest
from iscore.presentation.html import render
from iscore.presentation.wording.scores import STRENGTHS


def render_html(digest: Digest) -> str:
    """Return the page as a complete HTML document, to be stored or sent as UTF-8.

    Texts are escaped by the template engine; URLs have passed ``addresses.web_address``.
    """
    return render("iscore.presentation.digest", "digest.html", digest=digest, strengths=STRENGTHS)


def render_mail(digest: Digest) -> str:
    """Return a complete HTML document, to be sent as UTF-8.

    Many mail programs drop style sheets, so every element has inline styles, in one column; the style sheet only adds
    dark mode.
    """
    return render("iscore.presentation.digest", "mail.html", digest=digest, strengths=STRENGTHS).lstrip()
