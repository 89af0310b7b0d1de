"""A digest as a mail message: multipart/alternative of text and HTML, 7-bit, lines of 76 characters.

Whatever a title contains, the message is well-formed: addresses are checked, the subject is one clean line, bodies are
encoded as quoted-printable or base64. The same digest gives the same bytes.
"""

from __future__ import annotations

import hashlib
import platform
from base64 import b64encode
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from pathlib import Path
from urllib.parse import urlsplit

from iscore.core.sanitizing import line, paragraphs
from iscore.core.translation import gettext
from iscore.jobs.mail.account import Account
from iscore.presentation.digest.layout import Digest
from iscore.presentation.wording.dates import short_day

POLICY = SMTP.clone(raise_on_defect=True, cte_type="7bit", utf8=False)
"""Lines end in CRLF; ASCII only, since not every server accepts more."""
LONGEST_TITLE = 90
"""Characters of the first title in the subject; a phone shows 40."""
PLAIN_SUBJECT = 65
"""Characters that fit on a line with the header's name."""
WORD_BYTES = 42
"""Bytes of text in one encoded word, which has at most 75 characters; characters are not split."""
LIST_ID = "iScore digest <digest.iscore.localhost>"
"""For filters of mail programs (RFC 2919)."""


def digest_message(digest: Digest, text: str, html: str, account: Account, *, message_id: str, at: datetime) -> bytes:
    """Return the message of a digest."""
    message = _addressed(account, message_id, at)
    message["List-Id"] = LIST_ID
    message.set_content(paragraphs(text), cte=_encoding(text))
    message.add_alternative(html, subtype="html", cte=_encoding(html))
    # "=_" cannot be in a body: both encodings escape an equals sign.
    message.set_boundary(f"=_{_digest(message_id)[:24]}")
    return subject_line(subject_of(digest)) + message.as_bytes()


def trial_message(text: str, account: Account, *, message_id: str, at: datetime) -> bytes:
    """Return a test message."""
    message = _addressed(account, message_id, at)
    message.set_content(paragraphs(text), cte=_encoding(text))
    return subject_line("iScore can send you mail") + message.as_bytes()


def code_message(code: str, account: Account, server: str, *, message_id: str, until: datetime, at: datetime) -> bytes:
    """Return the message with the code that confirms an address. ``server`` is the server's address, or empty.

    Nothing in it was written by the user who typed the address, who may be anybody.
    """
    message = _addressed(account, message_id, at)
    name = f"iScore ({urlsplit(server).hostname})" if server else "iScore"
    text = gettext(
        "Somebody who uses %(name)s, a news filter, wants a daily digest mailed to this address.\n\n"
        "If that was you, enter this code on the page of settings, until %(until)s:\n\n    %(code)s\n\n"
        "If it was not you, ignore this mail. Without the code nothing else is sent to you.\n",
        name=line(name, LONGEST_TITLE),
        until=f"{until:%Y-%m-%d %H:%M %Z}",
        code=code,
    )
    message.set_content(paragraphs(text), cte=_encoding(text))
    return subject_line(gettext("Confirm this address for iScore")) + message.as_bytes()


def subject_of(digest: Digest) -> str:
    """Return the subject: the day, the best story, and the number of others."""
    day = short_day(digest.date, with_year=False)
    titles = [entry.title for section in digest.sections for entry in section.entries]
    if not titles:
        return gettext("%(day)s: no recommendations today", day=day)
    others = len(titles) - 1
    title = line(titles[0], LONGEST_TITLE)
    if not others:
        return gettext("%(day)s: %(title)s", day=day, title=title)
    return gettext("%(day)s: %(title)s + %(number)s more", day=day, title=title, number=others)


def message_id(account: Account, origin: str, digest: str) -> str:
    """Return the Message-ID of a user's digest, always the same. ``origin`` identifies the data folder."""
    return identity(account.recipient, account.sender, origin, digest)


def identity(recipient: str, sender: str, origin: str, digest: str) -> str:
    """Return the Message-ID of a digest between these addresses."""
    named = _digest("\n".join((origin, recipient, digest)))[:32]
    return f"<iscore.{digest}.{named}@{sender.rpartition('@')[2]}>"


def origin_of(folder: Path, user_id: int) -> str:
    """Identify a user's data folder, across machines."""
    return f"{platform.node()}:{folder.resolve()}:{user_id}"


def subject_line(subject: str) -> bytes:
    """Return the Subject header of one line, with its line end.

    Not made by ``email``, which decodes text that looks like an encoded word (RFC 2047): a title could smuggle in a
    line break and another header.
    """
    if subject.isascii() and "=?" not in subject and len(subject) <= PLAIN_SUBJECT:
        return f"Subject: {subject}\r\n".encode("ascii")
    words: list[bytes] = [b""]
    for character in subject:
        encoded = character.encode()
        if len(words[-1]) + len(encoded) > WORD_BYTES:
            words.append(b"")
        words[-1] += encoded
    return b"Subject: " + b"\r\n ".join(b"=?utf-8?b?" + b64encode(word) + b"?=" for word in words) + b"\r\n"


def _addressed(account: Account, identity: str, at: datetime) -> EmailMessage:
    message = EmailMessage(policy=POLICY)
    message["From"] = Address("iScore", addr_spec=account.sender)
    message["To"] = Address(addr_spec=account.recipient)
    message["Date"] = format_datetime(at)
    message["Message-ID"] = identity
    message["Auto-Submitted"] = "auto-generated"  # RFC 3834: no automatic replies
    return message


def _encoding(text: str) -> str:
    """Return base64 where quoted-printable would be longer, as for Chinese."""
    encoded = len(text.encode("utf-8", "replace"))
    beyond = encoded - sum(each < "\x80" for each in text)
    return "base64" if beyond > encoded / 6 else "quoted-printable"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
