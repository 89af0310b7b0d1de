"""Which addresses become links, and how."""

from __future__ import annotations

import pytest

from iscore.presentation.wording.addresses import web_address


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "//evil.example",
        "",
        "https://a.example/\x1b]8",
        "https://a.example/a b",
        "https://a.example/\u202egnp",
        " https://a.example",
    ],
)
def test_unsafe_addresses_are_dropped(url: str) -> None:
    assert web_address(url) == ""


@pytest.mark.parametrize("url", ["http://a.example/?q=1&r=%20", "https://a.example:8443/é#f", "http://[::1]/"])
def test_web_addresses_are_kept(url: str) -> None:
    assert web_address(url) == url


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("HTTPS://a.example/x", "https://a.example/x"),
        ("https://bank.example:x@a.example/", "https://a.example/"),
        ('https://a.example/<b>{x}|\\^`"[1]', "https://a.example/%3Cb%3E%7Bx%7D%7C%5C%5E%60%22%5B1%5D"),
        ("https://a.example/100%?q=[1]&x=%41#a#b", "https://a.example/100%25?q=%5B1%5D&x=%41#a%23b"),
    ],
)
def test_web_addresses_become_iris(url: str, safe: str) -> None:
    assert web_address(url) == safe
