"""Turns failures of a mail server into errors: whether a later attempt may succeed, and what to do.

A reply's first digit decides (RFC 5321, 4.2.1): 4 is temporary, 5 is permanent. Failures before the first reply are
temporary, since networks and certificates recover. The server's own words are untrusted: shortened and cleaned.
"""

from __future__ import annotations

import errno
import smtplib
import socket
import ssl
from base64 import b64encode
from enum import Enum, auto

from iscore.core.sanitizing import line
from iscore.jobs.mail.account import PORTS, Account
from iscore.jobs.mail.errors import MailDelayedError, MailError, MailRefusedError


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
_LOGIN_WANTED = (530, 534, 535, 538)
_FULL = (452, 552)


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


_AT = {
    Step.CONNECT: "as a greeting",
    Step.ENCRYPT: "to STARTTLS",
    Step.LOGIN: "to the login",
    Step.SENDER: "to the sender",
    Step.RECIPIENT: "to the recipient",
    Step.DATA: "to the message",
    Step.END: "to the message",
}


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
