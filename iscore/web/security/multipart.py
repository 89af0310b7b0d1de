"""Forms as ``multipart/form-data`` (RFC 7578), in time that grows with their size alone: anybody may send one."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header

logging.getLogger("python_multipart").setLevel(logging.ERROR)  # it warns of each damaged form

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


def is_multipart(content_type: str) -> bool:
    """Whether a form of this type is for ``parse_multipart``."""
    return content_type.partition(";")[0].strip().lower() == MULTIPART


def parse_multipart(content_type: str, body: bytes, *, most: int) -> MultipartForm:
    """Parse a form of at most ``most`` parts, in time linear in the body. Raises ``ValueError`` for all others.

    >>> body = b'--x\\r\\nContent-Disposition: form-data; name="a"\\r\\n\\r\\none\\r\\n--x--\\r\\n'
    >>> parse_multipart("multipart/form-data; boundary=x", body, most=5).fields
    [('a', 'one')]
    """
    boundary = parse_options_header(content_type)[1].get(b"boundary", b"")
    if not boundary:
        raise ValueError("a form without a boundary")
    reader = _FormReader(most)
    parser = MultipartParser(boundary, reader.callbacks)  # type: ignore[arg-type]
    try:
        parser.write(body)
        parser.finalize()
    except MultipartParseError as error:
        raise ValueError("not a form") from error
    if not reader.complete:
        raise ValueError("the form ends too early")
    return reader.form


class _FormReader:
    """Collects the parts of a form, as ``MultipartParser`` finds them."""

    def __init__(self, most: int) -> None:
        self.form = MultipartForm()
        self.complete = False
        self._most = most
        self._parts = 0
        self._name, self._value = b"", b""
        self._headers: dict[bytes, bytes] = {}
        self._content: list[bytes] = []
        self.callbacks = {
            "on_part_begin": self._begin,
            "on_header_field": self._header_name,
            "on_header_value": self._header_value,
            "on_header_end": self._end_header,
            "on_part_data": lambda data, start, end: self._content.append(data[start:end]),
            "on_part_end": self._end,
            "on_end": self._end_form,
        }

    def _begin(self) -> None:
        self._parts += 1
        if self._parts > self._most:
            raise ValueError("the form has too many parts")
        self._headers, self._content = {}, []

    def _header_name(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _end_header(self) -> None:
        self._headers[self._name.lower()] = self._value
        self._name, self._value = b"", b""

    def _end(self) -> None:
        kind, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        if kind != b"form-data" or b"name" not in options or b"content-transfer-encoding" in self._headers:
            raise ValueError("not a form")
        name, content = options[b"name"].decode(), b"".join(self._content)
        if b"filename" in options:
            self.form.files[name], self.form.names[name] = content, options[b"filename"].decode()
        else:
            self.form.fields.append((name, content.decode()))

    def _end_form(self) -> None:
        self.complete = True
