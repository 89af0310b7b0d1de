"""Dates are read in every form that feeds have, and none that has two meanings or is not understood whole."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iscore.feeds.parsing.dates import LONGEST, from_text, newest, plausible
from iscore.feeds.parsing.jobs import FeedJob
from iscore.feeds.parsing.parse import parse

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)

READ = {
    # The twenty of an issue, collected from reports of other readers' users.
    "Sat, Oct 24 2026 08:28:28 PM": "2026-10-24T20:28:28",
    "Fri, 27 Mar 2026 20:19:00 America/Los_Angeles": "2026-03-28T03:19",
    "Sun, 13 Sep 2026 10:00:00 GMT+7": "2026-09-13T03:00",
    "Sun, 15 Feb 2026 11:24:50": "2026-02-15T11:24:50",
    "Sun, 15 Feb 2026 1:55 PM EST": "2026-02-15T18:55",
    "Friday, February 13, 2026 - 3:09pm": "2026-02-13T15:09",
    "Di, 27 Jan 2026 00:00:00 +0100": "2026-01-26T23:00",
    "Do, 26 Mär 2026 00:00:00 +0200": "2026-03-25T22:00",
    "jeu., 02 avril 2026 00:00:00 +0200": "2026-04-01T22:00",
    "1771157000": "2026-02-15T12:03:20",
    "2026-06-08T16:20:00-05:00Z": "2026-06-08T21:20",
    "Nov. 16, 2025, 10:57 a.m.": "2025-11-16T10:57",
    "Fri, 26/06/2026": "2026-06-26",
    "09/15/2026 4:20 pm PST": "2026-09-16T00:20",
    "2026/05/29 10:11:12": "2026-05-29T10:11:12",
    "2026年5月29日 10:11": "2026-05-29T02:11",
    "Mon, 25 мая 2026 10:00:00 +0300": "2026-05-25T07:00",
    "Thu, 26 Nov 2026 24:00:00 +0000": "2026-11-27T00:00",
    "Thu, 20 Nov 26 08:00:00 CET": "2026-11-20T07:00",
    "Thu, 20 Nov 2026 08:00:00 JST": "2026-11-19T23:00",
    # RFC 822 and what resembles it
    "Fri, 20 Nov 2026 10:00:00 +0100": "2026-11-20T09:00",
    "Mon, 20 Nov 2026 10:00:00 GMT": "2026-11-20T10:00",
    "20 Nov 2026 10:00 UT": "2026-11-20T10:00",
    "Fri,20 Nov 2026 10:00:00 (noon, nearly) -0330 (NST)": "2026-11-20T13:30",
    "20-Nov-26 10:00:00 mesz": "2026-11-20T08:00",
    "20 Nov 2026 10:00 (GMT+8)": "2026-11-20T02:00",
    "Fri, 20 Nov 2026 10:00:00 (CET)": "2026-11-20T09:00",
    "31 Dec 99 23:59:60 GMT": "1999-12-31T23:59:59",
    "Fri, 20th Nov 2026 10:00 IST": "2026-11-20T04:30",
    "Fri, 20 Nov 2026 10:00:00 +0100 CET": "2026-11-20T09:00",
    "Fri, 20 Nov 2026 10:00:00 PT": "2026-11-20T18:00",
    "Fri, 20 Jul 2026 10:00:00 ET": "2026-07-20T14:00",
    "20/Nov/2026:10:00:00 -0500": "2026-11-20T15:00",
    "Cub, 20 Nov 2026 10:00:00 +0200": "2026-11-20T08:00",
    # what programs print
    "Sat Nov 28 10:15:00 2026": "2026-11-28T10:15",
    "Sat Nov 28 10:15:00 +0100 2026": "2026-11-28T09:15",
    "Sat Nov 28 10:15:00 CET 2026": "2026-11-28T09:15",
    "Sat Nov 28 2026 10:15:00 GMT+0100 (Central European Standard Time)": "2026-11-28T09:15",
    "2026-11-28T10:15:00+01:00[Europe/Berlin]": "2026-11-28T09:15",
    "2026-11-28 10:15:00.123456 +0100 CET": "2026-11-28T09:15:00.123456",
    "1771157000123": "2026-02-15T12:03:20.123",
    "1771157000123456": "2026-02-15T12:03:20.123456",
    "20261128101500": "2026-11-28T10:15",
    "\u200e11\u200e/\u200e28\u200e/\u200e2026 \u200e10\u200e:\u200e15\u200e AM": "2026-11-28T10:15",
    "946684800000": "2000-01-01",
    # ISO 8601
    "2026-11-28": "2026-11-28",
    "20261128T101500Z": "2026-11-28T10:15",
    "2026-11-28 10:15": "2026-11-28T10:15",
    "2026-11-28T10:15:00,5+0130": "2026-11-28T08:45:00.5",
    "2026-11-28T10:15:00.123456789+01": "2026-11-28T09:15:00.123456",
    "2026-11-28t10:15:00z": "2026-11-28T10:15",
    "2026-11-28 10:15:00 −05:00": "2026-11-28T15:15",
    "2026-11-28T24:00:00Z": "2026-11-29",
    "2026-11-28 10:15:00 UTC": "2026-11-28T10:15",
    "2026-11-28T10:15:00 UTC-5": "2026-11-28T15:15",
    "2026-Nov-28 at 9:15 p. m.": "2026-11-28T21:15",
    "٢٠٢٦-١١-٢٨T١٠:١٥": "2026-11-28T10:15",
    # as people write
    "November 28th, 2026, 12:05 AM": "2026-11-28T00:05",
    "12:05pm on the 1st of Nov, 2026": "2026-11-01T12:05",
    "28 November 2026 15:05 PM": "2026-11-28T15:05",
    "Samstag, den 28. November 2026 um 10:15 Uhr": "2026-11-28T10:15",
    "Am 28.11.2026, 10.15 Uhr": "2026-11-28T10:15",
    "28.11.26": "2026-11-28",
    "1er décembre 2026 à 9h05": "2026-12-01T09:05",
    "mar 3 mar 2026": "2026-03-03",
    "mar. 03/17/2026": "2026-03-17",
    "sábado, 28 de noviembre de 2026 a las 10:15 p. m.": "2026-11-28T22:15",
    "Sábado, 28 de novembro de 2026 às 10h15": "2026-11-28T10:15",
    "28 d’octubre del 2026 a les 10:15 h": "2026-10-28T10:15",
    "lauantai 28. marraskuuta 2026 klo 22.15.30": "2026-11-28T22:15:30",
    "lørdag den 28. november 2026 kl. 22.15": "2026-11-28T22:15",
    "2026. nov. 28., szombat 22:15": "2026-11-28T22:15",
    "28 Kas 2026 Paz 10:15": "2026-11-28T10:15",
    "Paz, 28 Kas 2026 10:15": "2026-11-28T10:15",
    "pt., 27 lis 2026 10:15": "2026-11-27T10:15",
    "čt 26. 11. 2026 10:15": "2026-11-26T10:15",
    "суббота, 28 ноября 2026 г. в 10:15 MSK": "2026-11-28T07:15",
    "Σάβ, 28 Νοε 2026, 10:15 μ.μ.": "2026-11-28T22:15",
    "2026年11月28日(土) 午後10時15分": "2026-11-28T13:15",
    "2026年11月28日 星期六 下午3:09": "2026-11-28T07:09",
    "2026년 11월 28일 토요일 오전 12시 15분 30초": "2026-11-27T15:15:30",
    # the name of the day decides
    "Fri 03/04/2026": "2026-04-03",
    "Wed, 03-04-2026 10:15": "2026-03-04T10:15",
    "04/04/2026": "2026-04-04",
}
NOT_READ = (
    *("", " ", "yesterday", "5 minutes ago", "10:15", "2026", "2026-11", "Nov 2026", "28 Nov", "Sat, 28 Nov 10:15"),
    # two meanings
    *("03/04/2026", "03-04-2026 10:15", "Sat 03/04/2026", "11/12/13", "28/11/26"),
    # impossible
    *("31 Feb 2026", "2026-02-29", "2026-13-01", "0001-01-01T00:00:00+05:00", "Fri, 20 Nov 0000 10:00:00 GMT"),
    *("28 Nov 2026 25:00", "28 Nov 2026 24:01", "28 Nov 2026 10:60", "2026-11-28T10:15:61Z", "28 Nov 2026 0:15 PM"),
    *(
        "28 Nov 2026 13:15 a.m.",
        "2026-11-28T10:15:00+15:00",
        "28 Nov 2026 10:15 +0175",
        "28/11/2569",
        "令和8年11月28日",
    ),
    # something that is not understood
    *("Published: 28 Nov 2026", "28 Nov 2026 foo", "28 zzz 2026", "28 Nov 2026 10:15 XYZ", "28 Nov 2026 10:15 AMT"),
    *("28 Nov 2026 10:15 A", "28 Nov 2026 10:15 ST", "2026-1a-28", "2026--11-28", "28 Nov 2026 10:15 (X/Y)"),
    *("28 Nov 2026 10:15 Europe/Nowhere", "28 Nov 2026 10:15 ../../etc/passwd", "28 Nov 20261"),
    *("2026-W48-6", "2026-332", "28 Nov 2026 10:15 11:15", "28 Nov 2026 29 Nov 2026", "28 Nov 2026 10:15:00 +0100 EST"),
    *("1-2-3-4", "2026-11-28T10:15:00+00:xx", "28 Nov 2026 ²", "(28 Nov 2026", "28 Nov 2026 1:2:3:4", "-62135596800"),
    *("28 November 2026" + " " * LONGEST + "x", "28 Nov 2026 \ud800", "28 พฤศจิกายน 2569"),
)

MONTHS = """
en January February March April May June July August September October November December
en Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec
it gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
it gen feb mar apr mag giu lug ago set ott nov dic
de Januar Februar März April Mai Juni Juli August September Oktober November Dezember
de Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.
fr janvier février mars avril mai juin juillet août septembre octobre novembre décembre
fr janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.
es enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
es ene feb mar abr may jun jul ago sept oct nov dic
pt janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
pt jan. fev. mar. abr. mai. jun. jul. ago. set. out. nov. dez.
nl januari februari maart april mei juni juli augustus september oktober november december
nl jan feb mrt apr mei jun jul aug sep okt nov dec
sv januari februari mars april maj juni juli augusti september oktober november december
sv jan. feb. mars apr. maj juni juli aug. sep. okt. nov. dec.
da januar februar marts april maj juni juli august september oktober november december
da jan. feb. mar. apr. maj jun. jul. aug. sep. okt. nov. dec.
no januar februar mars april mai juni juli august september oktober november desember
no jan. feb. mars apr. mai juni juli aug. sep. okt. nov. des.
fi tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta
   marraskuuta joulukuuta
fi tammi helmi maalis huhti touko kesä heinä elo syys loka marras joulu
fi tammikuu helmikuu maaliskuu huhtikuu toukokuu kesäkuu heinäkuu elokuu syyskuu lokakuu marraskuu joulukuu
ru января февраля марта апреля мая июня июля августа сентября октября ноября декабря
ru янв. февр. мар. апр. мая июн. июл. авг. сент. окт. нояб. дек.
ru январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
ca gener febrer març abril maig juny juliol agost setembre octubre novembre desembre
ca gen. febr. març abr. maig juny jul. ag. set. oct. nov. des.
ro ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
ro ian. feb. mar. apr. mai iun. iul. aug. sept. oct. nov. dec.
hu január február március április május június július augusztus szeptember október november december
hu jan. febr. márc. ápr. máj. jún. júl. aug. szept. okt. nov. dec.
tr Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık
tr Oca Şub Mar Nis May Haz Tem Ağu Eyl Eki Kas Ara
el Ιανουαρίου Φεβρουαρίου Μαρτίου Απριλίου Μαΐου Ιουνίου Ιουλίου Αυγούστου Σεπτεμβρίου Οκτωβρίου Νοεμβρίου
   Δεκεμβρίου
el Ιαν Φεβ Μαρ Απρ Μαΐ Ιουν Ιουλ Αυγ Σεπ Οκτ Νοε Δεκ
el Ιανουάριος Φεβρουάριος Μάρτιος Απρίλιος Μάιος Ιούνιος Ιούλιος Αύγουστος Σεπτέμβριος Οκτώβριος Νοέμβριος
   Δεκέμβριος
pl stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
pl sty lut mar kwi maj cze lip sie wrz paź lis gru
pl styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień
cs ledna února března dubna května června července srpna září října listopadu prosince
cs led úno bře dub kvě čvn čvc srp zář říj lis pro
cs leden únor březen duben květen červen červenec srpen září říjen listopad prosinec
"""
"""Of each language the full names, the short ones, and the nominatives where they differ; 13 words each."""
DAYS = """
en Monday Tuesday Wednesday Thursday Friday Saturday Sunday
it lunedì martedì mercoledì giovedì venerdì sabato domenica
de Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag
fr lundi mardi mercredi jeudi vendredi samedi dimanche
es lunes martes miércoles jueves viernes sábado domingo
pt segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo
nl maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
sv måndag tisdag onsdag torsdag fredag lördag söndag
da mandag tirsdag onsdag torsdag fredag lørdag søndag
no mandag tirsdag onsdag torsdag fredag lørdag søndag
fi maanantaina tiistaina keskiviikkona torstaina perjantaina lauantaina sunnuntaina
ru понедельник вторник среда четверг пятница суббота воскресенье
ca dilluns dimarts dimecres dijous divendres dissabte diumenge
ro luni marți miercuri joi vineri sâmbătă duminică
hu hétfő kedd szerda csütörtök péntek szombat vasárnap
tr Pazartesi Salı Çarşamba Perşembe Cuma Cumartesi Pazar
el Δευτέρα Τρίτη Τετάρτη Πέμπτη Παρασκευή Σάββατο Κυριακή
pl poniedziałek wtorek środa czwartek piątek sobota niedziela
cs pondělí úterý středa čtvrtek pátek sobota neděle
"""
"""Of each language the days from Monday on."""


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def by_language(words: str, each: int) -> list[tuple[str, ...]]:
    split = words.split()
    return [tuple(split[place : place + each]) for place in range(0, len(split), each)]


@pytest.mark.parametrize(("text", "moment"), READ.items())
def test_dates_of_feeds_are_read(text: str, moment: str) -> None:
    assert from_text(text) == utc(moment)
    assert from_text(f"\n {text}\t") == utc(moment)


@pytest.mark.parametrize("text", NOT_READ)
def test_what_is_not_understood_whole_is_no_date(text: str) -> None:
    assert from_text(text) is None


@pytest.mark.parametrize(("language", "names"), [(words[0], words[1:]) for words in by_language(MONTHS, 13)])
def test_months_of_the_languages_that_the_program_knows(language: str, names: tuple[str, ...]) -> None:
    for number, name in enumerate(names, 1):
        for written in (name, name.upper(), name.rstrip(".")):
            assert from_text(f"14 {written} 2026 10:15") == utc(f"2026-{number:02}-14T10:15"), (language, written)


@pytest.mark.parametrize(("language", "names"), [(words[0], words[1:]) for words in by_language(DAYS, 8)])
def test_days_of_the_languages_that_the_program_knows(language: str, names: tuple[str, ...]) -> None:
    assert from_text(f"{names[4]} 03/04/2026") == utc("2026-04-03"), language
    assert from_text(f"{names[2]} 03/04/2026") == utc("2026-03-04"), language
    assert all(from_text(f"{name} 14 Nov 2026") == utc("2026-11-14") for name in names)


FORMS = (
    *("%a, %d %b %Y %H:%M:%S", "%A, %B %d, %Y - %I:%M:%S%p", "%d.%m.%Y %H:%M:%S", "%Y/%m/%d %H:%M:%S", "%Y%m%dT%H%M%S"),
    *("%a %b %d %H:%M:%S UTC %Y", "%d/%b/%Y:%H:%M:%S +0000", "%b. %d, %Y, %I:%M:%S %p", "%d-%b-%y %H:%M:%S Z"),
    *("%H:%M:%S %d %B %Y", "%d. %m. %Y, %H.%M.%S", "%Y%m%d%H%M%S", "%Y-%m-%d %I:%M:%S %p"),
)
DOUBTFUL_FORMS = ("%d/%m/%Y %H:%M:%S", "%m-%d-%Y %H:%M:%S", "%a %m/%d/%Y %I:%M:%S %p", "%d/%m/%y %H:%M:%S")


@pytest.mark.parametrize("form", FORMS)
@given(
    st.datetimes(datetime(1990, 1, 1), datetime(2049, 12, 31)),  # noqa: DTZ001 -- in UTC
    st.integers(-13 * 4, 14 * 4).map(lambda quarters: timezone(timedelta(minutes=15 * quarters))),
)
def test_a_moment_that_is_written_is_read_again(form: str, moment: datetime, zone: timezone) -> None:
    moment = moment.replace(microsecond=0, tzinfo=UTC)
    assert from_text(moment.strftime(form)) == moment
    for written in (
        moment.astimezone(zone).isoformat(" "),
        format_datetime(moment.astimezone(zone)),
        f"{moment:%s}000",
    ):
        assert from_text(written) == moment


@pytest.mark.parametrize("form", DOUBTFUL_FORMS)
@given(st.datetimes(datetime(2020, 1, 1), datetime(2049, 12, 31)).map(lambda each: each.replace(microsecond=0)))  # noqa: DTZ001 -- in UTC
def test_a_doubtful_date_is_never_another(form: str, moment: datetime) -> None:
    assert from_text(moment.strftime(form)) in (None, moment.replace(tzinfo=UTC))


def test_a_feed_is_dated_alike_however_it_is_read() -> None:
    dated = [text for text, moment in READ.items() if plausible(utc(moment), NOW)]
    items = [f"<item><guid>{n}</guid><pubDate>{text}</pubDate>%s</item>" for n, text in enumerate(dated)]
    for more in ("", "<author>a@b.example (A)</author>"):  # which expat alone does not read
        feed = f"<rss version='2.0'><channel>{''.join(items)}</channel></rss>".replace("%s", more)
        found = parse(FeedJob(feed.encode(), "https://x.example/", "text/xml", NOW)).entries
        assert [each.published for each in found] == [utc(READ[text]) for text in dated]


@pytest.mark.parametrize(
    "text", ["1." * 50, "am " * 33, "1 h " * 25, "(" * 99, "a/" * 50, "ﷺ" * 99, " " * 10**6 + "1" * 10**6]
)
def test_hostile_texts_take_no_time(text: str) -> None:
    began = perf_counter()
    assert from_text(text) is None
    assert perf_counter() - began < 0.5


@pytest.mark.parametrize("year", [1, 1970, 1989, 2027, 9999])
def test_impossible_dates_are_missing(year: int) -> None:
    assert plausible(datetime(year, 11, 21, 12, tzinfo=UTC), NOW) is None


def test_dates_a_few_hours_ahead_are_wrong_time_zones() -> None:
    assert plausible(NOW + timedelta(hours=14), NOW) == NOW + timedelta(hours=14)
    assert plausible(None, NOW) is None


def test_the_newest_are_kept_in_their_order() -> None:
    days = [3, 9, 1, 7, 5]
    dated = {day: datetime(2026, 1, day, tzinfo=UTC) for day in days}
    assert newest(days, 3, lambda day: dated[day]) == [9, 7, 5]
    assert newest(days, 9, lambda day: dated[day]) == days


def test_without_dates_the_first_are_the_newest() -> None:
    assert newest(["a", "b", "c"], 2, lambda _: None) == ["a", "b"]
