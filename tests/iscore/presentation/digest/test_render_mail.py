"""The digest in a mail: all that the page says, in HTML of which nothing depends on a style sheet."""

from __future__ import annotations

import re
from dataclasses import replace

from iscore.presentation.digest.layout import build_digest
from iscore.presentation.digest.render import render_html, render_mail
from iscore.services.digests.digest_selection import MAX_BELOW, MAX_RARE, MAX_RECOMMENDED
from iscore.services.views.digests import DigestView
from storage.records.articles import StorySource
from tests.iscore.presentation.html_page import Page

CLIPPED = 102_000
"""Bytes of a mail from which Gmail shows the beginning only."""
SHEETS_ONLY = re.compile(r"var\(|grid|flex|\brem\b|calc\(|position:|clip|url\(|@import")
"""What the style of an element must not need: Word, in which Outlook shows mail, and Gmail do not know it."""


def test_the_mail_says_what_the_page_says(full: DigestView) -> None:
    worded = build_digest(replace(full, serve_address="http://127.0.0.1:8473"))
    mail, page = Page(render_mail(worded)), Page(render_html(worded))
    assert mail.open == []
    links = {link["href"] for link in page.named("a") if not str(link["href"]).startswith("#")}
    assert {link["href"] for link in mail.named("a")} == links
    text = " ".join(mail.text.split())
    for printed in (
        "Monday, 6 October 2025",
        "3 stories for you, 1 to explore, out of 312",
        "1. Grid operators warn of a winter shortfall",
        "Also in Harbour Post, Il Lago",
        "●●●●● A strong match",
        "– boosted by your rule: word “grid” (clearly)",
        "– words you like: seldom",
        "40 stories were hidden; these came closest. If you like one, say so with iscore like missed1x.",
        "Just missed Energy Wire · missed1x",
        "Liked 74 %",
        "Il Lago: the server answered 503",
        "iscore dislike --digest 4",
    ):
        assert printed in text


def test_an_empty_mail_says_why(view: DigestView) -> None:
    text = " ".join(Page(render_mail(build_digest(replace(view, recommended=())))).text.split())
    assert "312 unread stories, none above your threshold" in text


def test_nothing_depends_on_a_style_sheet_or_is_loaded(full: DigestView) -> None:
    page = Page(render_mail(build_digest(full)))
    assert not {tag for tag, _ in page.tags} & {"script", "link", "img", "iframe", "object", "form", "base", "svg"}
    assert not any({"src", "background", "id"} & set(attributes) for _, attributes in page.tags)
    styles = [str(attributes["style"]) for _, attributes in page.tags if "style" in attributes]
    assert len(styles) > 50
    assert [style for style in styles if SHEETS_ONLY.search(style)] == []
    styled = {tag for tag, attributes in page.tags if "style" in attributes}
    assert {"body", "td", "h1", "h2", "h3", "p", "a", "code"} <= styled


def test_the_mail_can_be_read_aloud(full: DigestView) -> None:
    page = Page(render_mail(build_digest(full)))
    assert page.named("html") == [{"lang": "en"}]
    assert [tag for tag, attributes in page.tags if attributes.get("lang") == "it"] == ["a", "p"]
    assert [table["role"] for table in page.named("table")] == ["presentation"]
    assert [tag for tag, _ in page.tags if tag in ("h1", "h2", "h3")][:4] == ["h1", "h2", "h3", "h2"]


def test_the_longest_digest_is_not_clipped(full: DigestView) -> None:
    item = replace(full.recommended[0], title="A long title of a story " * 9, text="Some words " * 50)
    story = replace(
        item,
        reasons=("words you like: inflation, central bank, yields",) * 3,
        sources=tuple(StorySource(f"Source {n}", "", "https://wire.example/" + "x" * 60) for n in range(3)),
    )
    longest = replace(
        full,
        recommended=(story,) * MAX_RECOMMENDED,
        stories=(),
        rare=(story,) * MAX_RARE,
        explore=(story,) * 4,
        below=(item,) * MAX_BELOW,
        serve_address="https://news.example.org",
    )
    assert len(render_mail(build_digest(longest)).encode()) < CLIPPED


def test_hostile_texts_stay_texts(hostile: DigestView, full: DigestView) -> None:
    html = render_mail(build_digest(hostile))
    page = Page(html)
    assert page.open == []
    assert {tag for tag, _ in page.tags} <= {tag for tag, _ in Page(render_mail(build_digest(full))).tags}
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    assert all(str(link["href"]).startswith(("http://", "https://")) for link in page.named("a"))
    html.encode("utf-8")
