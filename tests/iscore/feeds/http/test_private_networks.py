from __future__ import annotations

import socket
from ipaddress import ip_address

import pytest

from iscore.feeds.errors import UrlError
from iscore.feeds.http.private_networks import (
    PrivateAddressError,
    guarded_socket,
    is_in_own_network,
    is_private_literal,
    is_public,
)
from iscore.feeds.urls import check_url, typed_url, url_key, without_password


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.255.0.3", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
        "169.254.169.254", "100.64.0.1", "192.0.0.8", "192.0.2.1", "192.88.99.1", "198.18.0.1", "203.0.113.9",
        "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "::", "::1", "::7f00:1", "::808:808",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:0.0.0.0", "64:ff9b::7f00:1", "64:ff9b::a00:1",
        "64:ff9b::a9fe:a9fe", "64:ff9b:1::808:808", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::",
        "2002:808:808::", "fc00::1", "fd12::1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "ff0e::1",
        "::ffff:0:127.0.0.1", "::ffff:0:808:808", "5f00::1", "3fff::1", "3fff:fff::1", "2001:2::1", "2001:20::1",
        "100:0:0:1::1", "1fff::1", "4000::1", "8000::1", "not an address", "",
    ],
)  # fmt: skip
def test_everything_that_is_not_the_public_internet_is_refused(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "8.8.8.8",
        "1.1.1.1",
        "93.184.215.14",
        "2606:4700::1111",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
        "2001:200::1",
        "3ffe::1",
    ],
)
def test_public_addresses_are_let_through(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "spelling",
    ["127.1", "2130706433", "0x7f.1", "0", "0177.0.0.1", "127.0.0.1", "localhost", "::1", "::ffff:127.0.0.1"],
)
def test_no_spelling_of_loopback_gets_a_socket(spelling: str) -> None:
    """Whatever the system's resolver makes of it, the socket's own address is what counts."""
    answers = socket.getaddrinfo(spelling, 80, type=socket.SOCK_STREAM)
    assert answers
    for answer in answers:
        with pytest.raises(PrivateAddressError):
            guarded_socket(answer)


def test_addresses_of_this_machine_and_its_networks_are_its_own() -> None:
    for address in ("127.0.0.1", "127.8.0.9"):  # the loopback interface has a network like any other
        assert is_in_own_network(ip_address(address))
    for address in ("8.8.8.8", "2606:4700::1111"):
        assert not is_in_own_network(ip_address(address))


def test_where_the_kernel_lists_no_interfaces_the_machines_own_addresses_are_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(socket, "AF_NETLINK", raising=False)
    assert is_in_own_network(ip_address("127.0.0.1"))
    assert not is_in_own_network(ip_address("8.8.8.8"))


def test_a_public_address_gets_a_socket() -> None:
    with guarded_socket((socket.AF_INET, socket.SOCK_STREAM, 6, "", ("8.8.8.8", 80))) as made:
        assert made.family == socket.AF_INET


@pytest.mark.parametrize(
    ("url", "checked"),
    [
        ("https://a.example/feed", "https://a.example/feed"),
        ("  http://a.example:8080/?q=|cmd&r=$(x)  ", "http://a.example:8080/?q=|cmd&r=$(x)"),
        ("https://me:word@a.example/#part", "https://me:word@a.example/"),
        ("https://bücher.example/ä", "https://bücher.example/ä"),
        ("http://[2606:4700::1111]/", "http://[2606:4700::1111]/"),
    ],
)
def test_web_addresses_lose_surrounding_blanks_and_fragment_only(url: str, checked: str) -> None:
    assert check_url(url) == checked


@pytest.mark.parametrize(
    "url",
    [
        "", "a.example", "//a.example/", "file:///etc/passwd", "gopher://a.example", "javascript:alert(1)",
        "feed://a.example",
        "http://", "http:///path", "http://a.example:99999/", "http://a.example:0/", "http://a.example/a b",
        "http://a.example/\r\nHost: b", "http://a\x00.example/", "http://a.example\\@b.example/", "http://[::1/",
        "http://a.example/\u2028x", "http://a.example/" + "a" * 5000,
    ],
)  # fmt: skip
def test_everything_else_is_refused_in_one_line(url: str) -> None:
    with pytest.raises(UrlError) as caught:
        check_url(url)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("a.example", "https://a.example"),
        (" a.example:8080/x ", "https://a.example:8080/x"),
        ("localhost:8080/x", "https://localhost:8080/x"),
        ("nas:8080", "https://nas:8080"),
        ("bücher.example/ä?u=http://b.example", "https://bücher.example/ä?u=http://b.example"),
        ("feed://a.example/x", "https://a.example/x"),
        ("feed:https://a.example/x", "https://a.example/x"),
        ("FEED:http://a.example", "http://a.example"),
        ("http://a.example", "http://a.example"),
    ],
)
def test_a_user_may_leave_out_https_and_write_feed(typed: str, url: str) -> None:
    assert typed_url(typed) == url


@pytest.mark.parametrize(
    "text", ["feed", "query:unread", "javascript:alert(1)", "file:///x.y", "mailto:a@b.example", "feed:ftp://a.example"]
)
def test_what_is_no_address_of_a_feed_stays_one(text: str) -> None:
    with pytest.raises(UrlError):
        typed_url(text)


@pytest.mark.parametrize(
    ("url", "private"),
    [
        ("http://127.0.0.1:8/", True),
        ("http://[::1]/", True),
        ("http://localhost/", True),
        ("http://8.8.8.8/", False),
        ("http://a.example/", False),
    ],
)
def test_private_hosts_are_known_by_their_spelling_where_that_is_possible(url: str, private: bool) -> None:
    assert is_private_literal(url) is private


def test_passwords_are_not_shown() -> None:
    assert without_password("https://me:secret@a.example:8/x@y?z") == "https://a.example:8/x@y?z"
    assert without_password("https://a.example/x@y") == "https://a.example/x@y"


def test_spellings_of_one_address_are_the_same() -> None:
    assert url_key("HTTPS://A.example:443") == url_key("https://a.example/")
    assert url_key("https://a.example/x") != url_key("https://a.example/X")
    assert url_key("https://a.example/x?1") != url_key("https://a.example/x")
    assert url_key("http://a.example/") != url_key("https://a.example/")
