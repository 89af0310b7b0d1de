"""Forms as ``multipart/form-data`` (RFC 7578), in time that grows with their size alone: anybody may send one.

The standard library's reader of mail takes minutes for a header line of some megabytes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice, pairwise

MULTIPART = "multipart/form-data"
LONGEST_HEAD = 4096
"""Bytes of the header of a part."""

_BOUNDARY = re.compile(r'; *boundary=(?:"([^"]{1,70})"|([^\s";]{1,70}))', re.IGNORECASE)
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_DISPOSITION = re.compile(rb"^content-disposition: *form-data *(;.*)$", re.IGNORECASE | re.MULTILINE)
_ENCODED = re.compile(rb"^content-transfer-encoding:", re.IGNORECASE | re.MULTILINE)
_NAME, _FILE = (re.compile(rb'; *%s=(?:"([^"]*)"|([^\s;"]+))' % each, re.IGNORECASE) for each in (b"name", b"filename"))


@dataclass(frozen=True, slots=True)
class MultipartForm:
    """The fields of a form, and its files."""

    fields: list[tuple[str, str]] = field(default_factory=list)
    """Name and value, in the order of the form."""
    files: dict[str, bytes] = field(default_factory=dict)
    """Contents by the name of their field; empty where the user chose no file."""
    names: dict[str, str] = field(default_factory=dict)
    """Names of the files, as the browser gives them, by the name of their field. They are not checked."""


def is_multipart(content_type: str) -> bool:
    """Whether a form of this type is for ``parse_multipart``."""
    return content_type.partition(";")[0].strip().lower() == MULTIPART


def parse_multipart(content_type: str, body: bytes, *, most: int) -> MultipartForm:
    """Parse a form of at most ``most`` parts. Raises ``ValueError`` for what no browser sends.

    >>> body = b'--x\\r\\nContent-Disposition: form-data; name="a"\\r\\n\\r\\none\\r\\n--x--\\r\\n'
    >>> parse_multipart("multipart/form-data; boundary=x", body, most=5).fields
    [('a', 'one')]
    """
    found = _BOUNDARY.search(content_type)
    if not is_multipart(content_type) or found is None:
        raise ValueError("not a form")
    boundary = re.escape((found[1] or found[2]).encode("latin-1", "replace"))
    delimiter = re.compile(rb"(?:\A|\r?\n)--" + boundary + rb"(--)?[ \t]*(?=\r?\n|\Z)")
    delimiters = list(islice(delimiter.finditer(body), most + 1))
    last = next((place for place, each in enumerate(delimiters) if each[1]), None)
    if last is None:
        raise ValueError("not a form, or too many fields")
    form = MultipartForm()
    for start, end in pairwise(delimiters[: last + 1]):
        head, content = _divided(body, start.end(), end.start())
        name, file_name = _value(_NAME, head), _value(_FILE, head)
        if name is None:
            raise ValueError("not a form")
        if file_name is None:
            form.fields.append((name, content.decode()))
        else:
            form.files[name], form.names[name] = content, file_name
    return form


def _divided(body: bytes, start: int, end: int) -> tuple[bytes, bytes]:
    """Return what the header of a part says of it, and its content."""
    blank = _HEAD_END.search(body, start, min(end, start + LONGEST_HEAD))
    head = body[start : blank.start()] if blank else b""
    disposition = _DISPOSITION.search(head.replace(b"\r", b""))
    if blank is None or disposition is None or _ENCODED.search(head):
        raise ValueError("not a form")
    return disposition[1], body[blank.end() : end]


def _value(pattern: re.Pattern[bytes], head: bytes) -> str | None:
    found = pattern.search(head)
    return None if found is None else (found[1] if found[1] is not None else found[2]).decode()
