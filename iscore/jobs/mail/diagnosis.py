"""What went wrong with a mail server, in words: whether trying again may help by itself, and what to do.

A reply's first digit decides (RFC 5321, 4.2.1): 4 is for now, 5 is for good. What fails before the server speaks may
heal by itself, since networks and certificates do. The server's own words are foreign text, made short and plain.
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
    """How far the conversation has come."""

    CONNECT = auto()
    ENCRYPT = auto()
    LOGIN = auto()
    SENDER = auto()
    RECIPIENT = auto()
    DATA = auto()
    END = auto()


_MODES = 'mail_security = "tls" goes with port 465, "starttls" with 587 or 25; your provider\'s pages tell which'
_LOGIN = "check mail_user and the password; with two-step login, most providers give out app passwords for this"
_REFUSED = {
    Step.CONNECT: "it will not talk to this machine: send by your own provider's server",
    Step.ENCRYPT: _MODES,
    Step.LOGIN: _LOGIN,
    Step.SENDER: "set mail_from to the address that belongs to mail_user",
    Step.RECIPIENT: "check mail_to; if it is right, the server may want a login: set mail_user and a password",
    Step.DATA: "ask whoever runs the server",
    Step.END: "ask whoever runs the server why it refuses such mail",
}
_LOGIN_WANTED = (530, 534, 535, 538)
_FULL = (452, 552)


def of_reply(code: int, text: bytes | str, step: Step, account: Account, *, secret: str = "") -> MailError:
    """Word a reply that was not the hoped-for one."""
    said = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    for each in _forms(secret, account.user) if secret else ():
        said = said.replace(each, "…")
    quoted = line(said, 160)
    problem = f"{account.server} answered {code}{f' ({quoted})' if quoted else ''} {_AT[step]}"
    if not 500 <= code < 600:
        return MailDelayedError(problem, "the mailbox seems to be full" if code in _FULL else "")
    if code in _FULL and step is not Step.SENDER:
        return MailRefusedError(problem, "the mailbox seems to be full, or the message too large")
    if code in _LOGIN_WANTED:
        return MailRefusedError(problem, _LOGIN if account.user else "set mail_user and a password")
    return MailRefusedError(problem, _REFUSED[step])


def _forms(secret: str, user: str) -> tuple[str, ...]:
    """A password as it stands, and as it travels in LOGIN and PLAIN (RFC 4616)."""
    travelling = (secret, f"\0{user}\0{secret}")
    return secret, *(b64encode(each.encode()).decode().rstrip("=") for each in travelling)


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
    """Word what the network, TLS or the conversation raised before the message was ended."""
    if isinstance(error, smtplib.SMTPResponseException):
        return of_reply(error.smtp_code, error.smtp_error, step, account, secret=secret)
    if isinstance(error, smtplib.SMTPException | UnicodeError) and not isinstance(
        error, smtplib.SMTPServerDisconnected
    ):
        return MailRefusedError(*_unfit(error, step, account))
    return MailDelayedError(*_unreached(error, account))


def _unfit(error: Exception, step: Step, account: Account) -> tuple[str, str]:
    """What the server cannot do."""
    match error, step:
        case UnicodeError(), _:
            return "the name or password has letters that this server cannot be told", _LOGIN
        case smtplib.SMTPNotSupportedError(), Step.ENCRYPT:
            return f"{account.server} offers no STARTTLS", _MODES
        case smtplib.SMTPNotSupportedError(), Step.LOGIN:
            return f"{account.server} offers no login", "leave mail_user empty, or try another port"
        case _, Step.LOGIN:
            return f"{account.server} offers no login that we know", "try another port or server"
    return f"{account.server} does not understand mail as we speak it", "ask whoever runs the server"


def _unreached(error: Exception, account: Account) -> tuple[str, str]:
    match error:
        case smtplib.SMTPServerDisconnected(__context__=TimeoutError()):
            return _unanswered(TimeoutError(), account)
        case smtplib.SMTPServerDisconnected():
            return f"{account.server} hung up", _wrong_mode(account)
        case ssl.SSLCertVerificationError():
            return (
                f"the certificate of {account.server} is not trusted: {line(error.verify_message, 160)}",
                "check mail_host; for a server of your own, name its certificate in mail_ca_file",
            )
        case ssl.SSLError():
            return f"no encryption could be agreed on with {account.server}", _MODES
    return _unanswered(error, account)


def _unanswered(error: Exception, account: Account) -> tuple[str, str]:
    match error:
        case socket.gaierror():
            return f"no address is known for {account.host!r}", "check mail_host, and whether you are online"
        case TimeoutError():
            hint = _wrong_mode(account) or "a firewall may close that port; many providers close 25 and want 587"
            return f"{account.server} did not answer in time", hint
        case ConnectionRefusedError():
            return f"nothing listens at {account.server}", "check mail_host and mail_port"
        case OSError() if error.errno in (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN):
            return f"{account.server} cannot be reached", "check whether you are online"
        case OSError():
            return f"the connection to {account.server} broke ({error.strerror or type(error).__name__})", ""
    return f"{account.server} spoke no SMTP ({type(error).__name__})", _MODES


def _wrong_mode(account: Account) -> str:
    """What a server that stays silent or hangs up is often about: TLS is expected from the start, or is not."""
    usual = {port: mode for mode, port in PORTS.items()}.get(account.port)
    return _MODES if usual is not None and usual != account.security and account.port != PORTS["none"] else ""
