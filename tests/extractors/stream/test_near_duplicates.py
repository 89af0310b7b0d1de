"""Near-duplicates find each other, different articles do not, and the memory is a ring."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from extractors.article import Document
from extractors.stream import near_duplicates
from extractors.stream.fixed_forms import Marks, simhash_of
from extractors.stream.near_duplicates import CAPACITY, MAX_DISTANCE, MIN_TERMS, WINDOW, Stories
from extractors.text.analysis import analyse
from extractors.text.frequencies import Frequencies
from extractors.text.terms import TermVector
from iscore.feeds.urls import page_key
from iscore.filtering.serialization import pack, unpack

NOW = datetime(2026, 3, 2, 8, tzinfo=UTC)

REPORT = """The harbour authority closed the northern breakwater on Monday after divers found cracks below the
waterline. Ferries to the islands leave from the fish market until engineers have looked at every caisson, which the
authority expects to take three weeks. Fishermen complained that nobody had asked them, since their boats now have to
share two quays with day trippers. The mayor promised compensation and said that the budget for repairs had been
approved in autumn. The breakwater was built ninety years ago from blocks of local granite. A winter storm moved several
of them, according to a report that the council had kept in a drawer since January. Insurers want to see the drawings
before they pay. Passengers reached the islands on Monday with delays of about half an hour."""


def a_seq(number: int) -> datetime:
    return NOW + timedelta(minutes=number)


@pytest.fixture
def article_of(piece):
    """Return the maker of an article from a text: document and term vector."""
    frequencies = Frequencies()

    def made(text: str, title: str = "Breakwater closed") -> tuple[Document, TermVector]:
        document = piece(title=title, text=text, language="en")
        return document, analyse(document, frequencies).terms

    return made


def with_bits_flipped(simhash: int, bits: Sequence[int]) -> int:
    changed = simhash & (1 << 64) - 1
    for bit in bits:
        changed ^= 1 << bit
    return changed - (1 << 64) if changed >> 63 else changed


def test_copies_with_small_edits_are_one_story(article_of) -> None:
    placed = Stories()
    variants = [
        REPORT,
        REPORT.replace("three weeks", "three weeks, perhaps four"),
        "HARBOUR (agency) – " + REPORT,
        REPORT.replace("half an hour", "thirty minutes"),
    ]
    found = [placed.place(seq, *article_of(text), "", seq, a_seq(seq))[0] for seq, text in enumerate(variants, start=1)]
    assert found == [1] * len(variants)


def test_the_host_of_a_copy_makes_no_difference(piece) -> None:
    placed, found = Stories(), []
    for seq, host in enumerate(("paper.example", "daily.example"), start=1):
        copy = piece(title="Breakwater closed", text=REPORT[:90], url=f"https://{host}/{seq}", language="en")
        found.append(placed.place(seq, copy, analyse(copy).terms, "", seq, a_seq(seq)))
    assert found == [found[0]] * 2


def test_different_articles_are_different_stories(article_of, world) -> None:
    """Of the sample world those that are nobody's copy; many tell the same story in other words."""
    placed = Stories()
    own = [article for article in world.articles if not article.copy_of and not article.noise]
    leaders = [
        placed.place(seq, *article_of(article.text, article.title), "", 1, NOW)[0]
        for seq, article in enumerate(own, start=1)
    ]
    assert len(own) > 250
    assert sum(leader != seq for seq, leader in enumerate(leaders, start=1)) <= 0.01 * len(own)


def test_reprints_in_the_sample_world_are_found(article_of, world) -> None:
    placed = Stories()
    seqs = {article.id: seq for seq, article in enumerate(world.articles, start=1)}
    found = {}
    for article in world.articles:
        found[article.id], _ = placed.place(
            seqs[article.id], *article_of(article.text, article.title), "", 1, article.published
        )
    copies = [article for article in world.articles if article.copy_of]
    together = sum(found[copy.id] == found[copy.copy_of] for copy in copies)
    assert len(copies) > 20
    assert together >= 0.7 * len(copies)


def test_two_feeds_that_link_to_one_page_have_one_story(article_of) -> None:
    placed = Stories()
    addresses = [
        "https://news.example/breakwater",
        "http://www.news.example/breakwater/?utm_source=rss&utm_medium=feed",
        "https://news.example/breakwater#utm_campaign=x",
    ]
    texts = [REPORT, "A summary.", "Something else entirely, as far as words go."]
    found = [
        placed.place(seq, *article_of(text), page_key(address), seq, a_seq(seq))[0]
        for seq, (address, text) in enumerate(zip(addresses, texts, strict=True), start=1)
    ]
    assert found == [1, 1, 1]
    other = placed.place(9, *article_of("A summary of another page."), "news.example/other", 9, a_seq(9))
    assert other[0] == 9


def test_a_feed_that_links_all_to_one_page_has_many_stories(article_of, world) -> None:
    """As podcasts do with the page of the show, and some sites with their front page."""
    for page, feeds in (("show.example/episodes", 1), ("show.example", 3)):
        placed = Stories()
        for seq, episode in enumerate(world.articles[:12], start=1):
            article = article_of(episode.text, episode.title)
            assert placed.place(seq, *article, page, seq % feeds, NOW)[0] == seq
        # The same entry once more is the same story all the same, however short.
        article = article_of("Soon.", "Episode 13")
        assert len(article[1]) < MIN_TERMS
        assert placed.place(20, *article, "show.example/13", 0, NOW)[0] == 20
        assert placed.place(21, *article, "show.example/13", 0, NOW)[0] == 20


def test_no_address_is_not_the_same_address(article_of) -> None:
    placed = Stories()
    assert placed.place(1, *article_of(REPORT), "", 1, NOW)[0] == 1
    assert placed.place(2, *article_of("Something else entirely, as far as words go."), "", 2, NOW)[0] == 2


def test_short_texts_are_compared_by_address_alone(article_of) -> None:
    placed = Stories()
    article = article_of("Results.", "Sports results")
    assert len(article[1]) < MIN_TERMS
    assert [placed.place(seq, *article, "", seq, NOW)[0] for seq in (1, 2)] == [1, 2]
    assert [placed.place(seq, *article, "news.example/results", seq, NOW)[0] for seq in (3, 4)] == [3, 3]


def test_a_story_ends_after_its_window(article_of) -> None:
    placed = Stories()
    address = "news.example/breakwater"
    assert placed.place(1, *article_of(REPORT), address, 1, NOW)[0] == 1
    assert placed.place(2, *article_of(REPORT), "", 2, NOW + WINDOW)[0] == 1
    assert placed.place(3, *article_of(REPORT), address, 3, NOW + WINDOW + timedelta(seconds=1))[0] == 3
    assert placed.place(4, *article_of("Another text."), address, 4, NOW + WINDOW + timedelta(days=1))[0] == 3


def test_copies_of_copies_lead_to_the_first(article_of, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only leaders are compared with: a chain of ever more edited copies breaks where the first is out of reach."""
    article = article_of(REPORT)
    placed = Stories()
    first = placed.place(1, *article, "", 1, NOW)[1]
    hashes = iter([with_bits_flipped(first, range(4)), with_bits_flipped(first, range(8))])
    monkeypatch.setattr(near_duplicates, "simhash_of", lambda *_: next(hashes))
    assert placed.place(2, *article, "", 1, NOW)[0] == 1
    assert placed.place(3, *article, "", 1, NOW)[0] == 3  # 4 bits from the second, 8 from the first


@pytest.mark.parametrize("seed", range(5))
def test_whichever_few_bits_differ_a_leader_within_reach_is_found(article_of, monkeypatch, seed: int) -> None:
    article = article_of(REPORT)
    draw = np.random.default_rng(seed)
    placed = Stories()
    first = placed.place(1, *article, "", 1, NOW)[1]
    near = with_bits_flipped(first, draw.choice(64, MAX_DISTANCE, replace=False).tolist())
    far = with_bits_flipped(first, draw.choice(64, MAX_DISTANCE + 1, replace=False).tolist())
    monkeypatch.setattr(near_duplicates, "simhash_of", lambda *_: far)
    twin = Stories()
    twin.restore(placed.state())
    assert twin.place(2, *article, "", 1, NOW)[0] == 2
    monkeypatch.setattr(near_duplicates, "simhash_of", lambda *_: near)
    assert placed.place(2, *article, "", 1, NOW)[0] == 1


def test_the_nearest_leader_is_chosen_the_newest_among_equals(article_of, monkeypatch) -> None:
    article, placed = article_of(REPORT), Stories()
    base = 0x0123456789ABCDEF
    # Leaders that are far from each other, and at 5, 2 and 2 bits from the article in question.
    leaders = [range(5), (10, 20), (30, 40)]
    far_apart = [with_bits_flipped(base, bits) for bits in leaders]
    placed._append(1, far_apart[0], Marks.of(*article), 0, 1, int(NOW.timestamp()))
    placed._append(2, far_apart[1], Marks.of(*article), 0, 1, int(NOW.timestamp()))
    placed._append(3, far_apart[2], Marks.of(*article), 0, 1, int(NOW.timestamp()))
    monkeypatch.setattr(near_duplicates, "simhash_of", lambda *_: base)
    assert placed.place(4, *article, "", 1, NOW)[0] == 3


def random_terms(draw: np.random.Generator, size: int = 30) -> TermVector:
    ids = np.sort(draw.choice(1 << 20, size, replace=False)).astype(np.int32)
    counts = draw.integers(1, 4, size).astype(np.float32)
    return TermVector(ids, counts, counts)


def test_a_simhash_depends_on_counts_and_not_on_weights() -> None:
    terms = random_terms(np.random.default_rng(0))
    other = TermVector(terms.ids, terms.counts, terms.weights * np.float32(0.1))
    assert simhash_of(terms.ids, terms.counts) == simhash_of(other.ids, other.counts)
    heavy = terms.counts.copy()
    heavy[:10] *= 40
    assert simhash_of(terms.ids, heavy) != simhash_of(terms.ids, terms.counts)
    assert simhash_of(np.empty(0, np.int32), np.empty(0, np.float32)) == 0


def test_the_ring_forgets_the_oldest_and_goes_on(piece, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(1)
    placed = Stories()
    first, last = (piece(), random_terms(draw)), (piece(), random_terms(draw))
    assert placed.place(1, *first, "news.example/1", 1, NOW)[0] == 1
    one, numbers = placed.state(), np.arange(1, CAPACITY + 1)
    hashes = np.append(one["hashes"], draw.integers(-(1 << 63), 1 << 63, size=CAPACITY - 1))
    addresses = np.append(one["addresses"], numbers[1:])
    others = {name: np.repeat(one[name], CAPACITY, axis=0) for name in ("feeds", "arrived", "titles", "numbers")}
    placed.restore({"count": CAPACITY, "leaders": numbers, "hashes": hashes, "addresses": addresses, **others})
    # Full to the brim: the first is still there, by its text and by its address.
    full = placed.state()
    assert placed.place(CAPACITY + 1, *first, "", 1, NOW)[0] == 1
    assert placed.place(CAPACITY + 1, *last, "news.example/1", 2, NOW)[0] == 1
    assert placed.place(CAPACITY + 1, *last, "", 1, NOW)[0] == CAPACITY + 1
    # One more, and it is gone both ways.
    assert placed.place(CAPACITY + 2, *first, "news.example/1", 1, NOW)[0] == CAPACITY + 2
    assert placed.place(CAPACITY + 3, *last, "", 1, NOW)[0] == CAPACITY + 1
    assert len(placed._by_address) <= CAPACITY
    assert len(placed.state()["leaders"]) == CAPACITY == len(full["leaders"])
    twin = Stories()
    twin.restore(unpack(pack(placed.state())))
    assert pack(twin.state()) == pack(placed.state())
    for seq in range(CAPACITY + 4, CAPACITY + 24):
        terms = random_terms(draw)
        assert (
            twin.place(seq, piece(), terms, "", 1, NOW)
            == placed.place(seq, piece(), terms, "", 1, NOW)
            == (seq, simhash_of(terms.ids, terms.counts))
        )


def test_a_restored_memory_finds_what_the_first_finds(article_of, world) -> None:
    first = Stories()
    for seq, article in enumerate(world.articles[:150], start=1):
        first.place(seq, *article_of(article.text, article.title), page_key(article.url), 1, article.published)
    second = Stories()
    second.restore(unpack(pack(first.state())))
    for seq, article in enumerate(world.articles[100:250], start=151):
        copy = article_of(article.text, article.title)
        assert first.place(seq, *copy, page_key(article.url), 2, NOW + timedelta(days=3)) == second.place(
            seq, *copy, page_key(article.url), 2, NOW + timedelta(days=3)
        )
    assert pack(first.state()) == pack(second.state())


OTHER_NEWS = [
    ("Version 3.8.7 released", "Version 3.8.8 released"),
    ("Weather for 2 March", "Weather for 3 March"),
    ("Breakwater: 3 injured", "Breakwater: 5 injured"),
    ("Harbour tender 14/2026", "Harbour tender 15/2026"),
]


@pytest.mark.parametrize(("title", "later"), OTHER_NEWS)
def test_other_numbers_in_the_title_are_other_news(article_of, title: str, later: str) -> None:
    """The first is found again even though the second came in between."""
    placed = Stories()
    assert placed.place(1, *article_of(REPORT, title), "harbour.example/news", 1, NOW)[0] == 1
    assert placed.place(2, *article_of(REPORT, later), "harbour.example/news", 1, NOW)[0] == 2
    assert placed.place(3, *article_of(REPORT, title), "", 2, NOW)[0] == 1
    assert placed.place(4, *article_of(REPORT, later), "", 2, NOW)[0] == 2


def test_one_page_in_two_feeds_is_one_story_whatever_its_numbers(article_of) -> None:
    placed = Stories()
    assert placed.place(1, *article_of(REPORT, "3 injured"), "harbour.example/news", 1, NOW)[0] == 1
    assert placed.place(2, *article_of(REPORT, "5 injured"), "harbour.example/news", 2, NOW)[0] == 1
