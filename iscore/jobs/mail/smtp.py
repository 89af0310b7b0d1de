"""One session with a mail server (RFC 5321), from the greeting to its answer to the message's end.

    connect ─► TLS ─► login ─► MAIL, RCPT, DATA, message │ before_end() │ "." ─► accepted, refused, or no answer

A server can accept a message only after the line with a dot that ends it. ``before_end`` is called just before that
line: until then nothing was accepted, and only from there to the server's answer the outcome is uncertain.

Failures become errors that say whether a later attempt may succeed, and what to do. A reply's first digit decides (RFC
5321, 4.2.1): 4 is temporary, 5 is permanent. Failures before the first reply are temporary, since networks and
certificates recover. The server's own words are untrusted: shortened and cleaned.
"""

from __future__ import annotations

import errno
import re
import signal
import smtplib
import socket
import ssl
import threading
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum, auto
from types import TracebackType
from typing import Self

from iscore.core.sanitizing import line
from iscore.jobs.mail.account import (
    PORTS,
    Account,
    MailDelayedError,
    MailError,
    MailNotSetUpError,
    MailRefusedError,
    MailUncertainError,
)

SESSION_FACTOR = 10
"""Limit for the login, and for the message, in timeouts of one answer: a server may answer byte by byte."""
END_FACTOR = 4
"""Timeout for the answer to a message's end, in timeouts of other answers (RFC 5321, 4.5.3.2.6)."""
INTERRUPTED_WAIT = 5.0
"""Seconds to wait for the answer to a message's end after the process was interrupted."""
_NAME = "[127.0.0.1]"
"""Our name in EHLO: the host name is private, and finding it may need a DNS lookup."""


class Step(Enum):
    """How far the session has come."""

    CONNECT = auto()
    ENCRYPT = auto()
    LOGIN = auto()
    SENDER = auto()
    RECIPIENT = auto()
    DATA = auto()
    END = auto()


_MODES = 'mail_security = "tls" goes with port 465, "starttls" with 587 or 25; see your provider\'s help pages'
_LOGIN = "check mail_user and the password; with two-step login, most providers have app passwords for this"
_REFUSED = {
    Step.CONNECT: "it refuses mail from this computer: use your own provider's server",
    Step.ENCRYPT: _MODES,
    Step.LOGIN: _LOGIN,
    Step.SENDER: "set mail_from to the address that belongs to mail_user",
    Step.RECIPIENT: "check mail_to; if it is right, the server may want a login: set mail_user and a password",
    Step.DATA: "ask the server's administrator",
    Step.END: "ask the server's administrator why it refuses such mail",
}
_AT = {
    Step.CONNECT: "as a greeting",
    Step.ENCRYPT: "to STARTTLS",
    Step.LOGIN: "to the login",
    Step.SENDER: "to the sender",
    Step.RECIPIENT: "to the recipient",
    Step.DATA: "to the message",
    Step.END: "to the message",
}
_LOGIN_WANTED = (530, 534, 535, 538)
_FULL = (452, 552)


class Connection:
    """A session after the login. Use as a context manager.

    Entering raises ``MailDelayedError``, ``MailRefusedError`` and ``MailNotSetUpError``; nothing was sent then.
    """

    def __init__(self, account: Account) -> None:
        self._account = account
        self._smtp: smtplib.SMTP | None = None
        self._deadline: threading.Timer | None = None
        self.ended = False
        """Whether the end of a message was (partly) sent: from here on it may have been accepted."""
        self.interrupted = False
        """Whether the process was interrupted after that; stop after recording the answer."""

    def __enter__(self) -> Self:
        account = self._account
        password = account.password() if account.user else ""
        if account.security == "tls":
            context = _context(account)
            self._smtp = smtplib.SMTP_SSL(timeout=account.timeout, local_hostname=_NAME, context=context)
        else:
            self._smtp = smtplib.SMTP(timeout=account.timeout, local_hostname=_NAME)
        smtp = self._smtp
        smtp._host = account.host  # type: ignore[attr-defined]  # the name in the certificate
        step = Step.CONNECT
        self._watch(smtp)
        try:
            code, text = smtp.connect(account.host, account.port)
            if code != 220:
                raise smtplib.SMTPConnectError(code, text)
            smtp.ehlo_or_helo_if_needed()
            step = Step.ENCRYPT
            if account.security == "starttls":
                smtp.starttls(context=_context(account))
                smtp.ehlo()
            step = Step.LOGIN
            if account.user:
                smtp.login(account.user, password)
        except (OSError, smtplib.SMTPException, ssl.SSLError, UnicodeError) as error:
            self._hang_up()
            # Its cause may contain the password, and a traceback would show it.
            raise of_exception(error, step, account, secret=password) from (None if password else error)
        except BaseException:
            self._hang_up()
            raise
        self._unwatch()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._smtp is not None and kind is None:
            with suppress(OSError, smtplib.SMTPException):
                self._smtp.quit()
        self._hang_up()

    def transmit(self, message: bytes, before_end: Callable[[], None]) -> str:
        """Send a message (lines end in CRLF) and return the server's answer.

        Raises ``MailDelayedError`` and ``MailRefusedError`` if it was not accepted, ``MailUncertainError`` if the
        answer is missing, and what ``before_end`` raises: then the message was not ended.
        """
        smtp = self._require_open()
        account = self._account
        self._watch(smtp)
        try:
            size = [f"size={len(message)}"] if smtp.has_extn("size") else []
            self._expect(250, smtp.mail(account.sender, size), Step.SENDER)
            self._expect((250, 251), smtp.rcpt(account.recipient), Step.RECIPIENT)
            self._expect(354, smtp.docmd("DATA"), Step.DATA)
            smtp.send(re.sub(rb"(?m)^\.", b"..", message))
        except (OSError, smtplib.SMTPException, UnicodeError) as error:
            raise of_exception(error, Step.DATA, account) from error
        before_end()
        code, text = self._end(smtp)
        if not 200 <= code < 300:
            raise of_reply(code, text, Step.END, account)
        return text.decode("utf-8", "replace")

    def _end(self, smtp: smtplib.SMTP) -> tuple[int, bytes]:
        """End the message and return the answer; an interrupted process waits a little for it."""
        no_answer = MailUncertainError(
            f"{self._account.server} received the message but did not confirm it",
            "check whether it has arrived",
        )
        self.ended = True
        try:
            with _on_interrupt(self._stop):
                if smtp.sock is not None:
                    smtp.sock.settimeout(END_FACTOR * self._account.timeout)
                smtp.send(b".\r\n")
                reply = smtp.getreply()
        except (OSError, smtplib.SMTPException) as error:
            raise no_answer from error
        if not (200 <= reply[0] < 300 or 400 <= reply[0] < 600):
            raise no_answer
        return reply

    def _stop(self) -> None:
        """Give the server a few more seconds."""
        self.interrupted = True
        if self._smtp is not None:
            self._watch(self._smtp, INTERRUPTED_WAIT)

    def _expect(self, wanted: int | tuple[int, ...], reply: tuple[int, bytes], step: Step) -> None:
        if reply[0] not in (wanted if isinstance(wanted, tuple) else (wanted,)):
            raise of_reply(*reply, step, self._account)

    def _require_open(self) -> smtplib.SMTP:
        if self._smtp is None:
            raise MailRefusedError("the connection is closed")
        return self._smtp

    def _watch(self, smtp: smtplib.SMTP, seconds: float | None = None) -> None:
        self._unwatch()
        self._deadline = threading.Timer(seconds or SESSION_FACTOR * self._account.timeout, _shut_down, [smtp])
        self._deadline.daemon = True
        self._deadline.start()

    def _unwatch(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _hang_up(self) -> None:
        self._unwatch()
        if self._smtp is not None:
            self._smtp.close()
            self._smtp = None


def _context(account: Account) -> ssl.SSLContext:
    """Return a TLS context that checks certificates and names.

    Raises ``MailNotSetUpError`` if ``mail_ca_file`` cannot be used.
    """
    context = ssl.create_default_context()
    if account.ca_file is not None:
        try:
            context.load_verify_locations(account.ca_file)
        except (OSError, ssl.SSLError) as error:
            raise MailNotSetUpError(f"mail_ca_file: {account.ca_file} has no certificate in PEM format") from error
    return context


def _shut_down(smtp: smtplib.SMTP) -> None:
    """Close a connection from another thread: a pending read fails."""
    if smtp.sock is not None:
        with suppress(OSError):
            socket.socket.shutdown(smtp.sock, socket.SHUT_RDWR)  # TLS would wait for an answer


@contextmanager
def _on_interrupt(stop: Callable[[], None]) -> Iterator[None]:
    """Make an interrupt call ``stop`` instead of raising, so that an answer being read is not lost."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals go to the main thread
        return
    before = signal.signal(signal.SIGINT, lambda _number, _frame: stop())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def of_reply(code: int, text: bytes | str, step: Step, account: Account, *, secret: str = "") -> MailError:
    """Return the error for an unexpected reply."""
    reply = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    for each in _forms(secret, account.user) if secret else ():
        reply = reply.replace(each, "…")
    quoted = line(reply, 160)
    problem = f"{account.server} answered {code}{f' ({quoted})' if quoted else ''} {_AT[step]}"
    if not 500 <= code < 600:
        return MailDelayedError(problem, "the mailbox seems to be full" if code in _FULL else "")
    if code in _FULL and step is not Step.SENDER:
        return MailRefusedError(problem, "the mailbox seems to be full, or the message too large")
    if code in _LOGIN_WANTED:
        return MailRefusedError(problem, _LOGIN if account.user else "set mail_user and a password")
    return MailRefusedError(problem, _REFUSED[step])


def _forms(secret: str, user: str) -> tuple[str, ...]:
    """Return a password in plain text, and as encoded by LOGIN and PLAIN (RFC 4616)."""
    encoded = (secret, f"\0{user}\0{secret}")
    return secret, *(b64encode(each.encode()).decode().rstrip("=") for each in encoded)


def of_exception(error: Exception, step: Step, account: Account, *, secret: str = "") -> MailError:
    """Return the error for an exception before the message was ended."""
    if isinstance(error, smtplib.SMTPResponseException):
        return of_reply(error.smtp_code, error.smtp_error, step, account, secret=secret)
    if isinstance(error, smtplib.SMTPException | UnicodeError) and not isinstance(
        error, smtplib.SMTPServerDisconnected
    ):
        return MailRefusedError(*_unfit(error, step, account))
    return MailDelayedError(*_unreached(error, account))


def _unfit(error: Exception, step: Step, account: Account) -> tuple[str, str]:
    """Describe what the server cannot do."""
    match error, step:
        case UnicodeError(), _:
            return "the user name or password has characters that this server does not support", _LOGIN
        case smtplib.SMTPNotSupportedError(), Step.ENCRYPT:
            return f"{account.server} offers no STARTTLS", _MODES
        case smtplib.SMTPNotSupportedError(), Step.LOGIN:
            return f"{account.server} offers no login", "leave mail_user empty, or try another port"
        case _, Step.LOGIN:
            return f"{account.server} offers no supported login", "try another port or server"
    return f"{account.server} does not support a required command", "ask the server's administrator"


def _unreached(error: Exception, account: Account) -> tuple[str, str]:
    match error:
        case smtplib.SMTPServerDisconnected(__context__=TimeoutError()):
            return _unanswered(TimeoutError(), account)
        case smtplib.SMTPServerDisconnected():
            return f"{account.server} closed the connection", _wrong_mode(account)
        case ssl.SSLCertVerificationError():
            return (
                f"the certificate of {account.server} is not trusted: {line(error.verify_message, 160)}",
                "check mail_host; for a server of your own, name its certificate in mail_ca_file",
            )
        case ssl.SSLError():
            return f"cannot agree on encryption with {account.server}", _MODES
    return _unanswered(error, account)


def _unanswered(error: Exception, account: Account) -> tuple[str, str]:
    match error:
        case socket.gaierror():
            return f"cannot find the host {account.host!r}", "check mail_host, and whether you are online"
        case TimeoutError():
            hint = _wrong_mode(account) or "a firewall may close that port; many providers block 25; try 587"
            return f"{account.server} did not answer in time", hint
        case ConnectionRefusedError():
            return f"nothing is listening at {account.server}", "check mail_host and mail_port"
        case OSError() if error.errno in (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN):
            return f"{account.server} cannot be reached", "check whether you are online"
        case OSError():
            return f"lost the connection to {account.server} ({error.strerror or type(error).__name__})", ""
    return f"{account.server} does not speak SMTP ({type(error).__name__})", _MODES


def _wrong_mode(account: Account) -> str:
    """Return advice on a server that does not answer or hangs up: often the TLS mode is wrong."""
    usual = {port: mode for mode, port in PORTS.items()}.get(account.port)
    return _MODES if usual is not None and usual != account.security and account.port != PORTS["none"] else ""
