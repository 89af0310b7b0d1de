"""Rendering of HTML pages, with a common base template and autoescaping.

In templates, addresses that begin with a slash (``href="/hidden"``, ``action="/verdict"``) are paths of the web app.
Where the app is below a path of its host, they are compiled with that path, ``base``, before them. Addresses in
variables need ``{{ base }}`` in the template.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from jinja2.ext import Extension

from iscore.core.sanitizing import document


def render(package: str, template: str, *, base: str = "", **context: Any) -> str:
    """Return a page as a complete HTML document, to be stored or sent as UTF-8.

    ``template`` is in the folder ``templates`` of ``package``; ``base`` is the path below which the web app is.
    Characters that HTML or UTF-8 cannot represent become replacement characters.
    """
    return document(_environment(package, base).get_template(template).render(**context))


class _AppPaths(Extension):
    """Writes ``{{ base }}`` before the paths of the app, when a template is compiled."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:  # noqa: ARG002 -- Jinja's
        return _APP_PATH.sub(r'\1="{{ base }}/', source)


_APP_PATH = re.compile(r'\b(href|action|formaction|src)="/(?!/)')


@cache
def _environment(package: str, base: str) -> Environment:
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("iscore.presentation.html")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        extensions=[_AppPaths],
    )
    environment.globals["base"] = base
    return environment
