"""What iScore's pages have in common: one look, and nothing that runs or is loaded.

    {% extends "page.html" %} ─► a page without script, readable on a phone and on paper, in light and dark

Foreign text is escaped by the template engine wherever it stands.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from iscore.core.sanitizing import document


def render(package: str, template: str, **context: Any) -> str:
    """Return a page as a complete HTML document, to be stored or sent as UTF-8.

    ``template`` lies in the folder ``templates`` of ``package`` and extends ``page.html``. What HTML or UTF-8 cannot
    hold becomes a replacement character.
    """
    return document(_environment(package).get_template(template).render(**context))


@cache
def _environment(package: str) -> Environment:
    return Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("iscore.presentation.html")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
