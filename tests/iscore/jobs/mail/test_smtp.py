"""Handing a message to real servers, well-behaved and other, and the messages that a user gets."""

from __future__ import annotations

import os
import signal
import socket
import ssl
import threading
from pathlib import Path

import pytest

from iscore.jobs.mail.account import (
    MailDelayedError,
    MailError,
    MailNotSetUpError,
    MailRefusedError,
    MailUncertainError,
)
from iscore.jobs.mail.smtp import Connection
from tests.iscore.jobs.mail.conftest import MakeAccount
from tests.servers.mail_server import PASSWORD, USER, Blunt, MailServer, after, certificate, hang_up, tls_context

MESSAGE = b"Subject: x\r\n\r\nHello\r\n.\r\n..two\r\n.end\r\n"


def handed_over(account) -> str:
    with Connection(account) as server:
        return server.transmit(MESSAGE, lambda: None)


def problem_of(account) -> MailError:
    """Try to hand a message over; return the message for the user."""
    marked = []
    with pytest.raises(MailError) as raised, Connection(account) as server:
        server.transmit(MESSAGE, lambda: marked.append(1))
    assert str(raised.value).isprintable()
    assert PASSWORD not in str(raised.value)
    raised.value.marked = bool(marked)  # type: ignore[attr-defined]
    return raised.value


@pytest.mark.parametrize("security", ["none", "starttls", "tls"])
def test_a_message_arrives_as_it_is(
    security: str, tls: ssl.SSLContext, certificate_file: Path, account_at: MakeAccount
) -> None:
    with MailServer(security, tls) as server:
        assert handed_over(account_at(server, security, mail_ca_file=str(certificate_file))) == "kept"
        (received,) = server.received
    assert received.content == MESSAGE
    assert (received.sender, received.recipients) == (USER, ("reader@example.org",))
    assert received.encrypted is (security != "none")
    assert received.login == (USER if security != "none" else "")


def test_a_message_without_its_end_is_never_accepted(account_at: MakeAccount) -> None:
    def stop() -> None:
        raise ZeroDivisionError

    with MailServer() as server:
        with pytest.raises(ZeroDivisionError), Connection(account_at(server)) as connection:
            connection.transmit(MESSAGE, stop)
        assert not connection.ended
        handed_over(account_at(server))
        assert len(server.received) == 1


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_a_certificate_that_proves_nothing_is_not_trusted(
    security: str, tls: ssl.SSLContext, certificate_file: Path, account_at: MakeAccount, tmp_path: Path
) -> None:
    other = certificate(tmp_path, "elsewhere.example")
    with MailServer(security, tls) as server:
        strange = problem_of(account_at(server, security))
        assert isinstance(strange, MailDelayedError)
        assert "the certificate of localhost" in strange.problem
        assert "mail_ca_file" in strange.advice
        assert isinstance(problem_of(account_at(server, security, mail_ca_file=str(other))), MailDelayedError)
    with MailServer(security, tls_context(other)) as server:
        name = problem_of(account_at(server, security, mail_ca_file=str(other)))
        assert "is not trusted: Hostname mismatch" in name.problem
        assert not server.received


def test_a_wrong_password_is_told_with_what_helps_and_never_shown(
    tls: ssl.SSLContext, certificate_file: Path, account_at: MakeAccount
) -> None:
    with MailServer("starttls", tls) as server:
        account = account_at(server, "starttls", mail_ca_file=str(certificate_file), mail_password="not it, sir")
        problem = problem_of(account)
    assert isinstance(problem, MailRefusedError)
    assert "535" in problem.problem
    assert "app passwords" in problem.advice
    assert "not it, sir" not in f"{problem} {account}"


def test_a_server_that_wants_a_login_says_so(
    tls: ssl.SSLContext, certificate_file: Path, account_at: MakeAccount
) -> None:
    with MailServer("starttls", tls) as server:
        problem = problem_of(account_at(server, "starttls", mail_ca_file=str(certificate_file), mail_user=""))
    assert isinstance(problem, MailRefusedError)
    assert problem.advice == "set mail_user and a password"


@pytest.mark.parametrize(
    ("command", "answer", "kind", "message"),
    [
        ("MAIL", "451 busy", MailDelayedError, "answered 451 (busy) to the sender"),
        ("MAIL", "553 not yours", MailRefusedError, "set mail_from to the address that belongs to mail_user"),
        ("RCPT", "450 greylisted, come back", MailDelayedError, "450 (greylisted, come back) to the recipient"),
        ("RCPT", "550 no such user", MailRefusedError, "check mail_to"),
        ("RCPT", "552 over quota", MailRefusedError, "full"),
        ("DATA", "451 try later", MailDelayedError, "451 (try later) to the message"),
        ("DATA", "452 no room", MailDelayedError, "full"),
        ("DATA", "554 looks like spam \x1b[31m", MailRefusedError, "554 (looks like spam [31m) to the message"),
        ("DATA", "999 nonsense", MailUncertainError, "did not confirm"),
        ("DATA", "nonsense", MailUncertainError, "did not confirm"),
    ],
)
def test_what_a_server_answers_decides(
    account_at: MakeAccount, command: str, answer: str, kind: type[MailError], message: str
) -> None:
    with MailServer() as server:
        server.answers[command].append(answer)
        problem = problem_of(account_at(server))
        assert type(problem) is kind
        assert message in str(problem)
        assert problem.marked is (command == "DATA")  # type: ignore[attr-defined]
        assert server.received == []
        handed_over(account_at(server))  # it is none the worse for it


def test_a_connection_cut_before_the_end_is_a_delay_and_after_it_uncertain(account_at: MakeAccount) -> None:
    with MailServer() as server:
        server.answers["RCPT"].append(hang_up)
        cut = problem_of(account_at(server))
        assert (type(cut), cut.problem) == (MailDelayedError, f"localhost:{server.port} closed the connection")
        server.answers["DATA"].append(hang_up)
        assert type(problem_of(account_at(server))) is MailUncertainError


def test_a_server_that_is_slow_at_the_end_is_given_time_and_then_it_is_uncertain(account_at: MakeAccount) -> None:
    with MailServer() as server:
        server.answers["DATA"] += [after(0.2, ""), after(2.0, "250 late")]
        assert handed_over(account_at(server, mail_timeout=0.1)) == "kept"
        assert type(problem_of(account_at(server, mail_timeout=0.1))) is MailUncertainError


@pytest.mark.parametrize(
    ("greeting", "answer", "security", "kind", "message"),
    [
        (b"", b"", "none", MailDelayedError, "did not answer in time"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", b"", "none", MailDelayedError, "closed the connection|answered -1"),
        (b"554 go away\r\n", b"", "none", MailRefusedError, "554 (go away) as a greeting"),
        (b"421 too many\r\n", b"", "none", MailDelayedError, "421 (too many) as a greeting"),
        (b"220 hello\r\n", b"250 fine\r\n", "starttls", MailRefusedError, "offers no STARTTLS"),
        (b"220 hello\r\n", b"250 fine\r\n", "tls", MailDelayedError, "cannot agree on encryption"),
        (b"220 hello\r\n", b"250-" + b"x" * 100_000 + b"\r\n", "none", MailDelayedError, "answered 500"),
        (b"220 hello\r\n", b"250 STARTTLS\r\n", "starttls", MailRefusedError, "offers no STARTTLS"),
    ],
)
def test_what_is_no_mail_server_is_told_apart(
    account_at: MakeAccount, greeting: bytes, answer: bytes, security: str, kind: type[MailError], message: str
) -> None:
    with Blunt(greeting, answer) as server:
        problem = problem_of(account_at(server.port, security, mail_timeout=0.3))
    assert any(each in str(problem) for each in message.split("|")), problem
    if "500" not in message:
        assert type(problem) is kind


def test_a_server_that_drips_is_cut_off(account_at: MakeAccount, monkeypatch: pytest.MonkeyPatch) -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    stop = threading.Event()

    def drip() -> None:
        conversation, _ = listening.accept()
        with conversation:
            while not stop.wait(0.05):
                try:
                    conversation.sendall(b"2")
                except OSError:
                    return

    thread = threading.Thread(target=drip)
    thread.start()
    monkeypatch.setattr("iscore.jobs.mail.smtp.SESSION_FACTOR", 2)
    assert isinstance(problem_of(account_at(listening.getsockname()[1], mail_timeout=0.2)), MailDelayedError)
    stop.set()
    thread.join(600)
    listening.close()


def test_what_cannot_be_reached_is_told_apart(account_at: MakeAccount) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        assert problem_of(account_at(port)).problem == f"nothing is listening at localhost:{port}"
    nowhere = problem_of(account_at(587, "tls", mail_host="no-such-name.invalid"))
    assert "cannot find the host 'no-such-name.invalid'" in nowhere.problem
    assert isinstance(nowhere, MailDelayedError)


def test_silence_at_the_usual_port_of_another_encryption_hints_at_it(account_at: MakeAccount) -> None:
    from iscore.jobs.mail.smtp import Step, of_exception

    problem = of_exception(TimeoutError(), Step.CONNECT, account_at(465, "starttls"))
    assert 'mail_security = "tls" goes with port 465' in problem.advice
    assert "firewall" in of_exception(TimeoutError(), Step.CONNECT, account_at(587, "starttls")).advice


def test_a_process_that_is_interrupted_waits_for_the_last_word(account_at: MakeAccount) -> None:
    with MailServer() as server:
        server.answers["DATA"].append(after(0.4, "250 at last"))

        def before_end() -> None:
            threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGINT]).start()

        with Connection(account_at(server)) as connection:
            assert connection.transmit(MESSAGE, before_end) == "at last"
            assert connection.interrupted


def test_it_does_not_wait_for_ever(account_at: MakeAccount, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("iscore.jobs.mail.smtp.INTERRUPTED_WAIT", 0.2)
    with MailServer() as server:
        server.answers["DATA"].append(after(3600, "250 at last"))
        with pytest.raises(MailUncertainError), Connection(account_at(server)) as connection:
            connection.transmit(MESSAGE, lambda: threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGINT]).start())


Settings = dict[str, object]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"mail_to": ""}, "mail_to is missing"),
        ({"mail_host": ""}, "mail_host is missing"),
        ({"mail_host": "smtp.example.org"}, "unencrypted mail"),
        ({"mail_to": "nobody"}, "mail_to: 'nobody' is not a mail address"),
        ({"mail_to": "a@b\r\nRCPT TO:<c@d>"}, "is not a mail address"),
        ({"mail_from": "a b@example.org"}, "mail_from"),
        ({"mail_from": "you <you@example.org>"}, "mail_from"),
        ({"mail_from": "dü@example.org"}, "mail_from"),
        ({"mail_user": "x"}, "mail_user is set, but no password"),
        ({"mail_ca_file": "nowhere.pem"}, "mail_ca_file: no file"),
    ],
)
def test_settings_that_cannot_work_are_named(account_at: MakeAccount, settings: Settings, message: str) -> None:
    with pytest.raises(MailNotSetUpError, match=r".") as raised:
        account_at(25, **settings)
    assert message in str(raised.value)


def test_a_domain_in_other_letters_travels_as_ascii(account_at: MakeAccount) -> None:
    assert account_at(25, mail_to="leser@bücher.example").recipient == "leser@xn--bcher-kva.example"


def test_a_file_without_certificates_is_named(account_at: MakeAccount, tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("nothing")
    with MailServer() as server:
        problem = problem_of(account_at(server, "starttls", mail_ca_file="empty.pem"))
    assert isinstance(problem, MailNotSetUpError)
    assert "has no certificate" in problem.problem


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("echo hunter2", "hunter2"),
        ("printf 'two words\\r\\nmore'", "two words"),
        ("false", "failed with exit code 1"),
        ("sh -c 'echo no key >&2; exit 3'", "exit code 3 (no key)"),
        ("true", "printed nothing"),
        ("/nowhere/pass show", "cannot be run"),
        ("unbalanced '", "cannot be run"),
        ("echo $HOME; rm -rf /nowhere", "$HOME; rm -rf /nowhere"),  # no shell reads it
    ],
)
def test_a_command_may_print_the_password(account_at: MakeAccount, command: str, message: str) -> None:
    account = account_at(25, mail_user="x", mail_password_command=command)
    try:
        assert account.password() == message
    except MailNotSetUpError as error:
        assert message in str(error)  # noqa: PT017 -- one table for both
