"""Whatever strangers write: page and text show it, and nothing obeys it. Feeds and mail have tests of their own."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

from iscore.presentation.digest.layout import build_digest
from iscore.presentation.digest.render import render_html, render_text
from iscore.services.views.digests import DigestView
from tests.iscore.presentation.html_page import Page

OURS = set("\n")


def test_the_page_has_no_markup_but_its_own(hostile: DigestView, full: DigestView) -> None:
    plain = Page(render_html(build_digest(replace(full, serve_address=hostile.serve_address))))
    page = Page(render_html(build_digest(hostile)))
    assert page.open == []
    assert {tag for tag, _ in page.tags} <= {tag for tag, _ in plain.tags}
    own = {name for _, attributes in plain.tags for name in attributes}
    assert {name for _, attributes in page.tags for name in attributes} <= own
    assert all(str(link["href"]).startswith(("http://", "https://", "#")) for link in page.named("a"))


def test_the_page_has_no_character_that_html_forbids(hostile: DigestView) -> None:
    shown = Page(render_html(build_digest(hostile))).text
    assert not [c for c in shown if unicodedata.category(c) in {"Cc", "Cs", "Cn"} and c not in OURS and c != "\u2066"]


def test_the_text_steers_no_terminal_and_forges_no_line(hostile: DigestView) -> None:
    text = render_text(build_digest(hostile))
    assert not [c for c in text if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and c not in OURS]
    assert "." not in text.splitlines()
    numbered = [line for line in text.splitlines() if line[:3].strip().isdigit() and line[3:5] == ". "]
    assert [line[:3].strip() for line in numbered] == ["1", "2", "3", "4"]
