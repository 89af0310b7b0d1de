"""One conversation with a mail server (RFC 5321), from the greeting to its answer to the message's end.

    connect ─► TLS ─► login ─► MAIL, RCPT, DATA, the message │ about_to_end() │ "." ─► accepted, refused, or no answer

A server may accept a message only when it has seen the line with the dot that ends it. So whoever has to know whether
it may have been accepted writes that down in ``about_to_end``, between the two: before it nothing can have been
accepted, and only from there to the server's answer is it uncertain.
"""

from __future__ import annotations

import re
import signal
import smtplib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Self

from iscore.jobs.mail.account import Account
from iscore.jobs.mail.diagnosis import Step, of_exception, of_reply
from iscore.jobs.mail.errors import MailNotSetUpError, MailRefusedError, MailUncertainError

PATIENCE = 10
"""Times the patience with one answer, for letting us in and for taking the message: a server may drip its answers."""
END_PATIENCE = 4
"""Times the patience with other answers: at a message's end servers look into it first (RFC 5321, 4.5.3.2.6)."""
LAST_WORD = 5.0
"""Seconds to wait for the answer to a message's end after the process was told to stop."""
_NAME = "[127.0.0.1]"
"""What we call ourselves: the machine's own name is nobody's business, and finding it may take a look-up."""


class Connection:
    """A server that has let us in. Use as a context manager.

    Entering raises ``MailDelayedError``, ``MailRefusedError`` and ``MailNotSetUpError``, and then nothing was sent.
    """

    def __init__(self, account: Account) -> None:
        self._account = account
        self._smtp: smtplib.SMTP | None = None
        self._deadline: threading.Timer | None = None
        self.ended = False
        """Whether the end of a message was sent, or begun to be: from here on it may have been accepted."""
        self.told_to_stop = False
        """Whether the process was interrupted after that; whoever records the answer has to stop then."""

    def __enter__(self) -> Self:
        account = self._account
        password = account.password() if account.user else ""
        if account.security == "tls":
            context = _context(account)
            self._smtp = smtplib.SMTP_SSL(timeout=account.timeout, local_hostname=_NAME, context=context)
        else:
            self._smtp = smtplib.SMTP(timeout=account.timeout, local_hostname=_NAME)
        smtp = self._smtp
        smtp._host = account.host  # type: ignore[attr-defined]  # what the certificate is checked against
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
            # Its cause may repeat the password, and would be shown with it.
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

    def transmit(self, message: bytes, about_to_end: Callable[[], None]) -> str:
        """Hand a message over (lines end in CRLF); return what the server said when it accepted it.

        Raises ``MailDelayedError`` and ``MailRefusedError`` when it was surely not accepted, ``MailUncertainError``
        when the answer is missing, and what ``about_to_end`` raises: then the message has no end.
        """
        smtp = self._open()
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
        about_to_end()
        code, text = self._end(smtp)
        if not 200 <= code < 300:
            raise of_reply(code, text, Step.END, account)
        return text.decode("utf-8", "replace")

    def _end(self, smtp: smtplib.SMTP) -> tuple[int, bytes]:
        """End the message and return the answer. A process that is told to stop waits a little for it."""
        silence = MailUncertainError(
            f"{self._account.server} took the message and did not say whether it will deliver it",
            "see whether it has arrived",
        )
        self.ended = True
        try:
            with _patient(self._stop):
                if smtp.sock is not None:
                    smtp.sock.settimeout(END_PATIENCE * self._account.timeout)
                smtp.send(b".\r\n")
                reply = smtp.getreply()
        except (OSError, smtplib.SMTPException) as error:
            raise silence from error
        if not (200 <= reply[0] < 300 or 400 <= reply[0] < 600):
            raise silence
        return reply

    def _stop(self) -> None:
        """The process is to stop: the server has a few seconds more."""
        self.told_to_stop = True
        if self._smtp is not None:
            self._watch(self._smtp, LAST_WORD)

    def _expect(self, wanted: int | tuple[int, ...], reply: tuple[int, bytes], step: Step) -> None:
        if reply[0] not in (wanted if isinstance(wanted, tuple) else (wanted,)):
            raise of_reply(*reply, step, self._account)

    def _open(self) -> smtplib.SMTP:
        if self._smtp is None:
            raise MailRefusedError("the connection is closed")
        return self._smtp

    def _watch(self, smtp: smtplib.SMTP, seconds: float | None = None) -> None:
        self._unwatch()
        self._deadline = threading.Timer(seconds or PATIENCE * self._account.timeout, _cut, [smtp])
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
    """Certificates and names are checked. Raises ``MailNotSetUpError`` when ``mail_ca_file`` cannot be used."""
    context = ssl.create_default_context()
    if account.ca_file is not None:
        try:
            context.load_verify_locations(account.ca_file)
        except (OSError, ssl.SSLError) as error:
            raise MailNotSetUpError(f"mail_ca_file: {account.ca_file} holds no certificate in PEM form") from error
    return context


def _cut(smtp: smtplib.SMTP) -> None:
    """End a conversation from another thread: whoever waits for an answer sees the connection closed."""
    if smtp.sock is not None:
        with suppress(OSError):
            socket.socket.shutdown(smtp.sock, socket.SHUT_RDWR)  # that of TLS would wait, too


@contextmanager
def _patient(stop: Callable[[], None]) -> Iterator[None]:
    """Let an interruption call ``stop`` instead of breaking in: an answer that is just being read must not get lost."""
    if threading.current_thread() is not threading.main_thread():
        yield  # no signal reaches it
        return
    before = signal.signal(signal.SIGINT, lambda _number, _frame: stop())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
