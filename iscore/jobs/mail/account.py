"""The mail account of the settings: addresses, server, and the password, which is read when needed; and errors of mail.

The message of each error is one line: what happened, and what to do.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from pathlib import Path

from iscore.core.errors import IscoreError
from iscore.core.passwords import PasswordCommandError, printed_password
from iscore.core.sanitizing import plain_address
from iscore.core.settings import Settings

PORTS = {"starttls": 587, "tls": 465, "none": 25}


class MailError(IscoreError):
    """Mail was not, or may not have been, sent."""

    def __init__(self, problem: str, advice: str = "") -> None:
        super().__init__(f"{problem}; {advice}" if advice else problem)
        self.problem = problem
        self.advice = advice


class MailNotSetUpError(MailError):
    """The mail settings are missing or invalid."""


class MailDelayedError(MailError):
    """The server did not accept the message now; a later attempt may succeed."""


class MailRefusedError(MailError):
    """The server did not accept the message, and will not until something is changed."""


class MailUncertainError(MailError):
    """The server may have accepted the message: its answer is missing."""


class MailSentError(MailError):
    """The digest was sent before."""


@dataclass(frozen=True, slots=True)
class Account:
    """A mail account. Its repr shows no password."""

    recipient: str
    sender: str
    host: str
    port: int
    security: str
    """``starttls``, ``tls`` or ``none``."""
    ca_file: Path | None
    user: str
    _password: str = field(repr=False)
    _password_command: str
    timeout: float
    """Seconds for each answer."""

    @property
    def server(self) -> str:
        """Host and port, for messages."""
        return f"{self.host}:{self.port}"

    def password(self) -> str:
        """Return the password, from the settings or what the command prints. Raises ``MailNotSetUpError``."""
        if self._password or not self._password_command:
            return self._password
        try:
            return printed_password(self._password_command)
        except PasswordCommandError as error:
            raise MailNotSetUpError(
                f"mail_password_command {error}", "run it by hand as the user who runs iscore"
            ) from error


def account_of(settings: Settings, folder: Path) -> Account:
    """Return the account of the settings. A relative ``mail_ca_file`` is relative to ``folder``.

    Raises ``MailNotSetUpError``, which names the setting.
    """
    for name in ("mail_to", "mail_host"):
        if not getattr(settings, name):
            raise MailNotSetUpError(f"mail is not set up: {name} is missing", f"add it to {folder / 'config.toml'}")
    if settings.mail_security == "none" and not is_this_machine(settings.mail_host):
        raise MailNotSetUpError(
            "unencrypted mail is sent only to a server on this machine",
            'set mail_security = "starttls" or "tls"',
        )
    if settings.mail_user and not (settings.mail_password or settings.mail_password_command):
        raise MailNotSetUpError(
            "mail_user is set, but no password", "set mail_password_command, mail_password or ISCORE_MAIL_PASSWORD"
        )
    ca_file = folder / Path(settings.mail_ca_file).expanduser() if settings.mail_ca_file else None
    if ca_file is not None and not ca_file.is_file():
        raise MailNotSetUpError(f"mail_ca_file: no file {ca_file}")
    return Account(
        recipient=address("mail_to", settings.mail_to),
        sender=address("mail_from", settings.mail_from or settings.mail_to),
        host=settings.mail_host,
        port=settings.mail_port or PORTS[settings.mail_security],
        security=settings.mail_security,
        ca_file=ca_file,
        user=settings.mail_user,
        _password=settings.mail_password,
        _password_command=settings.mail_password_command,
        timeout=settings.mail_timeout,
    )


def address(setting: str, text: str) -> str:
    """Return an address with its domain in ASCII. Raises ``MailNotSetUpError``."""
    try:
        return plain_address(text)
    except ValueError as error:
        raise MailNotSetUpError(f"{setting}: {error}", "write it like you@example.org") from error


def is_this_machine(host: str) -> bool:
    """Whether the host is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
