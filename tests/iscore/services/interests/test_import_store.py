"""Seeds on their way into the log: the stream knows nothing of them, a replay knows them all."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import numpy as np
import pytest

from extractors.text.terms import TermVector
from iscore.filtering.serialization import pack
from iscore.services.interests import import_store as store
from iscore.services.learning.article_features import analysed_article
from iscore.services.learning.imported_item import Form, ImportedItem
from iscore.services.learning.model_store import LoadedModel, ModelStore
from storage.engine.errors import DatabaseFailed
from storage.log import decisions, feedback, imports, snapshots
from storage.records.users import LOCAL_USER, Kind
from storage.stream import articles, features
from tests.iscore.conftest import START, Archive, Piece, ingestion, model_store

LATER = START + timedelta(hours=3)
PAGE = ImportedItem(Form.TITLE, "Tidal turbines feed the grid", "https://liked.example/tidal", categories=("energy",))
LONG = ImportedItem(
    Form.TEXT, "Comets", "https://liked.example/comets", "A comet came back.\n\nNobody had expected it."
)
WORDS = ImportedItem(Form.KEYWORDS, "tidal turbine")


def plant(archive: Archive, *found: ImportedItem) -> store.ImportResult:
    def measure(strangers: Sequence[articles.Article]) -> list[features.Features]:
        return ingestion(archive.database).analyse_apart(strangers)

    sorted_ = store.classify(archive.database, LOCAL_USER, found)
    return store.store(archive.database, LOCAL_USER, "test", sorted_, measure, at=LATER)


def model_store_of(archive: Archive) -> ModelStore:
    return model_store(archive.home, archive.database)


def learned(archive: Archive) -> LoadedModel:
    """Load and save the model, which must be what a replay gives."""
    kept = model_store_of(archive).load()
    assert pack(kept.model.state()) == pack(model_store_of(archive).replay().model.state())
    with archive.database.write() as tx:
        model_store_of(archive).save(tx, kept)
    return kept


def stream_state(archive: Archive) -> tuple[int | None, bytes]:
    with archive.database.read() as tx:
        found = snapshots.newest(tx, None, fingerprint="stream 2")
        assert found is not None
        return found.sequence, found.state


def test_imports_do_not_change_the_stream(filled: Archive, tmp_path_factory: pytest.TempPathFactory, pieces) -> None:
    before = stream_state(filled)
    assert plant(filled, PAGE, LONG, WORDS) == store.ImportResult(3, 0, 1)
    assert stream_state(filled) == before
    filled.store(pieces[60:90])
    filled.measure()
    other = Archive(tmp_path_factory.mktemp("other") / "home")
    other.store(pieces[:60])
    other.measure()
    other.store(pieces[60:90])
    other.measure()
    with filled.database.read() as tx, other.database.read() as untouched:
        with_seeds = features.ingested(tx, LOCAL_USER, range(64, 94))
        without = features.ingested(untouched, LOCAL_USER, range(61, 91))
    other.database.close()
    assert len(with_seeds) == len(without) == 30
    for seeded, plain in zip(with_seeds, without, strict=True):
        assert (seeded.id, seeded.values, seeded.terms, seeded.pairs) == (
            plain.id,
            plain.values,
            plain.terms,
            plain.pairs,
        )
        assert seeded.story - plain.story == (3 if plain.story > 60 else 0)


def test_imported_item_uses_the_stream_s_frequencies(filled: Archive, pieces: list[Piece]) -> None:
    plant(filled, ImportedItem(Form.TEXT, pieces[5].title, "https://liked.example/copy", pieces[5].text))
    with filled.database.read() as tx:
        seed, original = features.ingested(tx, LOCAL_USER, [61, 6])
    mine, first = TermVector.from_bytes(seed.terms), TermVector.from_bytes(original.terms)
    assert np.array_equal(mine.ids, first.ids)
    assert not np.array_equal(mine.weights, first.weights)  # more articles have been seen since
    assert (seed.source, seed.site, seed.story, seed.tags) == ("", "liked.example", 0, ())


def test_imported_items_teach_topics_only(filled: Archive) -> None:
    fresh = model_store_of(filled).load().model
    plant(filled, PAGE, LONG, WORDS)
    model = learned(filled).model
    assert (model.imported, model.likes, model.dislikes, model.trained) == (3, 0, 0, False)
    assert pack(model.state()["classifier"]) == pack(fresh.state()["classifier"])
    style = ("features", "writing_style")
    assert pack(model.state()[style[0]][style[1]]) == pack(fresh.state()[style[0]][style[1]])
    with filled.database.read() as tx:
        (article,) = features.ingested(tx, LOCAL_USER, [61])
    names = filled.news.extractors.article_feature_names
    values = dict(zip(model.names, model.vector(analysed_article(article, names)), strict=True))
    assert values["nearest_liked"] == pytest.approx(1.0, abs=1e-4)
    assert values["site_reputation"] > values["source_reputation"] or np.isnan(values["source_reputation"])


def test_an_import_taken_back_leaves_no_trace_in_what_was_learned(filled: Archive) -> None:
    filled.say(Kind.LIKE, 1, 2)
    filled.say(Kind.DISLIKE, 3)
    before = pack(learned(filled).model.state())
    number = plant(filled, PAGE, LONG).number
    assert pack(learned(filled).model.state()) != before
    with filled.database.write() as tx:
        assert number is not None
        assert imports.undo_import(tx, LOCAL_USER, number, LATER) == 2
    assert pack(learned(filled).model.state()) == before
    # Brought again, they teach again, as what they were measured then.
    assert plant(filled, LONG, PAGE) == store.ImportResult(2, 2, 2)
    assert learned(filled).model.imported == 2
    with filled.database.read() as tx:
        assert articles.last_seq(tx) == 62


def test_the_same_again_changes_nothing(filled: Archive) -> None:
    plant(filled, PAGE, WORDS)
    elsewhere = ImportedItem(Form.TEXT, PAGE.title, "http://www.liked.example/tidal/?utm_source=x", "Now with a text.")
    with filled.database.read() as tx:
        row = feedback.last_row(tx, LOCAL_USER)
    assert plant(filled, WORDS, PAGE, elsewhere) == store.ImportResult(0, 0, None)
    assert store.classify(filled.database, LOCAL_USER, [WORDS, PAGE, elsewhere]).old == 3
    with filled.database.read() as tx:
        assert feedback.last_row(tx, LOCAL_USER) == row
        assert len(imports.list_imports(tx, LOCAL_USER)) == 1


def test_two_processes_that_bring_the_same_bring_it_once(filled: Archive) -> None:
    arrivals = ingestion(filled.database)
    found = store.classify(filled.database, LOCAL_USER, [PAGE, WORDS])
    first, second = (
        store.store(filled.database, LOCAL_USER, "test", found, arrivals.analyse_apart, at=LATER) for _ in range(2)
    )
    assert (first, second) == (store.ImportResult(2, 0, 1), store.ImportResult(0, 0, None))
    assert learned(filled).model.imported == 2


def test_an_import_that_breaks_off_has_not_begun(filled: Archive) -> None:
    with filled.database.write() as tx:
        tx.connection.exec_driver_sql(
            "CREATE TRIGGER full BEFORE INSERT ON imported_items WHEN NEW.form = 'keywords' "
            "BEGIN SELECT RAISE(ABORT, 'full'); END"
        )

    def rows() -> list[int]:
        with filled.database.read() as tx:
            tables = (
                "articles",
                "texts",
                "features",
                "feedback",
                "effective_verdicts",
                "imports",
                "imported_items",
                "feeds",
            )
            counts = (tx.connection.exec_driver_sql(f"SELECT count(*) FROM {table}") for table in tables)
            return [count.scalar_one() for count in counts]

    before = rows()
    with pytest.raises(DatabaseFailed, match="full"):
        plant(filled, PAGE, LONG, WORDS)
    assert rows() == before


def test_link_to_a_known_article_likes_that_article(filled: Archive) -> None:
    here, judged = filled.leaders()[:2]
    filled.say(Kind.DISLIKE, judged.seq)
    found = [ImportedItem(Form.TITLE, "Another title", each.url) for each in (here, judged)]
    assert plant(filled, *found, PAGE) == store.ImportResult(2, 1, 1)
    with filled.database.read() as tx:
        assert feedback.verdict(tx, LOCAL_USER, here.seq) == Kind.IMPORTED
        assert feedback.verdict(tx, LOCAL_USER, judged.seq) == Kind.DISLIKE
        assert articles.last_seq(tx) == 61
    assert learned(filled).model.imported == 2


def test_item_that_a_feed_delivers_later_is_recognised(filled: Archive, pieces: list[Piece]) -> None:
    coming = pieces[70]
    plant(
        filled,
        ImportedItem(Form.TITLE, coming.title, coming.url),
        ImportedItem(Form.FEED, "A feed", "https://a.example/"),
        WORDS,
    )
    assert store.mark_arrived(filled.database, LOCAL_USER) == 0
    filled.store(pieces[60:80])
    filled.measure()
    assert store.mark_arrived(filled.database, LOCAL_USER) == 1
    with filled.database.read() as tx:
        story = next(each.story for each in articles.get(tx, range(64, 84)) if each.url == coming.url)
        assert feedback.verdict(tx, LOCAL_USER, story or 0) == Kind.IMPORTED
        assert [entry.kind for entry in feedback.effective(tx, LOCAL_USER)] == [Kind.IMPORTED] * 3
        assert len(decisions.unscored(tx, LOCAL_USER, 1000)) > 60  # it is judged like any other
    assert learned(filled).model.imported == 3


def test_import_before_the_first_poll(archive: Archive, pieces: list[Piece]) -> None:
    assert plant(archive, PAGE, WORDS).learned == 2
    assert learned(archive).model.imported == 2
    archive.store(pieces[:30])
    assert archive.measure() == 30
    with archive.database.read() as tx:
        assert articles.count(tx, LOCAL_USER) == 30
    assert archive.leaders()[0].seq == 3
