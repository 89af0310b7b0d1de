"""Whatever the encoding, declared or not, truly or not: the text is readable."""

from __future__ import annotations

import codecs
from time import process_time

import pytest

from iscore.feeds.parsing.encoding import page_to_text, to_utf8

LABELS: list[tuple[str, bytes, str]] = [
    ("unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8", b"Gr\xc3\xb6\xc3\x9fe", "Größe"),
    ("866 cp866 csibm866 ibm866", b"\x8d\xae\xa2", "Нов"),
    (
        "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
        b"\xa3\xf3d\xbc",
        "Łódź",
    ),
    ("csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3", b"\xb6\xfd", "ĥŭ"),
    ("csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4", b"\xbb\xf3", "ģķ"),
    (
        "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
        b"\xbd\xde\xd2",
        "Нов",
    ),
    (
        "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e "
        "iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
        b"\xd4\xe5\xd3",
        "شمس",
    ),
    (
        "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 "
        "iso_8859-7 iso_8859-7:1987 sun_eu_greek",
        b"\xbf\xf1\xe1",
        "Ώρα",
    ),
    (
        "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 "
        "iso_8859-8 iso_8859-8:1988 visual",
        b"\xf9\xec\xe5\xed",
        "שלום",
    ),
    ("csiso88598i iso-8859-8-i logical", b"\xf9\xec\xe5\xed", "שלום"),
    ("csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6", b"\xfe\xbf", "þŋ"),
    ("iso-8859-13 iso8859-13 iso885913", b"\xec\xf8", "ģų"),
    ("iso-8859-14 iso8859-14 iso885914", b"\xf0\xfe", "ŵŷ"),
    ("csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9", b"\xa4\xbd", "€œ"),
    ("iso-8859-16", b"\xfe\xba\xa4", "țș€"),
    ("cskoi8r koi koi8 koi8-r koi8_r", b"\xee\xcf\xd7", "Нов"),
    ("koi8-ru koi8-u", b"\xa7\xad", "їґ"),
    ("csmacintosh mac macintosh x-mac-roman", b"\xde, \xbd", "ﬁ, Ω"),
    ("dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874", b"\xa2\xe8\xd2\xc7\x85", "ข่าว…"),
    ("cp1250 windows-1250 x-cp1250", b"\xa3\x9f\x84", "Łź„"),
    ("cp1251 windows-1251 x-cp1251", b"\xcd\xee\xe2\x96", "Нов–"),
    (
        "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 "
        "iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252",
        b"\x93\xe9, \x81",
        "“é, \x81",
    ),
    ("cp1253 windows-1253 x-cp1253", b"\xbf\xf1\xe1\x80", "Ώρα€"),
    (
        "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 "
        "latin5 windows-1254 x-cp1254",
        b"\xf0\xfe\xfd",
        "ğşı",
    ),
    ("cp1255 windows-1255 x-cp1255", b"\xf9\xec\xe5\xed\xa4", "שלום₪"),
    ("cp1256 windows-1256 x-cp1256", b"\xd4\xe3\xd3\x81", "شمسپ"),
    ("cp1257 windows-1257 x-cp1257", b"\xec\xf8\x84", "ģų„"),
    ("cp1258 windows-1258 x-cp1258", b"\xf5\xfd\xfe", "ơư₫"),
    ("x-mac-cyrillic x-mac-ukrainian", b"\x8d\xee\xe2\xff", "Нов€"),
    (
        "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk",
        b"\xd0\xc2\xce\xc5\xa2\xe3\x819\xee9",
        "新闻€㐀",
    ),
    ("gb18030", b"\xd0\xc2\xce\xc5\x952\x826", "新闻\U00020000"),
    ("big5 big5-hkscs cn-big5 csbig5 x-x-big5", b"\xb7s\xbbD\xf9\xd6\x9d\xee", "新聞碁㗎"),
    ("cseucpkdfmtjapanese euc-jp x-euc-jp", b"\xbf\xb7\xca\xb9\xad\xa1\xad\xea", "新聞①㈱"),
    ("csiso2022jp iso-2022-jp", b"\x1b$B?7J9\x1b(B", "新聞"),
    ("csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis", b"\x90V\x95\xb7\x87@\x87\x8a", "新聞①㈱"),
    (
        "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949",
        b"\xb4\xba\xbd\xba\x8cc",
        "뉴스똠",
    ),
]
"""All labels of the Encoding Standard for encodings that extend ASCII, and a text as each encoding has it."""


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


@pytest.mark.parametrize(("labels", "raw", "text"), LABELS, ids=[labels.split()[-1] for labels, *_ in LABELS])
def test_labels_mean_what_they_mean_in_browsers(labels: str, raw: bytes, text: str) -> None:
    for label in labels.split():
        declared = b'<?xml version="1.0" encoding="%s"?><rss>%s</rss>' % (label.upper().encode(), raw)
        assert to_utf8(declared).decode().partition("<rss>")[2] == f"{text}</rss>", label
        page = b'<meta http-equiv="Content-Type" content="text/html; charset=%s"><p>%s' % (label.encode(), raw)
        assert page_to_text(page).partition("<p>")[2] == text, label
        assert page_to_text(b"<p>" + raw, f"text/html; charset={label}") == f"<p>{text}", label


NOT_TRUE = """
    csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr replacement unicodefffe utf-16be csunicode
    iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le klingon hex punycode utf-7 unicode_escape
"""


@pytest.mark.parametrize("label", NOT_TRUE.split())
def test_labels_that_cannot_be_true_count_as_none(label: str) -> None:
    for encoding in ("utf-8", "windows-1252"):
        raw = document("Größe “quoted”", label).encode(encoding)
        assert to_utf8(raw, f"text/xml; charset={label}").decode() == document("Größe “quoted”", label)
    assert page_to_text("Größe".encode("utf-16-le"), f"text/plain; charset={label}").count("G") == 1


GERMAN = "".join(f"<b>Grüße {number} – „schön“</b>" for number in range(20))


@pytest.mark.parametrize(
    ("raw", "declared", "header", "text"),
    [
        # One bad byte, whatever is declared.
        (GERMAN.encode() + b"\xe2\x80", "", "", GERMAN + "\ufffd"),
        (GERMAN.encode() + b"\xf0\x9f\x98", "utf-8", "", GERMAN + "\ufffd"),
        (GERMAN.encode() + b"caf\xe9 ", "iso-8859-1", "", GERMAN + "caf\ufffd "),
        (GERMAN.encode() + b"\xe2\x80", "Shift_JIS", "windows-1251", GERMAN + "\ufffd"),
        (b"\xef\xbb\xbf" + GERMAN.encode() + b"\xa0", "", "iso-8859-1", GERMAN + "\ufffd"),
        ("\ufffd\ufffd\ufffd\ufffd é".encode() + b"\xe9", "", "", "\ufffd\ufffd\ufffd\ufffd é\ufffd"),
        # Entries in two encodings.
        (GERMAN.encode() + "Grüße".encode("latin-1"), "utf-8", "utf-8", GERMAN + "Gr\ufffd\ufffde"),
        ("Straße".encode() + "Grüße".encode("windows-1252"), "utf-8", "", "StraßeGrüße"),
        ("déjà l’été « café\xa0» ".encode("windows-1252") * 3, "utf-8", "", "déjà l’été « café\xa0» " * 3),
        # What is declared is not true of every byte.
        ("日本のニュース".encode("cp932") + b"\x82", "Shift_JIS", "utf-8", "日本のニュース\ufffd"),
        ("新聞，經濟".encode("big5") + b"\xff", "", "big5", "新聞，經濟\ufffd"),
        ("대한민국 뉴스".encode("cp949") + b"\xc7", "euc-kr", "iso-8859-1", "대한민국 뉴스\ufffd"),
        ("中国新闻".encode("gb18030") + b"\x81", "gb2312", "", "中国新闻\ufffd"),
        ("日本のニュース".encode("euc_jp") + b"\x8f", "x-euc-jp", "", "日本のニュース\ufffd"),
        # Header and document disagree.
        ("Новости".encode("windows-1251"), "windows-1251", "iso-8859-1", "Новости"),
        ("Новости".encode("windows-1251"), "utf-8", "windows-1251", "Новости"),
        ("ニュース".encode("cp932"), "Shift_JIS", "euc-jp", "ニュース"),
        ("뉴스".encode("cp949"), "", "cp949", "뉴스"),
        (b"\x80\x81\x8d\x8f\x90\x9d\xe9", "", "", "€\x81\x8d\x8f\x90\x9dé"),
    ],
)
def test_a_bad_byte_or_a_wrong_label_spoils_nothing_else(raw: bytes, declared: str, header: str, text: str) -> None:
    prefix = document("", declared).removesuffix("</rss>").encode() if declared else b""
    mark = raw[:3] if raw.startswith(codecs.BOM_UTF8) else b""
    body = mark + prefix + raw.removeprefix(mark)
    assert to_utf8(body, f"text/xml; charset={header}").decode() == prefix.decode() + text


@pytest.mark.parametrize(
    "raw",
    [
        b"\x81" * 3_000_000,
        b" " * 3_000_000,
        b"\xef\xbb\xbf" * 1_000_000,
        b"<?xml encoding='euc-jp'?>" + b"\xad\xa1" * 200_000,
        b"<?xml encoding='utf-8'?>" + b"\xe9\xc3\xa9\xe9" * 100_000,
        b"<meta " * 500_000,
    ],
)
def test_hostile_bytes_take_no_longer_than_others(raw: bytes) -> None:
    started = process_time()
    to_utf8(raw)
    page_to_text(raw, "text/html; charset=big5")
    assert process_time() - started < 2
