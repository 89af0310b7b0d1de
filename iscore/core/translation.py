"""Texts for users in their language: standard gettext catalogues, chosen for what runs in the present context.

    message (English) ─► gettext() ─► text in the language that ``use_language`` has chosen; English without one

Messages are whole English sentences with named placeholders, ``%(name)s``; a per cent sign is written ``%%``. The
catalogues are in ``locale``, as ``.po`` files and compiled; ``make translations`` updates them.
"""

from __future__ import annotations

import gettext as catalogues
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

SOURCE = "en"
"""The language of the messages."""
LANGUAGES = {SOURCE: "English", "de": "Deutsch"}
"""Each language with its own name."""
DOMAIN = "iscore"
LOCALE = Path(__file__).parent / "locale"

_BEFORE_STOP = re.compile(r"%\((\w+)\)s\.(?=\s|$)")

_language: ContextVar[str] = ContextVar("language", default=SOURCE)


@contextmanager
def use_language(name: str) -> Iterator[None]:
    """Let this block, and what it runs, speak a language of ``LANGUAGES``; any other name is English."""
    token = _language.set(name if name in LANGUAGES else SOURCE)
    try:
        yield
    finally:
        _language.reset(token)


def language() -> str:
    """Return the name of the present language, such as ``de``."""
    return _language.get()


def gettext(message: str, /, **values: object) -> str:
    """Translate a message, with ``values`` in its placeholders.

    >>> gettext("%(name)s is taken", name="ada")
    'ada is taken'
    """
    return stopped(catalogue(_language.get()).gettext(message), values) % values


def stopped(message: str, values: Mapping[str, object]) -> str:
    """Return a message without the full stops behind those ``values`` that end a sentence themselves."""

    def placeholder(found: re.Match[str]) -> str:
        value = str(values.get(found[1], ""))
        return found[0] if ended(value) != value else found[0][:-1]

    return _BEFORE_STOP.sub(placeholder, message) if ")s." in message else message


def ended(text: str) -> str:
    """Return a text with a full stop, unless it ends a sentence itself.

    >>> ended("no such host"), ended("is this computer offline?")
    ('no such host.', 'is this computer offline?')
    """
    return text if text.endswith((".", "?", "!", "…")) else f"{text}."


def ngettext(singular: str, plural: str, number: int, /, **values: object) -> str:
    """Translate a message that depends on a number, which ``%(count)s`` stands for.

    >>> ngettext("%(count)s story", "%(count)s stories", 1200)
    '1,200 stories'
    """
    return catalogue(_language.get()).ngettext(singular, plural, number) % {"count": grouped(number), **values}


def pgettext(context: str, message: str, /, **values: object) -> str:
    """Translate a message that means different things in different places; ``context`` tells which."""
    return catalogue(_language.get()).pgettext(context, message) % values


def gettext_noop(message: str) -> str:
    """Return a message as it is. It is in the catalogues, for ``gettext`` to translate when it is shown."""
    return message


UNTITLED = gettext_noop("(untitled)")
"""What an article is called that has neither title nor text."""


def translated(text: str) -> str:
    """Return a text without placeholders in the present language; as it is if the catalogue does not have it."""
    return catalogue(_language.get()).gettext(text) if text else ""


def grouped(number: int) -> str:
    """Return a whole number with separators: ``1,200``, in German ``1.200``."""
    text = f"{number:,}"
    return text if _language.get() == SOURCE else text.replace(",", pgettext("between thousands", ","))


def decimal(text: str) -> str:
    """Return a number, written as in Python, as the present language writes it: ``+0.71``, in German ``+0,71``."""
    return text if _language.get() == SOURCE else text.replace(".", pgettext("before decimals", "."))


@cache
def catalogue(name: str) -> catalogues.NullTranslations:
    """Return the messages of a language; none for English."""
    if name == SOURCE:
        return catalogues.NullTranslations()
    return catalogues.translation(DOMAIN, LOCALE, [name])
