"""What is left of an article: no boilerplate of its feed, no addresses, one host."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import count, product

import pytest

from extractors.text import boilerplate as module
from extractors.text.analysis import analyse_many, read, spellings, without_addresses
from extractors.text.boilerplate import EDGE, FIRST, MAX_FEEDS, WINDOW, Boilerplate
from extractors.text.frequencies import Frequencies
from extractors.text.terms import HOST
from iscore.filtering.features.computation import ArticleFeatures
from iscore.filtering.serialization import pack, unpack


def fresh_words():
    """Yield words that occur once, without an end that a stemmer knows."""
    return ("".join(letters) + "ok" for letters in product("bdfgklmnprtv", "aeiou", "bdfgklmnprtv", "aeiou"))


def feed(piece, entries: int, title: str = "* *", text: str = "* *", **fields):
    """Return entries of one feed; each star is a word of its own, each # a number."""
    words, numbers = fresh_words(), count(17)

    def filled(form: str) -> str:
        form = re.sub(r"\*", lambda _: next(words), form)
        return re.sub("#", lambda _: str(next(numbers)), form)

    return [
        piece(**{"title": filled(title), "text": filled(text), "url": "", "site": "", **fields}) for _ in range(entries)
    ]


def left(documents, boilerplate=None) -> list[str]:
    """Return the words of the last of these documents after boilerplate and addresses are taken out."""
    boilerplate = boilerplate or Boilerplate()
    for document in documents:
        words = read([document], boilerplate)
    spans = zip(words.tokens.starts.tolist(), words.tokens.ends.tolist(), strict=True)
    return [words.codes[start:end].tobytes().decode("utf-32-le") for start, end in spans]


LONG = "* " * 3 * EDGE


@pytest.mark.parametrize(
    ("title", "text", "stays"),
    [
        ("* *", "Article URL: http://*.example/# Comments URL: http://front.example/# Points: # # Comments: #", "* *"),
        ("* * *", "* *. The post * * appeared first on Example Blog.", "* * * * * * *"),
        ("* *", "submitted by /u/* [link] [comments]", "* * *"),
        ("* *", "* * Read more", "* * * *"),
        ("* * | Example News", "* *", "* * * *"),
        ("[Example] [News] * *", "* *", "* * * *"),
        ("Opinion: * *", "*", "Opinion * * *"),
        ("* *", "# # # *", "* * # # # *"),
        ("* bitcoin *", "* * bitcoin * *", "* bitcoin * * * bitcoin * *"),
        ("* * *", f"{LONG}read more on example {LONG}", f"* * * {LONG}read more on example {LONG}"),
        ("Notice", "* *", "Notice * *"),
        ("The service is up", "The service is up", "The service is up"),
        ("", "The service is up", "The service is up"),
        ("", "The service is up *", "*"),
        ("* 日本語の新聞", "Lire la suite", "*"),
    ],
)
def test_words_that_many_entries_share_are_left_out(piece, title, text, stays) -> None:
    expected = " ".join(stays.split()).replace("*", "[a-z]+ok").replace("#", "[0-9]+")
    assert re.fullmatch(expected, " ".join(left(feed(piece, FIRST, title, text))))
    assert left(feed(piece, FIRST, title, text, source="")) == left(feed(piece, FIRST, title, text)[-1:])


@pytest.mark.parametrize(
    ("entries", "of_ten", "gone"), [(FIRST - 1, 10, False), (FIRST, 10, True), (40, 5, False), (40, 6, True)]
)
def test_it_is_known_from_the_tenth_entry_in_more_than_half(piece, entries, of_ten, gone) -> None:
    documents = feed(piece, entries, text="* *")
    for place in range(entries):
        if (entries - 1 - place) % 10 < of_ten:
            documents[place] = replace(documents[place], text=f"{documents[place].text} read more")
    assert ("more" not in left(documents)) == gone


def test_a_feed_that_changes_is_followed(piece) -> None:
    known = Boilerplate()
    assert "more" not in left(feed(piece, 3 * WINDOW, text="* * read more"), known)
    changed = feed(piece, 2 * WINDOW, text="* * all the details")
    assert "details" not in left(changed[:WINDOW], known)
    assert "more" in left([*changed[WINDOW:], *feed(piece, 1, text="* * read more")], known)


@pytest.mark.parametrize(
    ("url", "site", "text", "source", "host"),
    [
        ("https://www.Example.org:8080/a", "example.org", "", "", "example.org"),
        ("", "example.org", "", "", "example.org"),
        ("", "", "See http://user@news.example.com/a?b, www.example.net.", "", "news.example.com"),
        ("", "", "See www.example.net.", "", "example.net"),
        ("", "", "", "paper.example", "paper.example"),
        ("", "", "", "A Paper. Daily", None),
        ("http://localhost/a", "", "http://1 www. http:// https://[::1]/ example.org", "", None),
    ],
)
def test_the_host_is_one_term(piece, url, site, text, source, host) -> None:
    document = piece(title="", text=text, url=url, site=site, source=source)
    terms = analyse_many([document]).terms[0]
    hosts = [spellings(document)[term] for term in terms.ids[terms.parts == HOST].tolist()]
    assert hosts == ([host] if host else [])
    assert set(terms.ids.tolist()) <= set(spellings(document))


def test_the_host_is_a_foreign_one_where_the_feed_has_one(piece) -> None:
    """An entry that links to its own feed only is about that."""
    known = Boilerplate()
    for number in range(2 * FIRST):
        page = f"paper{number}.example" if number % 2 else "front.example"
        document = piece(text=f"http://front.example/{number} http://{page}/", url="", site="")
        words = read([document], known)
        found = spellings(document)[int(words.hosts[0])]
        assert found == ("front.example" if number < FIRST - 1 else page)


def test_batches_and_a_restored_state_make_no_difference(stream) -> None:
    def measured(*cuts: int) -> tuple[list[bytes], bytes]:
        features, found = ArticleFeatures({}), []
        for begin, end in zip((0, *cuts), (*cuts, len(stream)), strict=True):
            found += [each.terms.to_bytes() for each in features.analyse_many(stream[begin:end])]
            saved = pack(features.state())
            features = ArticleFeatures({})
            features.restore(unpack(saved))
            assert pack(features.state()) == saved
        return found, saved

    assert measured() == measured(*range(1, len(stream))) == measured(13, 30)


def test_articles_apart_from_the_stream_change_nothing(piece) -> None:
    known, documents = Boilerplate(), feed(piece, 3 * FIRST, text="* * read more")
    analyse_many(documents[:FIRST], Frequencies(), known)
    before = pack(known.state())
    documents[-1] = replace(documents[-1], url="https://a.example/")
    apart = analyse_many(documents, Frequencies(), known, apart=True)
    assert not (apart.terms.parts == HOST).any()
    assert apart.words.tolist() == [2] * len(documents)
    assert pack(known.state()) == before
    assert analyse_many(documents, Frequencies(), Boilerplate(), apart=True).words.tolist() == [4] * len(documents)


def test_the_feeds_of_the_newest_articles_are_remembered(piece, monkeypatch) -> None:
    monkeypatch.setattr(module, "MAX_FEEDS", 20)
    known = Boilerplate()
    entries = feed(piece, FIRST, text="* * read more", source="kept")
    assert "more" not in left(entries, known)
    for number in range(30):
        left(feed(piece, 1, source=f"feed {number}"), known)
        if number % 10 == 5:
            assert "more" not in left(entries[-1:], known)
    assert len(known.state()["feeds"]) == 20
    for number in range(20):
        left(feed(piece, 1, source=f"feed {number}"), known)
    assert "more" in left(entries[-1:], known)


@pytest.mark.parametrize(
    "text",
    [
        " ".join(f"w{number}" for number in range(100_000)),
        "a" * 100_000,
        "http://a.b " * 100_000,
        "www." * 100_000,
        "www.a" + "." * 100_000,
        "http://" * 50_000 + "." * 50_000,
        "http://a@" * 50_000,
        "[" * 100_000,
    ],
)
def test_hostile_texts_take_linear_time_and_no_more_room(piece, text) -> None:
    known = Boilerplate()
    left([piece(title=text, text=text, url=text, source=f"{text} {number}") for number in range(2)] * FIRST, known)
    assert sum(table.nbytes for table in known.state().values()) <= 2 * 2048
    assert 2048 * MAX_FEEDS <= 8 << 20


def test_only_addresses_are_taken_out() -> None:
    text = "Awww. A (http://a.example/b_(c)) <https://b.example> “www.c.example”; HTTP://D.EXAMPLE/! http:/no wwwx"
    assert without_addresses(text) == (
        "Awww. A ( )) < > “ ;  ! http:/no wwwx",
        ["a.example", "b.example", "c.example", "d.example"],
    )
