"""An edition as one self-contained page: no script, nothing loaded, readable on a phone and on paper."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from iscore.digest.edition import Edition
from iscore.digest.wording import STRENGTHS


def render_html(edition: Edition) -> str:
    """Return the page as a complete HTML document, to be stored or sent as UTF-8.

    Every foreign text is escaped by the template engine; addresses have passed ``edition.web_address``.
    A lone surrogate, which UTF-8 cannot hold, becomes a question mark.
    """
    page = _environment().get_template("digest.html").render(edition=edition, strengths=STRENGTHS)
    return page.encode("utf-8", "replace").decode("utf-8")


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("iscore.digest", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
