"""What iScore's pages have in common: one look, and nothing that runs or is loaded.

    {% extends "page.html" %} ─► a page without script, readable on a phone and on paper, in light and dark

Foreign text is escaped by the template engine wherever it stands.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

_CONTROLS = {code: "\ufffd" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n\r"}


def render(package: str, template: str, **context: Any) -> str:
    """Return a page as a complete HTML document, to be stored or sent as UTF-8.

    ``template`` lies in the folder ``templates`` of ``package`` and extends ``page.html``. A lone surrogate, which
    UTF-8 cannot hold, becomes a question mark, and a control character, which HTML cannot, a replacement character.
    """
    page = _environment(package).get_template(template).render(**context)
    return page.encode("utf-8", "replace").decode("utf-8").translate(_CONTROLS)


@cache
def _environment(package: str) -> Environment:
    return Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("iscore.pages")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
