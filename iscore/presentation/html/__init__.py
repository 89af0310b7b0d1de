"""Rendering of HTML pages, with a common base template and autoescaping."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from iscore.core.sanitizing import document


def render(package: str, template: str, **context: Any) -> str:
    """Return a page as a complete HTML document, to be stored or sent as UTF-8.

    ``template`` is in the folder ``templates`` of ``package``. Characters that HTML or UTF-8 cannot represent become
    replacement characters.
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
