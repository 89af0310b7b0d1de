"""The model of a reader equals a replay of their log, bit for bit, whatever the verdicts and whenever it was saved."""

from __future__ import annotations

import pickle
import shutil
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extractors import EXTRACTORS
from extractors.base import ReaderExtractor
from extractors.text.terms import TermVector
from iscore.filtering.serialization import pack
from iscore.services.learning.article_features import analysed_article, analysed_batch
from storage.log import decisions, feedback, snapshots
from storage.opening.database import open_database
from storage.records.decisions import Decision
from storage.records.users import LOCAL_USER, Kind, Snapshot
from storage.stream import features
from tests.iscore.conftest import Archive
from tests.iscore.services.stored_reader import AT, Reader

STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from([Kind.LIKE, Kind.DISLIKE, *Kind]), st.integers(0, 11)),
        st.tuples(st.sampled_from(["text", "title", "feed"]), st.integers(0, 11)),
        st.sampled_from(["learn", "learn", "rebuild", "retag", "take back", "weaken"]),
    ),
    max_size=25,
)


@pytest.fixture(scope="module")
def kept_home(filled_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """A home whose news filter all readers use, each on a copy of its database, and the copies that they begin with."""
    archive = Archive.copied(filled_home, tmp_path_factory.mktemp("kept") / "home")
    with archive.database.write() as tx:
        rows = [
            Decision(LOCAL_USER, article.seq, 0.0, 0.5, False, number % 3 == 0, 0.4, AT)
            for number, article in enumerate(archive.leaders())
        ]
        decisions.add(tx, rows)
    folder = archive.home.path.parent
    archive.database.backup(folder / "pristine.db")
    shutil.copyfile(folder / "pristine.db", folder / "working.db")
    with open_database(folder / "working.db") as database:
        reader = Reader(archive, database)
        for number in range(12):
            reader.say(Kind.LIKE if number % 3 else Kind.DISLIKE, number)
            if number == 7:
                reader.learn()
        database.backup(folder / "twelve.db")
    yield archive
    archive.database.close()


@pytest.fixture
def fresh(kept_home: Archive, tmp_path: Path) -> Callable[..., AbstractContextManager[Reader]]:
    """Return the maker of a reader with a database of their own."""

    @contextmanager
    def made(begun: str = "pristine.db", given: int = 0) -> Iterator[Reader]:
        copy = tmp_path / "copy.db"
        for leftover in tmp_path.glob("copy.db*"):
            leftover.unlink()
        shutil.copyfile(kept_home.home.path.parent / begun, copy)
        with open_database(copy) as database:
            reader = Reader(kept_home, database)
            reader.given = given
            yield reader

    return made


@pytest.fixture
def reader(fresh) -> Iterator[Reader]:
    """One with twelve verdicts, saved after the eighth."""
    with fresh("twelve.db", 12) as made:
        yield made


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_snapshot_and_tail_equal_a_replay_bit_for_bit(fresh, steps) -> None:
    with fresh() as reader:
        for step in steps:
            if step == "learn":
                assert reader.learn() == reader.replayed()
            elif step == "rebuild":
                model_store = reader.model_store()
                with reader.database.write() as tx:
                    model_store.save(tx, model_store.replay())
            elif step == "retag":
                reader.retag()
            elif step == "take back":
                reader.take_back()
            elif step == "weaken":
                reader.weaken()
            elif isinstance(step[0], Kind):
                reader.say(*step)
            else:
                reader.plant(*step)
        assert reader.loaded() == reader.replayed() == reader.by_hand()


def test_the_model_of_an_earlier_day_is_what_it_was_then(fresh) -> None:
    """Whatever has been corrected since, from a snapshot of that time or before it, or without any."""
    then: dict[int, bytes] = {}
    with fresh() as reader:
        for number in range(4):
            reader.say(Kind.LIKE if number % 2 else Kind.DISLIKE, number)
        reader.plant("text", 8)
        then[5] = reader.by_hand()
        reader.learn()
        reader.say(Kind.LIKE, 0)  # corrects the first
        reader.say(Kind.LIKE, 4)
        then[7] = reader.by_hand()
        reader.learn()
        reader.say(Kind.UNDO, 1)
        reader.take_back()
        reader.say(Kind.DISLIKE, 4)
        reader.retag()
        reader.learn()
        then[10] = reader.by_hand()
        model_store = reader.model_store()
        assert {row: pack(model_store.at(row).model.state()) for row in then} == then
        assert {row: pack(state) for row, state in model_store.saved()} == then
        with reader.database.write() as tx:
            snapshots.discard(tx, LOCAL_USER, after=6)
        assert pack(model_store.at(7).model.state()) == then[7]
        reader.damage(b"no state")
        assert list(model_store.saved()) == []
        assert pack(model_store.at(5).model.state()) == then[5]


class Amnesiac(ReaderExtractor):
    """Somebody else's: it learns, and cannot say what."""

    features = ("verdicts_seen",)
    meanings: ClassVar = {"verdicts_seen": "late"}

    def __init__(self) -> None:
        self.seen = 0.0

    def extract(self, _):
        return [self.seen]

    def learn(self, *_):
        self.seen += 1.0

    def state(self):
        raise RuntimeError("cannot say")

    def restore(self, _):
        pass


def test_what_an_extractor_cannot_say_is_learned_from_the_log(reader: Reader, monkeypatch) -> None:
    monkeypatch.setitem(EXTRACTORS, "amnesiac", lambda _: Amnesiac())
    reader.learn()
    kept = reader.model_store().load()
    assert (kept.learned, pack(kept.model.state())) == (12, reader.replayed())
    assert kept.model.features.failures.reasons == {"amnesiac": "RuntimeError: cannot say"}
    reader.say(Kind.LIKE, 12)
    assert reader.learn() == reader.replayed() == reader.by_hand()


def test_tags_are_learned_as_of_the_verdict(reader: Reader) -> None:
    reader.retag()
    reader.say(Kind.LIKE, 12)
    reader.retag()
    reader.say(Kind.DISLIKE, 13)
    learned = reader.learn()
    names = reader.model_store().load().model.state()["features"]["tag_reputation"]["names"]
    assert names == ["tag 1", "tag 2", "news"]
    reader.retag()
    assert reader.loaded() == reader.replayed() == reader.by_hand() == learned


def test_the_probability_of_an_explored_article_weighs_in(reader: Reader) -> None:
    with reader.database.read() as tx:
        chances = {entry.probability for entry in feedback.effective(tx, LOCAL_USER)}
    assert chances == {0.4, 1.0}
    assert reader.loaded() == reader.by_hand()


def test_load_writes_nothing_and_counts_new_verdicts(reader: Reader) -> None:
    kept = reader.model_store().load()
    assert (kept.row, kept.learned, kept.changed) == (12, 4, True)
    assert reader.snapshots() == [8]
    reader.learn()
    kept = reader.model_store().load()
    assert (kept.row, kept.learned, kept.changed) == (12, 0, False)


def test_the_last_model_is_returned_again_while_it_is_saved_and_nothing_is_new(reader: Reader) -> None:
    model_store = reader.model_store()
    first = model_store.load()
    assert model_store.load().model is not first.model  # not saved
    reader.learn()
    kept = model_store.load()
    again = model_store.load()
    assert (again.row, again.learned, again.changed) == (12, 0, False)
    assert again.model is kept.model
    for verdict in ((Kind.LIKE, 12), (Kind.UNDO, 2)):
        reader.say(*verdict)
        assert pack(model_store.load().model.state()) == reader.replayed()
        assert reader.learn() == pack(model_store.load().model.state())


def test_a_rebuild_checks_what_is_saved_and_not_what_is_in_memory(reader: Reader) -> None:
    reader.learn()
    model_store = reader.model_store()
    assert pack(model_store.load().model.state()) == reader.replayed()
    with reader.database.write() as tx:
        wrong = Snapshot(LOCAL_USER, 12, model_store.fingerprint, pack(model_store.new_model().state()))
        snapshots.save(tx, wrong)
    assert model_store.rebuild(check=True).equal is False


@pytest.mark.parametrize(("difference", "equal"), [(1e-9, True), (1e-3, False)])
def test_last_bits_of_another_processor_are_no_difference(reader: Reader, difference: float, equal: bool) -> None:
    for number in range(20, 30):
        reader.say(Kind.LIKE if number % 2 else Kind.DISLIKE, number)
    reader.learn()
    model_store = reader.model_store()
    loaded = model_store.load()
    state = loaded.model.state()
    state["left_out_likes"] = state["left_out_likes"] + difference
    assert not np.isnan(state["left_out_likes"]).all()
    with reader.database.write() as tx:
        snapshots.save(tx, Snapshot(LOCAL_USER, loaded.row, model_store.fingerprint, pack(state)))
    assert model_store.rebuild(check=True).equal is equal


def test_skips_and_undone_verdicts_are_not_learned(reader: Reader) -> None:
    before = reader.learn()
    reader.say(Kind.SKIP, 20)
    reader.say(Kind.LIKE, 21)
    reader.say(Kind.UNDO, 21)
    kept = reader.model_store().load()
    assert (kept.learned, kept.changed) == (0, False)
    assert pack(kept.model.state()) == before


def test_a_correction_of_an_old_verdict_drops_what_included_it(reader: Reader) -> None:
    reader.learn()
    reader.say(Kind.LIKE, 9)
    kept = reader.model_store().load()
    assert kept.changed
    # The snapshot of row 8 is true still: rows 9, 11, 12 and 13 are learned behind it.
    assert kept.learned == 4
    assert pack(kept.model.state()) == reader.replayed() == reader.by_hand()
    reader.say(Kind.UNDO, 2)
    # That was learned before row 8: from the beginning, eleven verdicts.
    assert reader.model_store().load().learned == 11
    assert reader.learn() == reader.replayed() == reader.by_hand()
    assert reader.model_store().load().changed is False


BOMBS: list[str] = []


class Bomb:
    """Unpickling it would be seen."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return BOMBS.append, ("exploded",)


@pytest.mark.parametrize("damage", ["pickle", "other state", "wrong shape"])
def test_a_damaged_snapshot_is_passed_over(reader: Reader, damage: str) -> None:
    good = reader.learn()
    state = reader.model_store().load().model.state()
    state["classifier"] = {name: np.zeros(2) for name in state["classifier"]}
    reader.damage(
        {
            "pickle": pickle.dumps(Bomb()),
            "other state": pack({"likes": 1}),
            "wrong shape": pack(state),
        }[damage]
    )
    kept = reader.model_store().load()
    assert pack(kept.model.state()) == good == reader.replayed()
    assert (kept.learned, kept.changed) == (4, True)
    assert BOMBS == []
    reader.learn()
    assert reader.model_store().load().changed is False


def test_a_snapshot_under_another_fingerprint_is_not_used_and_goes(reader: Reader) -> None:
    good = reader.learn()
    with reader.database.write() as tx:
        snapshots.discard(tx, LOCAL_USER)
        snapshots.save(tx, Snapshot(LOCAL_USER, 12, "another machine", pack({"likes": 77})))
    kept = reader.model_store().load()
    assert (kept.learned, kept.changed) == (12, True)
    assert reader.learn() == good
    with reader.database.read() as tx:
        assert snapshots.newest(tx, LOCAL_USER, fingerprint="another machine") is None


def test_another_classifier_starts_from_the_log(reader: Reader) -> None:
    reader.learn()
    assert reader.model_store("kernel-naive-bayes").load().learned == 12


def test_snapshots_are_thinned_to_the_logarithm_of_the_log(fresh) -> None:
    last = 40
    with fresh() as reader:
        model_store = reader.model_store()
        for row in range(1, last + 1):
            with reader.database.write() as tx:
                model_store.save(tx, model_store.at(row))
        kept = reader.snapshots()
    assert kept[-1] == last
    ages = [last - row for row in kept]
    assert len({age.bit_length() for age in ages}) == len(ages) <= last.bit_length() + 1
    # Near the end they are dense, and one is left that includes little: a correction of old has something to go on.
    assert ages[-2] <= 2
    assert kept[0] <= last // 2


def test_a_model_takes_memory_for_what_it_has_learned_not_for_all_possible_words(reader: Reader) -> None:
    state = reader.model_store().load().model.state()
    model = reader.model_store().new_model()
    tracemalloc.start()
    model.restore(state)
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert pack(model.state()) == pack(state)
    assert taken < 8_000_000


def test_features_are_laid_out_by_name(filled) -> None:
    with filled.database.read() as tx:
        (arrived,) = features.ingested(tx, LOCAL_USER, [3])
    names = (*arrived.names[5:], "not measured then", arrived.names[2])
    frozen = analysed_article(arrived, names)
    stored = np.frombuffer(arrived.values, dtype="<f8")
    np.testing.assert_array_equal(frozen.values, [*stored[5:], np.nan, stored[2]])
    np.testing.assert_array_equal(analysed_article(arrived, arrived.names).values, stored)


def test_articles_of_several_days_are_laid_out_together(filled) -> None:
    with filled.database.read() as tx:
        first, second = features.ingested(tx, LOCAL_USER, [3, 4])
    older = first._replace(names=first.names[:5], values=first.values[: 5 * 8])
    batch = analysed_batch([older, second, older], second.names)
    assert [batch[row].values.tobytes() for row in range(3)] == [
        analysed_article(article, second.names).values.tobytes() for article in (older, second, older)
    ]
    assert np.isnan(batch.values[0, 5:]).all()
    assert batch.terms[1].ids.tolist() == TermVector.from_bytes(second.terms).ids.tolist()
