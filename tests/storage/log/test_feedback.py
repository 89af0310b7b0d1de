from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage.engine.base_database import Transaction
from storage.engine.errors import DatabaseFailed, UnknownArticle
from storage.log import feedback, history
from storage.opening.database import Database, open_database
from storage.people import users
from storage.records.articles import Features
from storage.records.feeds import Subscription
from storage.records.users import LOCAL_USER, Kind, LogEntry, Tally, Verdict
from storage.stream import articles, features, feeds
from tests.storage.conftest import FEED, NOON, Newsroom, log

LIKE, DISLIKE, SKIP, UNDO = Kind.LIKE, Kind.DISLIKE, Kind.SKIP, Kind.UNDO


def say(tx: Transaction, *said: tuple[int, Kind], user_id: int = LOCAL_USER) -> list[Kind | None]:
    """Give verdicts with ids of their own; return the verdicts before."""
    answers = []
    for seq, kind in said:
        number = feedback.last_row(tx, user_id) + 1
        accepted, before = feedback.append(tx, [Verdict(f"id-{number}", user_id, seq, kind, NOON)])[0]
        assert accepted
        answers.append(before)
    return answers


def rows(entries: list[LogEntry]) -> list[tuple[int, int, Kind]]:
    return [(entry.row, entry.story, entry.kind) for entry in entries]


@pytest.fixture
def stories(newsroom: Newsroom) -> None:
    """Have six articles; 5 and 6 belong to the story of 1."""
    newsroom.poll(*(newsroom.entry(str(number)) for number in range(6)))
    newsroom.assess({5: 1, 6: 1})
    newsroom.judge((1, 1.0, False), (2, -1.0, True), (3, -1.0, False))


@pytest.mark.usefixtures("stories")
class TestLog:
    def test_a_verdict_survives_with_the_probability_of_its_storys_decision(self, database: Database) -> None:
        later = NOON + timedelta(microseconds=1)
        with database.write(durable=True) as tx:
            given = [Verdict("a", LOCAL_USER, 2, LIKE, later), Verdict("b", LOCAL_USER, 6, SKIP, NOON)]
            assert feedback.append(tx, given) == [(True, None), (True, None)]
        with database.read() as tx:
            entries = [
                LogEntry(1, "a", LOCAL_USER, 2, 2, LIKE, later, 0.25, ()),
                LogEntry(2, "b", LOCAL_USER, 6, 1, SKIP, NOON, 1.0, ()),
            ]
            assert feedback.effective(tx, LOCAL_USER) == entries
            assert feedback.effective(tx, LOCAL_USER, 1) == entries[1:]

    def test_without_a_decision_the_probability_is_one(self, tx: Transaction) -> None:
        say(tx, (4, LIKE))
        assert feedback.effective(tx, LOCAL_USER)[0].probability == 1.0

    def test_hidden_articles_that_were_looked_up_were_not_drawn(self, tx: Transaction) -> None:
        say(tx, (3, LIKE))
        assert feedback.effective(tx, LOCAL_USER)[0].probability == 1.0

    def test_the_same_id_counts_once(self, tx: Transaction) -> None:
        first = Verdict("same", LOCAL_USER, 1, LIKE, NOON)
        assert feedback.append(tx, [first, first]) == [(True, None), (False, LIKE)]
        assert feedback.append(tx, [Verdict("same", LOCAL_USER, 1, DISLIKE, NOON)]) == [(False, LIKE)]
        assert [row[:4] for row in log(tx)] == [(1, "same", 1, 1)]
        assert feedback.verdict(tx, LOCAL_USER, 1) == LIKE

    def test_verdict_ids_are_unique_per_user(self, tx: Transaction) -> None:
        other = users.add(tx, "other", 0).id
        mine = Verdict("same", LOCAL_USER, 1, LIKE, NOON)
        theirs = Verdict("same", other, 1, DISLIKE, NOON)
        assert feedback.append(tx, [mine, theirs]) == [(True, None), (True, None)]
        assert rows(feedback.effective(tx, LOCAL_USER)) == [(1, 1, LIKE)]
        assert rows(feedback.effective(tx, other)) == [(2, 1, DISLIKE)]
        assert (feedback.last_row(tx, LOCAL_USER), feedback.last_row(tx, other)) == (1, 2)
        assert feedback.superseded_after(tx, LOCAL_USER, 1) is None
        assert history.tally(tx, other).dislikes == 1

    def test_a_verdict_keeps_the_tags_of_its_moment(self, tx: Transaction) -> None:
        def follow(*tags: str, user_id: int = LOCAL_USER) -> None:
            other_feed = Subscription("https://b.org/", tags=("elsewhere",))
            feeds.subscribe(tx, user_id, [other_feed, Subscription(FEED, tags=tags)])

        other = users.add(tx, "other", 0).id
        follow("theirs", user_id=other)
        say(tx, (1, LIKE))
        follow("science", "ä")
        say(tx, (2, LIKE))
        follow("world")
        say(tx, (3, DISLIKE), (1, DISLIKE))
        say(tx, (1, LIKE), user_id=other)
        feeds.subscribe(tx, LOCAL_USER, [])
        say(tx, (4, SKIP))
        entries = [(entry.row, entry.tags) for entry in feedback.effective(tx, LOCAL_USER)]
        assert entries == [(2, ("science", "ä")), (3, ("world",)), (4, ("world",)), (6, ())]
        assert [row[-1] for row in log(tx)] == [(), ("science", "ä"), ("world",), ("world",), ()]
        assert feedback.effective(tx, other)[0].tags == ("theirs",)

    def test_the_tags_are_those_of_the_feed_of_what_is_learned(self, newsroom: Newsroom, tx: Transaction) -> None:
        wishes = [Subscription(FEED, tags=("first",)), Subscription("https://b.org/", tags=("second",))]
        feeds.subscribe(tx, LOCAL_USER, wishes)
        articles.store(tx, 2, "https://b.org/", [newsroom.entry("copy"), newsroom.entry("not assessed")], NOON)
        features.add(tx, [Features(7, 2, 0, (), b"", b"", b"")])
        say(tx, (7, LIKE), (8, LIKE))
        entries = {entry.seq: (entry.story, entry.tags) for entry in feedback.effective(tx, LOCAL_USER)}
        assert entries == {7: (2, ("first",)), 8: (8, ("second",))}

    def test_an_unknown_article_is_named_and_nothing_is_written(self, tx: Transaction) -> None:
        known, unknown = Verdict("a", LOCAL_USER, 1, LIKE, NOON), Verdict("b", LOCAL_USER, 99, LIKE, NOON)
        with pytest.raises(UnknownArticle) as caught:
            feedback.append(tx, [known, unknown])
        assert caught.value.seq == 99
        assert feedback.last_row(tx, LOCAL_USER) == 0

    def test_the_last_verdict_on_a_story_counts_at_its_place(self, tx: Transaction) -> None:
        assert say(tx, (1, LIKE), (2, LIKE), (5, DISLIKE)) == [None, None, LIKE]
        assert rows(feedback.effective(tx, LOCAL_USER)) == [(2, 2, LIKE), (3, 1, DISLIKE)]
        assert rows(feedback.effective(tx, LOCAL_USER, 2)) == [(3, 1, DISLIKE)]
        assert rows(feedback.effective(tx, LOCAL_USER, 0, 2)) == [(2, 2, LIKE)]

    def test_undo_takes_back(self, tx: Transaction) -> None:
        assert say(tx, (1, LIKE), (1, UNDO), (1, UNDO)) == [None, LIKE, None]
        assert feedback.effective(tx, LOCAL_USER) == []
        assert feedback.verdict(tx, LOCAL_USER, 1) is None
        assert say(tx, (6, SKIP)) == [None]
        assert rows(feedback.effective(tx, LOCAL_USER)) == [(4, 1, SKIP)]

    @pytest.mark.parametrize("change", ["UPDATE feedback SET kind = 'like'", "DELETE FROM feedback"])
    def test_the_log_can_only_grow(self, database: Database, change: str) -> None:
        with database.write() as tx:
            say(tx, (1, DISLIKE))
        with pytest.raises(DatabaseFailed, match="append-only"), database.write() as tx:
            tx.connection.exec_driver_sql(change)

    def test_article_without_features_is_its_own_story(self, newsroom: Newsroom, database: Database) -> None:
        newsroom.poll(newsroom.entry("new"))
        with database.write() as tx:
            say(tx, (7, LIKE))
            assert rows(feedback.effective(tx, LOCAL_USER)) == [(1, 7, LIKE)]

    def test_an_empty_log_has_nothing(self, tx: Transaction) -> None:
        assert feedback.last_row(tx, LOCAL_USER) == 0
        assert feedback.superseded_after(tx, LOCAL_USER, 0) is None
        assert history.tally(tx, LOCAL_USER) == Tally(0, 0, 0, 0, 0, 0, 0)

    def test_new_rows_about_new_stories_only_add(self, tx: Transaction) -> None:
        say(tx, (1, LIKE), (2, SKIP), (3, LIKE), (3, UNDO))
        assert feedback.superseded_after(tx, LOCAL_USER, 4) is None
        say(tx, (4, LIKE), (4, DISLIKE), (2, LIKE), (3, DISLIKE))
        assert feedback.superseded_after(tx, LOCAL_USER, 4) is None

    def test_corrections_tell_from_where_on_state_is_stale(self, tx: Transaction) -> None:
        say(tx, (1, LIKE), (2, DISLIKE), (3, LIKE), (3, LIKE), (2, UNDO), (5, LIKE))
        assert feedback.superseded_after(tx, LOCAL_USER, 6) is None
        assert feedback.superseded_after(tx, LOCAL_USER, 5) == 1
        assert feedback.superseded_after(tx, LOCAL_USER, 4) == 1
        assert feedback.superseded_after(tx, LOCAL_USER, 3) == 1
        say(tx, (3, DISLIKE))
        assert feedback.superseded_after(tx, LOCAL_USER, 6) == 4

    def test_verdicts_are_counted_against_first_decisions(self, tx: Transaction) -> None:
        say(tx, (5, LIKE), (2, LIKE), (3, DISLIKE), (4, LIKE))
        assert history.tally(tx, LOCAL_USER) == Tally(1, 0, 1, 1, likes=3, dislikes=1, skips=0)
        say(tx, (1, DISLIKE), (2, SKIP), (3, UNDO))
        assert history.tally(tx, LOCAL_USER) == Tally(0, 1, 0, 0, likes=1, dislikes=1, skips=1)
        assert history.tally(tx, LOCAL_USER, NOON + timedelta(microseconds=1)) == Tally(0, 0, 0, 0, 0, 0, 0)
        assert history.tally(tx, LOCAL_USER, NOON).likes == 1


class Model:
    """The effective log in plain Python: replay everything, keep the last row per story."""

    def __init__(self, said: list[tuple[int, Kind]]) -> None:
        self.rows = [(row, 1 if seq in {5, 6} else seq, kind) for row, (seq, kind) in enumerate(said, start=1)]

    def effective(self, up_to: int) -> list[tuple[int, int, Kind]]:
        last = {story: (row, story, kind) for row, story, kind in self.rows[:up_to]}
        return sorted(entry for entry in last.values() if entry[2] != UNDO)

    def superseded_after(self, row: int) -> int | None:
        touched = {story for _, story, _ in self.rows[row:]}
        stale = [at for at, story, kind in self.effective(row) if story in touched and kind in feedback.LEARNED_KINDS]
        return min(stale, default=None)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """One database with stories for all examples; each example leaves it as it was."""
    path: Path = tmp_path_factory.mktemp("model") / "iscore.db"
    with open_database(path, create=True) as database:
        newsroom = Newsroom(database)
        newsroom.follow(FEED)
        newsroom.poll(*(newsroom.entry(str(number)) for number in range(6)))
        newsroom.assess({5: 1, 6: 1})
        yield database


@contextmanager
def undone(database: Database) -> Iterator[Transaction]:
    """Give a transaction of which nothing is kept."""
    with suppress(InterruptedError), database.write() as tx:
        yield tx
        raise InterruptedError


@settings(max_examples=25)
@given(said=st.lists(st.tuples(st.integers(1, 6), st.sampled_from(Kind)), max_size=14), cut=st.integers(0, 14))
def test_the_effective_log_is_what_replaying_everything_gives(
    shared: Database, said: list[tuple[int, Kind]], cut: int
) -> None:
    model = Model(said)
    cut = min(cut, len(said))
    with undone(shared) as tx:
        before = say(tx, *said)
        assert rows(feedback.effective(tx, LOCAL_USER)) == model.effective(len(said))
        assert [(row, story, kind) for row, _, _, story, kind, _ in log(tx)] == model.rows
        assert feedback.superseded_after(tx, LOCAL_USER, cut) == model.superseded_after(cut)
        for row, story, _ in model.rows:
            standing = {entry[1]: entry[2] for entry in model.effective(row - 1)}
            assert before[row - 1] == standing.get(story)
        parts = feedback.effective(tx, LOCAL_USER, 0, cut) + feedback.effective(tx, LOCAL_USER, cut)
        assert rows(parts) == model.effective(len(said))
