import pytest

from storage.engine.transaction import Transaction
from storage.log import snapshots
from storage.people import users
from storage.records.users import LOCAL_USER, Snapshot


def place(tx: Transaction, user_id: int | None, up_to: int | None = None, fingerprint: str = "f") -> int | None:
    found = snapshots.newest(tx, user_id, fingerprint=fingerprint, up_to=up_to)
    return None if found is None else found.sequence


def save(tx: Transaction, user_id: int | None, *sequences: int, fingerprint: str = "f") -> None:
    for sequence in sequences:
        snapshots.save(tx, Snapshot(user_id, sequence, fingerprint, b"state %d" % sequence))


@pytest.mark.parametrize("user_id", [None, LOCAL_USER])
class TestOwner:
    def test_the_newest_that_fits_is_found(self, tx: Transaction, user_id: int | None) -> None:
        save(tx, user_id, 5, 20, 10)
        assert snapshots.newest(tx, user_id, fingerprint="f") == Snapshot(user_id, 20, "f", b"state 20")
        assert place(tx, user_id, up_to=19) == 10
        assert place(tx, user_id, up_to=4) is None
        assert place(tx, user_id, fingerprint="another processor") is None

    def test_saving_again_replaces(self, tx: Transaction, user_id: int | None) -> None:
        save(tx, user_id, 5)
        save(tx, user_id, 5, fingerprint="g")
        again = Snapshot(user_id, 5, "f", b"\0new" * 100_000)
        snapshots.save(tx, again)
        assert snapshots.newest(tx, user_id, fingerprint="f") == again
        assert tx.connection.exec_driver_sql("SELECT count(*) FROM snapshots").scalar() == 2

    def test_stale_ones_are_discarded(self, tx: Transaction, user_id: int | None) -> None:
        save(tx, user_id, 5, 10, 20)
        save(tx, user_id, 15, fingerprint="g")
        snapshots.discard(tx, user_id, after=10)
        assert place(tx, user_id) == 10
        assert place(tx, user_id, fingerprint="g") is None
        snapshots.discard(tx, user_id)
        assert place(tx, user_id) is None

    def test_thinning_keeps_what_is_named(self, tx: Transaction, user_id: int | None) -> None:
        save(tx, user_id, 5, 10, 20)
        save(tx, user_id, 7, fingerprint="g")
        snapshots.thin(tx, user_id, "f", [5, 10])
        assert [place(tx, user_id), place(tx, user_id, up_to=9)] == [10, 5]
        snapshots.thin(tx, user_id, "f", [])
        assert (place(tx, user_id), place(tx, user_id, fingerprint="g")) == (None, 7)


def test_owners_do_not_touch_each_other(tx: Transaction) -> None:
    other = users.add(tx, "other", 0).id
    for user_id, sequence in ((None, 1), (LOCAL_USER, 2), (other, 3)):
        save(tx, user_id, sequence)
    assert [place(tx, owner) for owner in (None, LOCAL_USER, other)] == [1, 2, 3]
    snapshots.discard(tx, LOCAL_USER)
    snapshots.thin(tx, None, "f", [])
    assert [place(tx, owner) for owner in (None, LOCAL_USER, other)] == [None, None, 3]


def test_newest_sequence_ignores_the_fingerprint(tx: Transaction) -> None:
    assert snapshots.newest_sequence(tx, LOCAL_USER) is None
    save(tx, LOCAL_USER, 20, 5)
    save(tx, LOCAL_USER, 5, 30, fingerprint="g")
    save(tx, None, 99)
    assert snapshots.newest_sequence(tx, LOCAL_USER) == 30
    assert sorted(set(snapshots.sequences(tx, LOCAL_USER))) == [5, 20, 30]


def test_other_fingerprints_are_discarded(tx: Transaction) -> None:
    save(tx, LOCAL_USER, 5, 10)
    save(tx, LOCAL_USER, 10, 20, fingerprint="g")
    save(tx, None, 99)
    snapshots.discard_others(tx, LOCAL_USER, "g")
    assert snapshots.newest_fingerprint(tx, LOCAL_USER) == "g"
    assert set(snapshots.sequences(tx, LOCAL_USER)) == set(snapshots.sequences(tx, LOCAL_USER, fingerprint="g"))
    assert snapshots.newest_sequence(tx, None) == 99
