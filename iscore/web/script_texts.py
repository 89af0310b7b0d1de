"""The texts of scripts: for each language a script begins with those of its messages that the catalogue has."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib import resources

from iscore.core.translation import catalogue

_MESSAGE = re.compile(r'\bgettext\("([^"]+)"')
_NUMBERED = re.compile(r'\bngettext\("([^"]+)", "([^"]+)"')
_NUMBERS = range(200)
"""The form of a larger number is that of its last two digits, in every language."""


def with_texts(script: str, language: str) -> bytes:
    """Return a script with its messages in a language, and the functions that find them."""
    messages = catalogue(language)
    texts: dict[str, object] = {}
    for message in _MESSAGE.findall(script):
        if (text := messages.gettext(message)) != message:
            texts[message] = text
    for singular, plural in _NUMBERED.findall(script):
        texts[singular] = _forms([messages.ngettext(singular, plural, number) for number in _NUMBERS])
    constants = {"LANGUAGE": language, "TEXTS": texts}
    lines = [f"const {name} = {json.dumps(value, ensure_ascii=False)};" for name, value in constants.items()]
    functions = (resources.files("iscore.web") / "static" / "texts.js").read_text(encoding="utf-8")
    return "\n".join(['"use strict";', *lines, functions + script]).encode()


def _forms(texts: Sequence[str]) -> tuple[list[str], str]:
    """Return the different texts, and for each number which it has, as one digit.

    >>> _forms(["%(count)s marks", "1 mark", "%(count)s marks"])
    (['%(count)s marks', '1 mark'], '010')
    """
    different = list(dict.fromkeys(texts))
    return different, "".join(str(different.index(text)) for text in texts)
