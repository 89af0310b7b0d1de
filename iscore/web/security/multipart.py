"""Forms with a file (multipart/form-data, RFC 7578), read by the standard library's parser of MIME messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import HTTP

MULTIPART = "multipart/form-data"


@dataclass(frozen=True, slots=True)
class MultipartForm:
    """The fields of a form, and its files."""

    fields: list[tuple[str, str]] = field(default_factory=list)
    """Name and value, in the order of the form."""
    files: dict[str, bytes] = field(default_factory=dict)
    """Contents by the name of their field; empty where the user chose no file."""
    names: dict[str, str] = field(default_factory=dict)
    """Names of the files, as the browser gives them, by the name of their field. They are not checked."""


def parse_multipart(content_type: str, body: bytes, *, most: int) -> MultipartForm:
    """Parse a form of at most ``most`` parts. Raises ``ValueError`` for what no browser sends.

    >>> body = b'--x\\r\\nContent-Disposition: form-data; name="a"\\r\\n\\r\\none\\r\\n--x--\\r\\n'
    >>> parse_multipart("multipart/form-data; boundary=x", body, most=5).fields
    [('a', 'one')]
    """
    message = BytesParser(EmailMessage, policy=HTTP).parsebytes(
        b"Content-Type: " + content_type.encode("latin-1", "replace") + b"\r\n\r\n" + body
    )
    if message.get_content_type() != MULTIPART or not message.is_multipart() or message.defects:
        raise ValueError("not a form")
    parts = list(message.iter_parts())
    if len(parts) > most:
        raise ValueError("too many fields")
    form = MultipartForm()
    for part in parts:
        name = part.get_param("name", header="content-disposition")
        if part.is_multipart() or not isinstance(name, str) or "content-transfer-encoding" in part:
            raise ValueError("not a form")
        content = part.get_payload(decode=True)
        if not isinstance(content, bytes):
            raise ValueError("not a form")
        file_name = part.get_filename()
        if file_name is None:
            form.fields.append((name, content.decode()))
        else:
            form.files[name], form.names[name] = content, file_name
    return form
