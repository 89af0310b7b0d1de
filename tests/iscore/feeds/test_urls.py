"""Only addresses of web pages get through, and the same page has one address."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iscore.feeds.urls import canonical_url, is_placeholder, page_key, safe_url, without_password


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "java\tscript:alert(1)",
        "\x01javascript:alert(1)",
        " \n javascript:alert(1)",
        "java\u200bscript:alert(1)",
        "file:///etc/passwd",
        "gopher://x/",
        "http://",
        "http:///path",
        "http://[::1",
        "https://ex ample.org/",
        "https://user@",
        "",
        "   ",
        "http://x.org/" + "a" * 5000,
    ],
)
def test_what_is_no_web_page_has_no_address(url: str) -> None:
    assert safe_url(url) == ""
    assert safe_url(url, "https://base.org/feed") == "" or not url.strip() or ":" not in url


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("https://x.org/a?b=c#d", "https://x.org/a?b=c#d"),
        ("HTTP://X.Org/A", "http://x.org/A"),
        ("/a", "https://base.org/a"),
        ("b?c", "https://base.org/x/b?c"),
        ("//other.org/a", "https://other.org/a"),
        ("https://user:secret@x.org/a", "https://x.org/a"),
        ("https://good.org\\@evil.org/", "https://good.org/@evil.org/"),
        ("https://x.org/a b\r\nSet-Cookie: c", "https://x.org/a%20bSet-Cookie:%20c"),
        (" https://x.org/ein weg/über?q=a b\n", "https://x.org/ein%20weg/über?q=a%20b"),
        ("a\u200b b", "https://base.org/x/a%20b"),
        ('https://x.org/"><script>', "https://x.org/%22%3E%3Cscript%3E"),
        ("https://bücher.example/straße", "https://bücher.example/straße"),
        ("https://x.org/|cmd`$(x)", "https://x.org/%7Ccmd%60$(x)"),
    ],
)
def test_addresses_are_made_absolute_and_encoded(url: str, safe: str) -> None:
    assert safe_url(url, "https://base.org/x/feed") == safe


@given(st.text())
def test_an_address_is_safe_or_empty(url: str) -> None:
    safe = safe_url(url, "https://base.org/")
    assert not safe or (safe.startswith(("http://", "https://")) and not set(safe) & set('\r\n\t\0 "<>'))
    assert safe_url(safe) == safe


def test_tracking_is_no_part_of_a_page() -> None:
    assert canonical_url("https://x.org/a?utm_source=rss&id=7&fbclid=1") == "https://x.org/a?id=7"
    assert canonical_url("https://x.org/a?utm_source=rss") == "https://x.org/a"
    assert canonical_url("https://x.org/a#utm_medium=feed") == "https://x.org/a"
    assert canonical_url("https://x.org/a?id=1#chapter") == "https://x.org/a?id=1#chapter"


def test_the_same_page_by_other_ways() -> None:
    assert page_key("https://www.x.org/a/?utm_source=b") == page_key("http://x.org/a")
    assert page_key("https://x.org/a?id=1") != page_key("https://x.org/a?id=2")
    assert page_key("") == ""


def test_passwords_are_left_out_of_display_and_nothing_else() -> None:
    assert without_password("https://me:secret@x.org/feed?a=b@c") == "https://x.org/feed?a=b@c"
    assert without_password("https://x.org/@me") == "https://x.org/@me"


@pytest.mark.parametrize(
    ("names", "stands_for_another"),
    [
        (
            "blank.gif /img/spacer.png?v=2 1x1.png lazy_placeholder.svg grey-placeholder-60x40.jpg pixel.gif"
            " grey.gif lazy-loading.svg",
            True,
        ),
        ("deep-space.jpg google-pixel.jpg transparent-government.jpg blank-verse.png placeholder a/blank.gif/b", False),
    ],
)
def test_pictures_that_hold_a_place(names: str, stands_for_another: bool) -> None:
    assert {is_placeholder(f"https://x.org/{name}") for name in names.split()} == {stands_for_another}
