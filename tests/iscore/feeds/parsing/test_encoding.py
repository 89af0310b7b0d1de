"""Whatever the encoding, declared or not, truly or not: the text is readable."""

from __future__ import annotations

import codecs

import pytest

from iscore.feeds.parsing.encoding import to_utf8


def document(text: str, declared: str = "") -> str:
    declaration = f'<?xml version="1.0" encoding="{declared}"?>' if declared else '<?xml version="1.0"?>'
    return f"{declaration}<rss>{text}</rss>"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Größe “quoted”", "utf-8"),
        ("Größe", "iso-8859-1"),
        ("Новости дня", "koi8-r"),
        ("Новости дня", "windows-1251"),
        ("新闻", "gb2312"),
        ("ニュース", "shift_jis"),
        ("ニュース", "euc-jp"),
        ("뉴스", "euc-kr"),
    ],
)
def test_declared_encodings(text: str, encoding: str) -> None:
    assert text in to_utf8(document(text, encoding).encode(encoding)).decode()
    assert text in to_utf8(document(text).encode(encoding), f'application/xml; charset="{encoding}"').decode()


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (b"", "utf-16-le"),
        (b"", "utf-16-be"),
        (b"", "utf-32-be"),
    ],
)
def test_encodings_are_detected_from_the_first_bytes(mark: bytes, encoding: str) -> None:
    text = document("Größe 新闻")
    assert to_utf8(mark + text.encode(encoding)).decode() == text


def test_latin_1_declared_as_utf_8() -> None:
    assert "Größe" in to_utf8(document("Größe", "utf-8").encode("latin-1")).decode()


def test_utf_8_declared_as_latin_1() -> None:
    assert "À la “Größe”" in to_utf8(document("À la “Größe”", "ISO-8859-1").encode()).decode()


def test_windows_quotes_declared_as_latin_1() -> None:
    assert "“quoted”" in to_utf8(document("“quoted”", "iso-8859-1").encode("windows-1252")).decode()


@pytest.mark.parametrize("bogus", ["klingon", "hex", "base64", "zlib", "rot13", "undefined", "idna"])
def test_bogus_encodings(bogus: str) -> None:
    assert "Größe" in to_utf8(document("Größe", bogus).encode()).decode()
    assert "Größe" in to_utf8(document("Größe").encode(), f"text/xml; charset={bogus}").decode()


def test_any_bytes_become_text() -> None:
    to_utf8(bytes(range(256)) * 3).decode()
    assert to_utf8(b"") == b""


def test_nothing_stays_before_the_declaration() -> None:
    assert to_utf8(b"\n\n <?xml version='1.0'?><rss/>").startswith(b"<?xml")
