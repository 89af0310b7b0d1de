"""The command: where it listens, how it ends, and what it asks for first."""

from __future__ import annotations

import http.client
import io
import signal
import socket
import sqlite3
import ssl
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from iscore.cli import main
from iscore.feeds.subscriptions.editing import load
from iscore.web.security.credentials import NAME, CredentialStore
from tests.hostile.certificates import Authority
from tests.iscore.web.conftest import PASSWORD, PROGRAM, Served, served

FAULTY = f"""
from iscore.services.reading.reader import Reader
Reader.navigation = lambda *_: 1 / 0
{PROGRAM}
"""

Said = tuple[int, str, str]


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """Run ``iscore serve`` here, where it should end by itself: exit code, result, messages."""

    def run(home: Path, *arguments: str, said: str = "") -> Said:
        monkeypatch.setattr(sys, "stdin", io.StringIO(said))
        code = main(["--home", str(home), "serve", *arguments])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


def stored_password(home: Path) -> str:
    with closing(sqlite3.connect(home / "iscore.db")) as database:
        return str(database.execute("SELECT password FROM users").fetchone()[0])


@pytest.fixture
def open_home(tmp_path: Path, empty_home: Path) -> Path:
    """A home without a password."""
    home = tmp_path / "home"
    home.mkdir()
    for name in ("iscore.db", "feeds.yaml"):
        (home / name).write_bytes((empty_home / name).read_bytes())
    with closing(sqlite3.connect(home / "iscore.db")) as database, database:
        database.execute("UPDATE users SET password = ''")
    CredentialStore(home).mark_set_up()
    return home


def test_control_c_ends_it_in_peace(empty_home: Path) -> None:
    """Even with a connection open. SIGTERM ends every server of these tests."""
    server = Served(empty_home)
    with closing(socket.create_connection((server.client().host, server.client().port))):
        assert server.end(signal.SIGINT) == (0, "")


def test_a_port_in_use_is_a_sentence(serve: Callable[..., Said], empty_home: Path, hasty: Served) -> None:
    code, _, printed = serve(empty_home, "--port", str(hasty.client().port))
    assert code == 1
    assert len(printed.splitlines()) == 1
    assert f"cannot listen on 127.0.0.1:{hasty.client().port}" in printed
    assert "--port" in printed


@pytest.mark.parametrize("arguments", [["--host", "0.0.0.0"], ["--host", "::"]])
def test_others_come_in_with_a_password_only(serve: Callable[..., Said], open_home: Path, arguments: list[str]) -> None:
    code, _, printed = serve(open_home, "--port", "0", *arguments)
    assert (code, len(printed.splitlines())) == (1, 1)
    assert "iscore serve --set-password" in printed


def test_a_proxy_s_address_needs_a_password_too(serve: Callable[..., Said], open_home: Path) -> None:
    (open_home / "config.toml").write_text('serve_address = "https://news.example"\n')
    assert "news.example" in serve(open_home, "--port", "0")[2]


def test_an_address_that_is_not_ours_is_a_sentence(serve: Callable[..., Said], empty_home: Path) -> None:
    code, _, printed = serve(empty_home, "--host", "192.0.2.77", "--port", "0")
    assert (code, len(printed.splitlines())) == (1, 1)
    assert "192.0.2.77" in printed


def test_a_password_is_set_and_a_short_one_refused(serve: Callable[..., Said], open_home: Path) -> None:
    code, printed, _ = serve(open_home, "--set-password", said="a good long one\n")
    assert (code, printed.startswith("Password of local set")) == (0, True)
    kept = stored_password(open_home)
    assert kept.startswith("$argon2id$")
    code, _, output = serve(open_home, "--set-password", said="short\n")
    assert (code, len(output.splitlines())) == (1, 1)
    assert stored_password(open_home) == kept
    assert "a good long one" not in (open_home / NAME).read_text()


@pytest.mark.parametrize("proxy", ["127.0.0.1", "somewhere"])
def test_a_trusted_proxy_needs_a_password_and_an_address(
    serve: Callable[..., Said], open_home: Path, empty_home: Path, proxy: str
) -> None:
    home, printed = (open_home, "--set-password") if proxy == "127.0.0.1" else (empty_home, "10.0.0.0/8")
    code, _, output = serve(home, "--port", "0", "--trusted-proxy", proxy)
    assert (code, len(output.splitlines())) == (1, 1)
    assert printed in output


def test_it_prints_an_address_that_a_browser_can_open(empty_home: Path) -> None:
    with served(empty_home, "--host", "0.0.0.0") as running:
        assert running.client().host != "0.0.0.0"
        assert running.client().get("/login").status == 200


def test_a_home_that_is_none_is_a_sentence(serve: Callable[..., Said], tmp_path: Path) -> None:
    """So is one that has lost its database."""
    lost = tmp_path / "lost"
    lost.mkdir()
    (lost / "feeds.yaml").write_text("feeds: []\n")
    for home, arguments in ((tmp_path / "nowhere", ["--set-password"]), (lost, [])):
        code, _, printed = serve(home, *arguments)
        assert (code, len(printed.splitlines())) == (1, 1)
        assert "iscore init" in printed
    assert not (tmp_path / "nowhere").exists()


def test_without_a_folder_it_makes_one_that_follows_nothing_and_everybody_sees_the_first_step(tmp_path: Path) -> None:
    home = tmp_path / "new" / "home"
    with served(home, set_up=False, complaints=["Created "]) as running:
        assert load(home / "feeds.yaml") == []
        client = running.client()
        page = client.get(running.started["setup"].removeprefix(running.address.rstrip("/")))
        form = {"token": page.hidden("token"), "key": page.hidden("key"), "alone": "1"}
        assert client.post("/setup", form).place == "/start"
        assert "Step 1 of 3" in client.get("/start").body


def test_it_speaks_https_with_a_certificate(empty_home: Path, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    authority.context("right", "127.0.0.1")
    files = ("--tls-cert", str(tmp_path / "right.pem"), "--tls-key", str(tmp_path / "right.key"))
    with served(empty_home, *files) as running:
        assert running.address.startswith("https://127.0.0.1:")
        context = ssl.create_default_context(cafile=str(authority.file))
        with closing(http.client.HTTPSConnection("127.0.0.1", running.client().port, context=context)) as connection:
            connection.request("GET", "/login")
            answer = connection.getresponse()
            assert answer.status == 200
            assert "Secure" in (answer.getheader("set-cookie") or "").split("; ")


def test_a_certificate_that_cannot_be_used_is_a_sentence(serve: Callable[..., Said], empty_home: Path) -> None:
    for file in (empty_home / "config.toml", empty_home / "missing.pem"):
        code, _, printed = serve(empty_home, "--port", "0", "--tls-cert", str(file))
        assert (code, len(printed.splitlines())) == (1, 1)
        assert str(file) in printed
    assert serve(empty_home, "--tls-key", "key.pem")[0] == 2


def test_the_first_start_prints_a_link_to_set_up_and_what_plain_http_costs(
    open_home: Path,
) -> None:
    (open_home / NAME).unlink()
    with served(open_home, "--host", "0.0.0.0", set_up=False, complaints=["without HTTPS"]) as running:
        assert running.client().get("/").status == 403
        path = running.started["setup"].removeprefix(running.address.rstrip("/"))
        assert "Only me" not in running.client().get(path).body
        assert running.client().get(path).status == 200


def test_a_fault_of_the_program_is_a_page_for_users_who_have_signed_in(empty_home: Path) -> None:
    with served(empty_home, program=FAULTY, complaints=["unexpected ZeroDivisionError"]) as server:
        browser = server.client()
        form = {"token": browser.get("/login").hidden("token"), "name": "local", "password": PASSWORD, "next": ""}
        assert browser.post("/login", form).status == 303
        page = browser.get("/settings")
        assert (page.status, "See the log of" in page.body) == (500, True)
