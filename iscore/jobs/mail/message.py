"""A digest as a message: multipart/alternative of text and HTML, seven bits wide, in lines of 76 characters.

Whatever a title holds, the bytes are those of a well-formed message: addresses are checked, the subject is made of
one clean line, bodies are encoded as quoted-printable or base64. The same edition gives the same bytes.
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

from iscore.core.sanitizing import line, paragraphs
from iscore.jobs.mail.account import Account
from iscore.presentation.digest.layout import Digest

POLICY = SMTP.clone(raise_on_defect=True, cte_type="7bit", utf8=False)
"""Lines end in CRLF; nothing beyond ASCII, since not every server on the way takes more."""
LONGEST_TITLE = 90
"""Characters of the first title in the subject; a phone shows 40."""
PLAIN_SUBJECT = 65
"""Characters that fit into a line beside the header's name."""
WORD_BYTES = 42
"""Of text in one encoded word, which is at most 75 characters long; no character is cut."""
LIST_ID = "iScore digest <digest.iscore.localhost>"
"""By which mail programs sort (RFC 2919). The digest is of this machine's own making, hence the domain."""


def digest_message(edition: Digest, text: str, html: str, account: Account, *, message_id: str, at: datetime) -> bytes:
    """Return the message that carries an edition."""
    message = _addressed(account, message_id, at)
    message["List-Id"] = LIST_ID
    message.set_content(paragraphs(text), cte=_encoding(text))
    message.add_alternative(html, subtype="html", cte=_encoding(html))
    # "=_" is in no body: both encodings write an equals sign otherwise.
    message.set_boundary(f"=_{_digest(message_id)[:24]}")
    return subject_line(subject_of(edition)) + message.as_bytes()


def trial_message(text: str, account: Account, *, message_id: str, at: datetime) -> bytes:
    """Return a message that shows that mail arrives."""
    message = _addressed(account, message_id, at)
    message.set_content(paragraphs(text), cte=_encoding(text))
    return subject_line("iScore can send you mail") + message.as_bytes()


def subject_of(edition: Digest) -> str:
    """Return what stands in the list of messages: the day, the best story, and how many there are beside it."""
    day = f"{edition.date:%a} {edition.date.day} {edition.date:%b}"
    titles = [entry.story.title for section in edition.sections for entry in section.entries]
    if not titles:
        return f"{day}: nothing for you today"
    others = len(titles) - 1
    return f"{day}: {line(titles[0], LONGEST_TITLE)}" + (f" + {others} more" if others else "")


def message_id(account: Account, origin: str, edition: str) -> str:
    """Return the one Message-ID of a person's edition: the same each time. ``origin`` names the home."""
    return identity(account.recipient, account.sender, origin, edition)


def identity(recipient: str, sender: str, origin: str, edition: str) -> str:
    """Return the Message-ID that an account of these addresses gives an edition."""
    named = _digest("\n".join((origin, recipient, edition)))[:32]
    return f"<iscore.{edition}.{named}@{sender.rpartition('@')[2]}>"


def origin_of(home: Path, user_id: int) -> str:
    """Name a person's home, on whatever machine."""
    return f"{platform.node()}:{home.resolve()}:{user_id}"


def subject_line(subject: str) -> bytes:
    """Return the header of a subject that is one line, with its line end.

    Made here, and not by ``email``: that reads what looks like an encoded word in a text (RFC 2047) as one, and a title
    may so smuggle a line break into it, and a header behind that.
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
    message["Auto-Submitted"] = "auto-generated"  # RFC 3834: no holiday notices in answer, please
    return message


def _encoding(text: str) -> str:
    """Base64 where quoted-printable would be longer, as for Chinese."""
    encoded = len(text.encode("utf-8", "replace"))
    beyond = encoded - sum(each < "\x80" for each in text)
    return "base64" if beyond > encoded / 6 else "quoted-printable"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
