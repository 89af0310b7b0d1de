"""Sentences that end with what somebody else wrote: they have one full stop, or none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import iscore
from iscore.core.translation import gettext, use_language
from iscore.presentation.html import _text

MESSAGE = "Nothing was added: %(error)s."


@pytest.mark.parametrize(
    ("error", "ends"),
    [("no such host", "no such host."), ("is it offline?", "is it offline?"), ("See Inc.", "See Inc."), ("a…", "a…")],
)
@pytest.mark.parametrize("language", ["en", "de"])
def test_a_sentence_ends_once(error: str, ends: str, language: str) -> None:
    with use_language(language):
        said = gettext(MESSAGE, error=error)
        assert said.endswith(f": {ends}")
        assert _text(MESSAGE, error=error) == said


def test_no_sentence_adds_its_own_full_stop_to_an_error() -> None:
    added = re.compile(r"\{[^{}]*(?:error|problem|reason)[^{}()]*\}+\.(?:\s|\")")
    sources = [each for kind in ("*.py", "*.html") for each in Path(iscore.__file__).parent.rglob(kind)]
    assert sources
    assert [str(each) for each in sources if added.search(each.read_text())] == []
