"""Reads dates of feeds: texts → aware datetimes in UTC, or None.

    text ─► seconds since 1970? ─► one of the two common forms? ─► tokens ─► parts ─► moment

A text is a date only if each of its words, numbers and signs is understood. Impossible dates are refused, as are dates
with two meanings, such as 03/04/2026, unless the name of the day tells which is meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from typing import Final, TypeVar
from unicodedata import category, normalize

from iscore.core.clock import zone_named

FIRST_YEAR = 1990
"""Earlier dates are wrong, since feeds did not exist: 1970 is an unset clock, 0001 an unset field."""
TOLERANCE = timedelta(days=1)
"""Missing time zones make dates wrong by hours. Articles with later dates would stay on top forever."""
LONGEST: Final = 100
"""Characters of a date; JavaScript writes up to 80."""
FARTHEST: Final = timedelta(hours=14)
"""No clock is further from UTC."""

_Dated = TypeVar("_Dated")

_ISO_8601 = re.compile(
    r"(?:\d{4}-\d\d-\d\d|\d{8})(?:[T ]\d\d(?::?\d\d){1,2}(?:[.,]\d+)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?", re.ASCII
)
_RFC_822 = re.compile(
    r"(?:[A-Z][a-z]{2}, )?(\d\d?) ([A-Z][a-z]{2}) (\d{4}) (\d\d:\d\d:\d\d) (?:GMT|UTC|([+-]\d{4}))", re.ASCII
)
_SINCE_1970 = re.compile(r"(\d{9,10}|\d{12,13}|\d{15,16})(?:\.\d+)?", re.ASCII)
_PACKED = re.compile(r"((?:19|20)\d{6})(\d{4}(?:\d\d)?)", re.ASCII)

_MONTHS_BY_NUMBER = (
    "jan january januar jänner jän januari janv janvier ene enero gen gennaio gener janeiro ian ianuarie január"
    " ιαν ιανουάριος ιανουαρίου янв январь января ocak oca sty styczeń stycznia led leden ledna",
    "feb february februar feber februari febr févr fév février febrero febbraio febrer fev fevereiro februarie február"
    " φεβ φεβρ φεβρουάριος φεβρουαρίου фев февр февраль февраля şubat şub lut luty lutego úno únor února",
    "mar march märz mär mrz maerz maart mrt mars marzo març março mart martie marts márc március"
    " μάρ μαρτ μάρτιος μαρτίου март марта мар marzec marca bře březen března",
    "apr april avr avril abr abril aprile aprilie ápr április"
    " απρ απρίλιος απριλίου апр апрель апреля nisan nis kwi kwiecień kwietnia dub duben dubna",
    "may mai mei maj mayo mag maggio maig maio máj május μάι μάιος μαΐου май мая mayıs maja kvě květen května",
    "jun june juni juin junio giu giugno juny junho iun iunie jún június"
    " ιούν ιον ιούνιος ιουνίου июн июнь июня haziran haz cze czerwiec czerwca čvn červen června",
    "jul july juli juil juillet julio lug luglio juliol julho iul iulie júl július"
    " ιούλ ιολ ιούλιος ιουλίου июл июль июля temmuz tem lip lipiec lipca čvc červenec července",
    "aug august augustus augusti août aoû ago agosto ag agost augusztus"
    " αύγ αυγ αύγουστος αυγούστου авг август августа ağustos ağu sie sierpień sierpnia srp srpen srpna",
    "sep sept september septembre septiembre set settembre setembre setembro septembrie szept szeptember"
    " σεπ σεπτ σεπτέμβριος σεπτεμβρίου сен сент сентябрь сентября eylül eyl wrz wrzesień września zář září",
    "oct october okt oktober octobre octubre ott ottobre out outubro octombrie október"
    " οκτ οκτώβριος οκτωβρίου окт октябрь октября ekim eki paź październik października říj říjen října",
    "nov november novembre noviembre novembro noi noiembrie"
    " νοέ νοέμ νοέμβριος νοεμβρίου ноя нояб ноябрь ноября kasım kas lis listopad listopada listopadu",
    "dec december dez dezember déc décembre dic diciembre dicembre des desembre dezembro decembrie desember"
    " δεκ δεκέμβριος δεκεμβρίου дек декабрь декабря aralık ara gru grudzień grudnia pro pros prosinec prosince",
)
_FINNISH_MONTHS = "tammi helmi maalis huhti touko kesä heinä elo syys loka marras joulu"
_DAYS_BY_NUMBER = (
    "mon monday montag mo lun lundi lunes lunedì dilluns dl luni seg segunda maandag ma måndag mån man mandag"
    " maanantai maanantaina пн понедельник hétfő pazartesi pzt δευ δευτέρα pon poniedziałek po pondělí",
    "tue tues tuesday dienstag di mar mardi martes mar martedì dimarts dt marți ter terça dinsdag tisdag tis tir tirs"
    " tirsdag tiistai tiistaina ti вт вторник kedd salı sal τρί τρίτη wt wtorek út úterý",
    "wed weds wednesday mittwoch mi mer mercredi mié mie miércoles mercoledì dimecres dc miercuri qua quarta woensdag"
    " wo onsdag ons keskiviikko keskiviikkona ke ср среда szerda sze çarşamba çar τετ τετάρτη śr środa st středa",
    "thu thur thurs thursday donnerstag do jeu jeudi jue jueves gio giovedì dijous dj joi qui quinta donderdag torsdag"
    " tors tor torstai torstaina to чт четверг csütörtök csüt cs perşembe per πέμ πέμπτη czw czwartek čt čtvrtek",
    "fri friday freitag fr ven vendredi vie viernes venerdì divendres dv vin vineri sex sexta vrijdag vr vri fredag fre"
    " perjantai perjantaina pe пт пятница péntek pén cuma cum παρ παρασκευή pt pią piątek pá pátek",
    "sat saturday samstag sonnabend sa sam samedi sáb sábado sab sabato dissabte ds sâm sâmbătă zaterdag za lördag lör"
    " lørdag lør lauantai lauantaina la сб суббота szombat szo cumartesi cmt σάβ σάββατο sob sobota",
    "sun sunday sonntag dim dimanche dom domingo domenica diumenge dg dum duminică zondag zo söndag sön søndag søn"
    " sunnuntai sunnuntaina su вс воскресенье vasárnap vas pazar paz κυρ κυριακή nd niedz niedziela ne neděle",
)
_ZONES_BY_OFFSET = {
    -10: "hst", -9: "akst", -8: "pst akdt", -7: "mst pdt", -6: "cst mdt", -5: "est cdt cot pet", -4: "edt ast clt",
    -3.5: "nst", -3: "adt art brt clst", -2.5: "ndt", 0: "z gmt utc ut wet", 1: "cet mez met bst west wat",
    2: "cest mesz mest eet cat sast", 3: "msk eest eat idt trt", 4: "msd gst", 5: "pkt", 5.5: "ist", 7: "wib ict",
    8: "hkt sgt myt pht awst", 9: "jst kst", 9.5: "acst", 10: "aest", 10.5: "acdt", 11: "aedt", 12: "nzst", 13: "nzdt",
}  # fmt: skip
"""By hours east of UTC. Of several meanings the one of RFC 822, else the one of most publishers: CST is American, IST
Indian, BST British. Those of the military, AMT, ECT and SST have none."""
_ZONES_BY_SEASON = {"et": "New_York", "ct": "Chicago", "mt": "Denver", "pt": "Los_Angeles", "at": "Halifax"}
_WORDS_BETWEEN = (
    "of the on at um am de del d den der le les la las a as alle ore ora orele om kl klo kello v o ob в во στις saat",
    "hr hrs hs uhr uur hod godz г года feira so",
)
"""Words that change nothing, folded: those before a part and those after one. ``so`` is Sunday in German and Saturday
in Czech."""


def _folded(word: str) -> str:
    """Return a word in small letters without accents."""
    plain = "".join(each for each in normalize("NFD", word.casefold()) if category(each) != "Mn")
    return plain.replace("ı", "i").replace("ø", "o").replace("ł", "l")


def _table(lines: Sequence[str], first: int) -> dict[str, int]:
    return {_folded(word): number for number, words in enumerate(lines, first) for word in words.split()}


_MONTHS = _table(_MONTHS_BY_NUMBER, 1) | {
    _folded(name) + ending: number
    for number, name in enumerate(_FINNISH_MONTHS.split(), 1)
    for ending in ("", "k", "kuu", "kuuta")
}
_WEEKDAYS = _table(_DAYS_BY_NUMBER, 0)
_PREPOSITIONS, _UNITS = (frozenset(words.split()) for words in _WORDS_BETWEEN)
_ZONES = {name: timezone(timedelta(hours=hours)) for hours, names in _ZONES_BY_OFFSET.items() for name in names.split()}

_HALF = r"(?:[ap]\.?\s?m|[πμ]\.?\s?μ|上午|下午|午前|午後|오전|오후)(?![^\W\d_])\.?"
_AFTERNOON = ("p", "μ", "下", "午後", "오후")
_OFFSET = r"[+−-](?:\d\d:?\d\d|\d{1,2}(?::\d\d)?)(?!\d)"
_SIGN = "[,،;:/|@·•'’\\[\\]–—-]"
_TOKEN = re.compile(
    rf"""
    (?P<dotted>(\d{{1,4}})\.\s?(\d{{1,2}})\.\s?(\d{{1,4}})(?!\d))
    | (?P<time>
        (?:(?P<early>{_HALF})\s?(?!\d{{1,2}}\.))? (?P<hour>\d{{1,2}})
        (?: (?::\s?|\.|\s?h\s?)(?P<minute>\d\d)(?!\d) (?:[:.]\s?(?P<second>\d\d)(?!\d)(?:[.,](?P<fraction>\d+))?)?
          | (?=\s?h(?!\w))
          | (?=\s?{_HALF}(?!\s?\d{{1,2}}:)) )
        (?:\s?h(?!\w))? (?:\s?(?P<late>{_HALF}))? (?:\s?(?:gmt|utc)?\s?(?P<offset>{_OFFSET}))? )
    | (?P<zone>(?:gmt|utc)\s?(?P<by>{_OFFSET}))
    | (?P<place>[a-z]+(?:/[a-z][\w+-]*){{1,2}})
    | (?P<number>(?P<digits>\d{{8}}|\d{{1,4}})(?!\d)(?::?(?:st|nd|rd|th|er|re|e|o|η|ης)(?![^\W_]))?)
    | (?P<t>(?<=\d)t(?=\d{{1,2}}:))
    | (?P<word>(?:[^\W\d_][\u0300-\u036f]*)+)
    | (?P<mark>(?!\A)(?:(?:\.\s?|\s)?{_SIGN}?\s?(?!{_SIGN}|[\s.]|\Z)|[.,:\]]\Z))
    | (?P<junk>.)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200e\u200f\ufeff"))
_COMMENT = re.compile(r"\(([^()]*)\)")
_COMMA = re.compile(r"\.?\s?[,،]")
_STANDS_FREE = re.compile(r"(?<!\d)[^\W\d_]+[ .:'’]+\S")
_EASTERN = re.compile(r"[\u4e00-\u9fff가-힣]")
_JAPANESE_OR_KOREAN = re.compile(r"[가-힣曜前後火水木金土]")
_EASTERN_DAY = re.compile(r"[월화수목금토일]요일|(?:星期|周|週)[一二三四五六日天]|[月火水木金土日]曜日?")
_EASTERN_UNITS = str.maketrans("年月日時时点點分秒년월일시분초", "-- ::::: -- :: ")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def plausible(moment: datetime | None, now: datetime) -> datetime | None:
    """Return the moment if an article can have been published then; otherwise None."""
    if moment is None or moment.year < FIRST_YEAR or moment > now + TOLERANCE:
        return None
    return moment


def from_text(text: str) -> datetime | None:
    """Return the moment that a text means.

    Without a time it is the beginning of the day. Without a zone it is in UTC; in Chinese it is eight hours earlier, in
    Japanese and Korean nine.
    """
    text = text.strip()
    if not text or len(text) > LONGEST:
        return None
    try:
        if _ISO_8601.fullmatch(text):
            return _in_utc(datetime.fromisoformat(text))
        if (found := _RFC_822.fullmatch(text)) and (month := _MONTHS.get(found[2].lower())):
            day, _, year, clock, zone = found.groups()
            return _in_utc(datetime.fromisoformat(f"{year}-{month:02}-{day:0>2}T{clock}{zone or 'Z'}"))
    except (ValueError, OverflowError):
        pass  # it may have one of the times that Python does not know: 24:00 and leap seconds
    try:
        return _of_digits(text) or _Parts(text).moment()
    except (ValueError, OverflowError):
        return None


def _in_utc(moment: datetime) -> datetime:
    offset = moment.utcoffset()
    if offset is None:
        return moment.replace(tzinfo=UTC)
    if not -FARTHEST <= offset <= FARTHEST:
        raise ValueError
    return moment.astimezone(UTC)


def _of_digits(text: str) -> datetime | None:
    """Read seconds, milliseconds or microseconds since 1970, or a date and a time without signs between them."""
    if found := _PACKED.fullmatch(text):
        return datetime.fromisoformat(f"{found[1]}T{found[2]}").replace(tzinfo=UTC)
    if found := _SINCE_1970.fullmatch(text):
        units = 10 ** (len(found[1]) // 3 * 3 - 9)
        return _EPOCH + timedelta(microseconds=int(found[1]) * 1_000_000 // units)
    return None


class _Parts:
    """The parts of a date in any order. All methods raise ``ValueError`` for what is no part of a date."""

    def __init__(self, text: str) -> None:
        self._numbers: list[str] = []
        """Day, month and year, as far as they are numbers."""
        self._dotted = False
        """Whether dots separate them."""
        self._months: list[str] = []
        self._weekdays: list[int] = []
        self._times: list[tuple[int, int, int, int]] = []
        self._zones: list[tzinfo | None] = []
        text = normalize("NFKC", text).translate(_INVISIBLE)
        self._default: tzinfo = UTC
        if _EASTERN.search(text):
            self._default = timezone(timedelta(hours=9 if _JAPANESE_OR_KOREAN.search(text) else 8))
            text = _EASTERN_DAY.sub(" ", text).translate(_EASTERN_UNITS)
        for found in _TOKEN.finditer(" ".join(_COMMENT.sub(" ", text).split())):
            self._add(found.lastgroup, found)
        # 10:15 (CET): comments mean nothing, except a zone where no other is.
        for comment in _COMMENT.findall(text) if not self._zones else ():
            found_zone = _TOKEN.fullmatch(comment)
            if found_zone and (found_zone.lastgroup in ("zone", "place") or comment.lower() in _ZONES):
                self._add(found_zone.lastgroup, found_zone)

    def _add(self, kind: str | None, found: re.Match[str]) -> None:
        if kind == "dotted":
            self._add_dotted(*found.group(2, 3, 4))
        elif kind == "time":
            self._add_time(found)
        elif kind == "zone":
            self._zones.append(_offset(found["by"]))
        elif kind == "place":
            self._zones.append(zone_named(found[0]))
        elif kind == "number":
            digits = found["digits"]
            self._numbers += [digits] if len(digits) < 8 else [digits[:4], digits[4:6], digits[6:]]
        elif kind == "word":
            self._add_word(_folded(found[0]), found)
        elif kind == "junk":
            raise ValueError

    def _add_dotted(self, *numbers: str) -> None:
        if len(self._numbers) + len(self._months) < 3:
            self._numbers += numbers
            self._dotted = True
        else:  # Finnish and Italian times
            hour, minute, second = map(int, numbers)
            self._times.append((hour, minute, second, 0))

    def _add_time(self, found: re.Match[str]) -> None:
        hour, half = int(found["hour"]), (found["early"] or found["late"] or "").lower()
        afternoon = half.startswith(_AFTERNOON)
        if afternoon and 0 < hour < 12:
            hour += 12
        elif half and not afternoon and hour == 12:
            hour = 0
        if half and afternoon != (hour >= 12):
            raise ValueError  # 0:15 pm or 13:15 am; 13:15 pm is clear
        fraction = (found["fraction"] or "")[:6].ljust(6, "0")
        self._times.append((hour, int(found["minute"] or 0), int(found["second"] or 0), int(fraction)))
        if found["offset"]:
            self._zones.append(_offset(found["offset"]))

    def _add_word(self, word: str, found: re.Match[str]) -> None:
        # Two capitals after a time, such as PT and CT, are a zone. They may be Polish and Czech days elsewhere.
        zone = self._times and found[0].isupper() and len(word) == 2
        if word in _MONTHS:
            self._months.append(word)
        elif zone and word in _ZONES_BY_SEASON:
            self._zones.append(zone_named(f"America/{_ZONES_BY_SEASON[word]}"))
        elif word == "z" and self._zones:
            pass  # 2026-11-28T10:15:00-05:00Z
        elif word in _ZONES and (self._times or len(self._numbers) + len(self._months) > 2):
            self._zones.append(_ZONES[word])
        elif word in _WEEKDAYS and not zone:
            self._weekdays.append(_WEEKDAYS[word])
        elif word in _PREPOSITIONS:
            if not _STANDS_FREE.match(found.string, found.start()):
                raise ValueError
        elif word not in _UNITS and not (found.start() == 0 and _COMMA.match(found.string, found.end())):
            raise ValueError  # a first word before a comma is the day of the week in another language

    def moment(self) -> datetime:
        """Return the moment that the parts mean together, in UTC."""
        doubtful = next((each for each in self._months if each in _WEEKDAYS), "")  # such as mar: Tuesday or March
        if doubtful and len(self._months) + len(self._numbers) == 4:
            self._months.remove(doubtful)
            self._weekdays.append(_WEEKDAYS[doubtful])
        day = self._day()
        ((hour, *others),) = self._times or [(0, 0, 0, 0)]
        if hour == 24 and not any(others):
            hour, day = 0, day + timedelta(days=1)
        minute, second, microsecond = others
        clock = time(hour, minute, 59 if second == 60 else second, microsecond)
        zones = self._zones or [self._default]
        (moment,) = {datetime.combine(day, clock, zone).astimezone(UTC) for zone in zones}
        return moment

    def _day(self) -> date:
        if self._months:
            (month,), (first, second) = self._months, self._numbers
            year, day = (first, second) if len(first) == 4 else (second, first)
            return _date(year, str(_MONTHS[month]), day)
        first, second, third = self._numbers
        if len(first) == 4:
            return _date(first, second, third)
        orders = [(third, second, first), (third, first, second), (first, second, third)]
        days = []
        for order in orders[: 2 if self._dotted else 3]:
            with suppress(ValueError):
                days.append(_date(*order))
        if self._dotted:
            days = days[:1]
        named = {each for each in days if each.weekday() in self._weekdays}
        (only,) = named or set(days)
        return only


def _date(year: str, month: str, day: str) -> date:
    if len(year) not in (2, 4) or max(len(month), len(day)) > 2:
        raise ValueError
    number = int(year) + (0 if len(year) == 4 else 2000 if int(year) < 50 else 1900)
    if not 1900 <= number < 2200:
        raise ValueError  # of another calendar
    return date(number, int(month), int(day))


def _offset(text: str) -> tzinfo:
    digits = text[1:].replace(":", "")
    hours, minutes = (digits[:-2], digits[-2:]) if len(digits) > 2 else (digits, "0")
    offset = timedelta(hours=int(hours), minutes=int(minutes))
    if int(minutes) > 59 or offset > FARTHEST:
        raise ValueError
    return timezone(offset if text[0] == "+" else -offset)


def newest(items: Sequence[_Dated], limit: int, date: Callable[[_Dated], datetime | None]) -> list[_Dated]:
    """Return the ``limit`` newest items in their order. Without dates the first are the newest.

    An undated item counts as being as old as the one before it.
    """
    if len(items) <= limit:
        return list(items)
    moments, last = [], datetime.max.replace(tzinfo=UTC)
    for item in items:
        last = date(item) or last
        moments.append(last)
    ranked = sorted(range(len(items)), key=lambda position: (moments[position], -position), reverse=True)
    return [items[position] for position in sorted(ranked[:limit])]
