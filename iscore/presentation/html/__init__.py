"""Rendering of HTML pages, with a common base template and autoescaping.

In templates, addresses that begin with a slash (``href="/hidden"``, ``action="/verdict"``) are paths of the web app.
Where the app is below a path of its host, they are compiled with that path, ``base``, before them. Addresses in
variables need ``{{ base }}`` in the template.

Texts for users are messages of ``iscore.core.translation``: ``{{ _("Sign in") }}``, ``{{ ngettext("%(count)s feed",
"%(count)s feeds", feeds, count=feeds|grouped) }}``. Messages may contain tags; placeholders are escaped.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from gettext import NullTranslations
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from jinja2.ext import Extension
from markupsafe import Markup

from iscore.core.sanitizing import document
from iscore.core.translation import catalogue, grouped, language, stopped, translated


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


def _text(message: str, **values: object) -> Markup:
    """Translate a message for a template, as Jinja's own extension does in its new style, in less time.

    Messages may have tags, as templates do; what is put into their placeholders is escaped.
    """
    messages = catalogue(language())
    return Markup(stopped(messages.gettext(message), values)) % values if values else _whole(messages, message)  # noqa: S704 -- ours


def _numbered_text(singular: str, plural: str, number: int, **values: object) -> Markup:
    """Translate a message that depends on a number."""
    return Markup(catalogue(language()).ngettext(singular, plural, number)) % values  # noqa: S704 -- ours


@lru_cache(4096)
def _whole(messages: NullTranslations, message: str) -> Markup:
    """Return a message without placeholders."""
    return Markup(messages.gettext(message)) % {}  # noqa: S704 -- ours


def sentence(text: str) -> str:
    """Return a text with a capital at its beginning, and as it is otherwise."""
    return text[:1].upper() + text[1:]


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
    environment.globals["language"] = language
    environment.globals["translated"] = translated
    environment.filters["grouped"] = grouped
    environment.filters["sentence"] = sentence
    environment.globals["_"] = _text
    environment.globals["ngettext"] = _numbered_text
    return environment
