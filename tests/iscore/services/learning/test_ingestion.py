"""Measuring what was stored: once, in order of arrival, whatever was cut off before and who else is at it."""

from __future__ import annotations

import os
import subprocess
import threading
from dataclasses import replace

import numpy as np
import pytest

from extractors.stream import word_vectors
from extractors.text import meaning
from extractors.text.frequencies import Frequencies
from extractors.text.terms import TermBatch
from iscore.filtering.serialization import pack, unpack
from iscore.services.learning import ingestion, stream_vectors
from iscore.services.learning.stored_log import StoredLog
from storage.log import evidence, snapshots
from storage.people import users
from storage.records.articles import StoredBasis
from storage.records.users import LOCAL_USER, Kind, Snapshot
from storage.stream import articles, features
from tests import made_up_encoder
from tests.iscore.conftest import ingestion as ingestion_with
from tests.servers import fork_server

MEASURE = """
import sys
from pathlib import Path
from extractors.stream import word_vectors
from iscore.services.learning import ingestion
from iscore.services.news_filter import NewsFilter
ingestion.BATCH = 7
word_vectors.FIRST = 80
with NewsFilter.open(Path(sys.argv[1])) as news:
    print("ready", flush=True)
    sys.stdin.readline()
    print(news.ingestion.catch_up())
"""


def measured(archive) -> list[tuple[object, ...]]:
    """All that was measured, in order of arrival."""
    with archive.database.read() as tx:
        found = features.ingested(tx, LOCAL_USER, range(1, articles.last_seq(tx) + 1))
        simhashes = dict(tx.connection.exec_driver_sql("SELECT seq, simhash FROM features").all())
    return [(row.seq, row.id, row.story, simhashes[row.seq], row.names, row.values, row.terms) for row in found]


@pytest.fixture
def undisturbed(archive, pieces):
    """What one run over ninety articles measures."""
    archive.store(pieces[:90])
    assert archive.measure() == 90
    return measured(archive)


@pytest.fixture
def other(archive, tmp_path):
    """Another database."""
    made = type(archive)(tmp_path / "other")
    yield made
    made.database.close()


def test_everything_is_measured_once_in_order_of_arrival(undisturbed, archive) -> None:
    assert [row[0] for row in undisturbed] == list(range(1, 91))
    assert archive.measure() == 0
    assert measured(archive) == undisturbed
    assert {row[4] for row in undisturbed} == {archive.news.extractors.article_feature_names}
    with archive.database.read() as tx:
        assert snapshots.newest_sequence(tx, None) == 90
        assert articles.without_features(tx, 10) == []


def test_batches_make_no_difference(undisturbed, other, pieces, monkeypatch) -> None:
    monkeypatch.setattr(ingestion, "BATCH", 7)
    other.store(pieces[:90])
    reported = []
    assert other.news.ingestion.catch_up(lambda *done: reported.append(done)) == 90
    assert measured(other) == undisturbed
    assert reported[-1] == (84, 90, "analysing articles")


def test_an_interrupted_run_is_continued(undisturbed, other, pieces, make_extractors) -> None:
    """Stored but not measured; and measured half: the next run goes on from there."""
    other.store(pieces[:30])
    other.measure()
    other.store(pieces[30:90])

    def failing():
        extractors = make_extractors()
        extract_and_observe = extractors["neighbourhood"].extract_and_observe

        def until_the_power_fails(documents, texts):
            extract_and_observe(documents, texts)
            raise KeyboardInterrupt

        extractors["neighbourhood"].extract_and_observe = until_the_power_fails
        return extractors

    with pytest.raises(KeyboardInterrupt):
        ingestion_with(other.database, failing).catch_up()
    with other.database.read() as tx:
        assert len(articles.without_features(tx, 100)) == 60
        assert snapshots.newest_sequence(tx, None) == 30
    assert other.measure() == 60
    assert measured(other) == undisturbed


@pytest.mark.long
def test_two_processes_at_once_measure_everything_once(undisturbed, other, pieces) -> None:
    other.store(pieces[:90])
    processes = [
        fork_server.start(str(other.home.path), program=MEASURE, env=os.environ, stdin=subprocess.PIPE)
        for _ in range(2)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    done = [process.communicate(timeout=600) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], done
    assert sum(int(out) for out, _ in done) == 90
    assert measured(other) == undisturbed
    assert [(basis.number, basis.articles) for basis in stored_bases(other)] == [(1, 80)]


def test_somebody_elses_batch_in_between_is_gone_on_from(undisturbed, other, pieces, make_extractors) -> None:
    """The other one saves while this one computes: what this one computed is thrown away."""
    other.store(pieces[:90])
    rival = threading.Thread(target=other.measure)
    extractors = []

    def slow():
        made = make_extractors()
        extract_and_observe = made["neighbourhood"].extract_and_observe

        def first_the_rival(documents, texts):
            if not extractors:
                extractors.append(made)
                rival.start()
                rival.join()
            return extract_and_observe(documents, texts)

        made["neighbourhood"].extract_and_observe = first_the_rival
        return made

    assert ingestion_with(other.database, slow).catch_up() == 0
    assert measured(other) == undisturbed


def test_a_damaged_stream_starts_afresh_and_harms_nothing(undisturbed, archive, pieces) -> None:
    with archive.database.write() as tx:
        snapshots.discard(tx, None)
        snapshots.save(tx, Snapshot(None, 90, "stream 2", b"damaged"))
    archive.store(pieces[90:100])
    assert archive.measure() == 10
    rows = measured(archive)
    assert rows[:90] == undisturbed
    assert len(rows) == 100
    assert np.isfinite(np.frombuffer(rows[-1][5])).any()


def test_reprints_join_the_story_of_the_first(archive, world, pieces) -> None:
    archive.store(pieces)
    archive.measure()
    with archive.database.read() as tx:
        stored = articles.get(tx, range(1, articles.last_seq(tx) + 1))
        ids = {article.id: number for number, article in enumerate(world.articles, start=1)}
        copy = next(article for article in stored if article.story != article.seq)
    members = [article for article in stored if article.story == copy.story]
    assert world.articles[copy.seq - 1].copy_of
    assert copy.story in (ids[world.articles[copy.seq - 1].copy_of], members[0].seq)
    assert members[0].seq == copy.story


def many(pieces, count: int):
    """So many different articles made of these."""
    return [
        replace(pieces[number % len(pieces)], id=str(number), url=f"https://news.example/{number}")
        for number in range(count)
    ]


def stored_bases(archive):
    """The bases of stream vectors, oldest first."""
    with archive.database.read() as tx:
        return features.load_bases(tx)


def test_the_500th_article_brings_the_first_basis(archive, pieces) -> None:
    news = many(pieces, 520)
    archive.store(news[:499])
    archive.measure()
    assert stored_bases(archive) == []
    archive.store(news[499:510])
    reported = []
    archive.news.ingestion.catch_up(lambda *done: reported.append(done))
    assert reported[-1] == (0, 0, "learning which words go together")
    (basis,) = stored_bases(archive)
    assert (basis.number, basis.articles, basis.sequence) == (1, 500, 500)
    # Later articles do not change it: here from the first 500, whatever came with the 500th.
    with archive.database.read() as tx:
        terms = TermBatch.from_bytes([row.terms for row in features.ingested(tx, LOCAL_USER, range(1, 501))])
        assert word_vectors.fit(terms, 1).to_bytes() == basis.state
        loaded, same, none = (stream_vectors.load(tx, number) for number in (None, 1, 2))
    assert none is None
    assert loaded.to_bytes() == same.to_bytes() == basis.state
    assert np.linalg.norm(loaded.project(terms), axis=1) == pytest.approx(np.ones(500))
    archive.store(news[510:])
    archive.measure()
    assert stored_bases(archive) == [basis]


def test_an_installation_with_many_articles_gets_the_newest_basis_with_its_next_article(
    filled, pieces, monkeypatch
) -> None:
    """As after an upgrade. What it learns from are the newest of the articles before the basis was due."""
    monkeypatch.setattr(word_vectors, "FIRST", 10)
    monkeypatch.setattr(word_vectors, "NEWEST", 15)
    assert filled.measure() == 0
    assert stored_bases(filled) == []
    filled.store(pieces[60:61])
    filled.measure()
    (basis,) = stored_bases(filled)
    assert (basis.number, basis.articles, basis.sequence) == (3, 40, 40)
    with filled.database.read() as tx:
        terms = TermBatch.from_bytes([row.terms for row in features.ingested(tx, LOCAL_USER, range(26, 41))])
    assert word_vectors.fit(terms, 3).to_bytes() == basis.state


def test_an_upgrade_that_measures_words_again_learns_the_basis_of_these_words(filled, monkeypatch) -> None:
    """Without another article: the bases of a former kind are gone then."""
    monkeypatch.setattr(word_vectors, "FIRST", 10)
    with filled.database.write() as tx:
        snapshots.discard(tx, None)
        snapshots.save(tx, Snapshot(None, 60, "stream 1", b"damaged"))
    assert filled.measure() == 0
    (basis,) = stored_bases(filled)
    assert (basis.number, basis.articles) == (3, 40)
    with filled.database.read() as tx:
        terms = TermBatch.from_bytes([row.terms for row in features.ingested(tx, LOCAL_USER, range(1, 41))])
    assert word_vectors.fit(terms, 3).to_bytes() == basis.state


def test_two_processes_at_once_store_one_basis(filled, pieces, monkeypatch) -> None:
    """The other one stores its own while this one learns: that one stays."""
    monkeypatch.setattr(word_vectors, "FIRST", 50)
    filled.store(pieces[60:70])
    fit = word_vectors.fit

    def slow(terms, number):
        learned = fit(terms, number)
        with filled.database.write() as tx:
            features.add_basis(tx, StoredBasis(number, 50, 50, learned.to_bytes()[:260]))
        return learned

    monkeypatch.setattr(word_vectors, "fit", slow)
    filled.measure()
    (basis,) = stored_bases(filled)
    assert len(basis.state) == 260


def test_an_upgrade_measures_words_again_while_their_texts_are_kept(undisturbed, archive, pieces, monkeypatch) -> None:
    """A former version had other terms, and knew of no boilerplate. What is rated is measured however old it is."""

    def words() -> list[tuple[bytes, bytes]]:
        with archive.database.read() as tx:
            found = features.ingested(tx, LOCAL_USER, range(1, articles.last_seq(tx) + 1))
        return [(row.terms, row.pairs) for row in found]

    right = words()
    with archive.database.write() as tx:
        found = snapshots.newest(tx, None, fingerprint="stream 2")
        state = unpack(found.state)
        del state["features"]["boilerplate"]
        state["features"]["frequencies"] = Frequencies().state()
        snapshots.discard(tx, None)
        snapshots.save(tx, Snapshot(None, 90, "stream 1", pack(state)))
        tx.connection.exec_driver_sql("UPDATE features SET terms = x'', pairs = x''")
        tx.connection.exec_driver_sql("DELETE FROM texts WHERE seq = 90")
    monkeypatch.setattr(ingestion, "BATCH", 7)
    reported = []
    archive.news.ingestion.catch_up(lambda *done: reported.append(done))
    assert words() == [*right[:89], (b"", b"")]
    assert reported[-1] == (84, 90, "analysing articles again")
    assert [row[:6] for row in measured(archive)] == [row[:6] for row in undisturbed]
    archive.store(pieces[90:120])
    assert archive.measure() == 30
    assert archive.news.ingestion.catch_up(lambda *_: pytest.fail("measured again")) == 0

    monkeypatch.setattr(ingestion, "MEASURED_AGAIN", 20)
    with archive.database.write() as tx:
        tx.connection.exec_driver_sql("UPDATE snapshots SET fingerprint = 'stream 1'")
        tx.connection.exec_driver_sql("UPDATE features SET terms = x''")
    archive.say(Kind.LIKE, 5)
    archive.measure()
    assert [seq for seq, (terms, _) in enumerate(words(), 1) if terms] == [5, *range(101, 121)]


def meanings_of(archive, encoder: str) -> list[int]:
    """Articles with a meaning by an encoder."""
    with archive.database.read() as tx:
        found = evidence.words(tx, range(1, articles.last_seq(tx) + 1), encoder)
    return [seq for seq, words in sorted(found.items()) if words.meaning]


def test_articles_get_meanings_by_the_encoder_that_is_installed(archive, pieces, monkeypatch) -> None:
    archive.store(pieces[:30])
    archive.measure()
    monkeypatch.setattr(ingestion, "RENEWED", 20)
    with made_up_encoder.installed() as name:
        assert meanings_of(archive, name) == []
        archive.store(pieces[30:40])
        archive.measure()
        assert meanings_of(archive, name) == list(range(11, 41))
        archive.measure()
        assert meanings_of(archive, name) == list(range(11, 41)), "nothing new, nothing loaded"
        (phrase,) = archive.news.ingestion.analyse_apart([replace(leader(archive), title="ferry", text="")])
        assert (len(phrase.meaning), phrase.encoder) == (meaning.DIMENSIONS, name)
    before = measured(archive)
    with made_up_encoder.installed("0.2.10") as other:
        assert meanings_of(archive, other) == []
        archive.store(pieces[40:41])
        archive.measure()
        assert meanings_of(archive, other) == list(range(21, 42))
        assert meanings_of(archive, name) == list(range(11, 21))
    assert measured(archive)[:40] == before
    archive.store(pieces[41:42])
    archive.measure()
    assert meanings_of(archive, other) == list(range(21, 42))


def leader(archive):
    """An article that leads a story."""
    return archive.leaders()[0]


def test_an_encoder_without_its_weights_is_one_problem_and_harms_nothing(undisturbed, other, pieces) -> None:
    with made_up_encoder.installed(broken=True) as name:
        other.store(pieces[:90])
        assert other.news.ingestion.catch_up() == 90
        assert meanings_of(other, name) == []
        assert other.news.extractors.problems() == {"semantic": "FileNotFoundError: weights.npz"}
    assert measured(other) == undisturbed


def test_a_round_knows_the_meanings_of_the_encoder_that_is_installed(archive, pieces) -> None:
    with made_up_encoder.installed():
        archive.store(pieces[:2])
        archive.measure()
        with archive.database.read() as tx:
            assert StoredLog(tx, users.get(tx, LOCAL_USER)).terms([2, 1]).meanings.any(axis=1).tolist() == [True, True]
    with archive.database.read() as tx:
        assert StoredLog(tx, users.get(tx, LOCAL_USER)).terms([2, 1]).meanings is None
