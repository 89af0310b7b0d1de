from __future__ import annotations

from dataclasses import replace

import pytest

from iscore.presentation.digest.layout import build_digest
from iscore.presentation.digest.render import render_html
from iscore.services.views.digests import DigestView
from iscore.services.views.stories import StoryView
from tests.iscore.presentation.html_page import Page
from tests.iscore.presentation.made_views import named


def page_of(view: DigestView) -> Page:
    page = Page(render_html(build_digest(view)))
    assert page.open == []
    return page


def with_item(view: DigestView, item: StoryView) -> DigestView:
    return replace(view, recommended=(replace(item, number=1),))


def test_a_story_links_to_its_page_without_telling_where_from(view: DigestView) -> None:
    (link,) = page_of(view).named("a")
    assert link == {"href": "https://wire.example/grid", "rel": "noopener noreferrer"}


def test_times_are_valid_in_html(view: DigestView) -> None:
    item = view.recommended[0]
    arrived = replace(item, published=None, arrived=item.arrived.replace(microsecond=123456))
    times = [time["datetime"] for time in page_of(with_item(view, arrived)).named("time")]
    assert len(times) == 2
    assert times[1] == f"{item.arrived:%Y-%m-%dT%H:%M:%S}+00:00"  # HTML knows no microseconds


def test_the_page_says_what_the_text_says(view: DigestView) -> None:
    text = " ".join(page_of(view).text.split())
    for words in (
        "Monday, 6 October 2025",
        "1 story for you, out of 312",
        "Grid operators warn of a winter shortfall",
        "Also in Harbour Post, Il Lago",
        "Ines Halloran",
        "4 min read",
        "A strong match",
        "It resembles what you liked.",
        "74 %",
        "Il Lago: the server answered 503",
        "iscore like --digest 1",
    ):
        assert words in text


def test_nothing_is_loaded_from_anywhere(view: DigestView) -> None:
    html = render_html(build_digest(view))
    page = Page(html)
    assert not {tag for tag, _ in page.tags} & {"script", "link", "img", "iframe", "object", "form", "base"}
    assert not any("src" in attributes or "style" in attributes for _, attributes in page.tags)
    assert "url(" not in html
    assert "@import" not in html
    policy = [meta["content"] for meta in page.named("meta") if meta.get("http-equiv") == "Content-Security-Policy"]
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"]


def test_every_source_is_linked_and_what_was_hidden_is_named(full: DigestView) -> None:
    page = page_of(replace(full, serve_address="http://127.0.0.1:8473"))
    links = [link["href"] for link in page.named("a")]
    assert {"https://harbour.example/7", "https://lago.example/7"} <= set(links)
    assert "http://127.0.0.1:8473/article/several" in links
    assert "http://127.0.0.1:8473/article/missed2x" in links
    assert not [link for link in links if "javascript" in str(link)]
    text = " ".join(page.text.split())
    assert "Also in Harbour Post, Il Lago" in text
    assert "boosted by your rule: word “grid” (clearly) words you like: seldom" in text
    assert "Just missed Energy Wire missed1x Missed too Energy Wire missed2x" in text
    assert text.index("Just missed") > text.index("Of drawn")


def test_the_page_can_be_read_aloud(full: DigestView) -> None:
    page = page_of(full)
    assert page.named("html") == [{"lang": "en"}]
    assert len(page.named("h1")) == len(page.named("main")) == 1
    identities = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(identities) == len(set(identities))
    labels = [attributes["aria-labelledby"] for _, attributes in page.tags if "aria-labelledby" in attributes]
    assert set(labels) == {
        *("recommended", "stories", "rare", "explore", "below", "status", "troubles"),
        *("t1", "t2", "t3", "t4"),
    }
    assert set(labels) <= set(identities)
    assert [(tag, attributes["lang"]) for tag, attributes in page.tags if "lang" in attributes] == [
        ("html", "en"),
        ("h3", "it"),
        ("p", "it"),
    ]
    anchors = [str(link["href"])[1:] for link in page.named("a") if str(link["href"]).startswith("#")]
    assert anchors == ["recommended", "stories", "rare", "explore", "below"]


def test_dots_show_the_strength(view: DigestView, item: StoryView) -> None:
    page = page_of(with_item(view, replace(item, score=0.5)))
    assert [dot.get("class") for dot in page.named("i")] == ["on", "on", "on", None, None]


HOSTILE = [
    "<script>alert(1)</script>",
    "</title></style><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    "{{ 7 * 7 }}{% raw %}",
    "<math><mtext></p><style><img src=x onerror=alert(1)></style>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_foreign_markup_is_shown_and_not_obeyed(view: DigestView, item: StoryView, text: str) -> None:
    plain = {tag for tag, _ in page_of(view).tags}
    hostile = replace(item, title=text, sources=named(text), author=text, text=text, url=f"https://a.example/{text}")
    shown = replace(view, recommended=(replace(hostile, number=1, reasons=(text,)),))

    page = page_of(shown)

    assert {tag for tag, _ in page.tags} <= plain
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    assert page.text.count(text) >= 5


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", ""])
def test_a_story_without_a_safe_address_has_no_link(view: DigestView, item: StoryView, url: str) -> None:
    page = page_of(with_item(view, replace(item, url=url)))
    assert page.named("a") == []
    assert item.title in page.text


def test_commands_in_an_empty_digest_stand_out(view: DigestView) -> None:
    html = render_html(build_digest(replace(view, recommended=())))
    assert "<code>iscore inbox --all</code> lists" in html
    assert "`" not in html


def test_a_lone_surrogate_does_not_break_the_page(view: DigestView, item: StoryView) -> None:
    html = render_html(build_digest(with_item(view, replace(item, title="a\ud800b"))))
    assert "a\ufffdb" in html.encode("utf-8").decode("utf-8")
