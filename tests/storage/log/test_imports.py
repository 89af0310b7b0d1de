"""Seeds: in the log like verdicts, but never judged, delivered, counted or given twice."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest

from storage.engine.transaction import Transaction
from storage.log import decisions, feedback, history, imports, marks
from storage.log.imports import Address, Import, NewImportedItem, StoredImportedItem
from storage.opening.database import Database
from storage.people import users
from storage.records.articles import Features
from storage.records.stories import Mark
from storage.records.users import LOCAL_USER, Kind, Tally, Verdict
from storage.stories import story_query
from storage.stories.story_query import Section, StoryQuery
from storage.stream import articles, features
from tests.storage.conftest import NOON, Newsroom

LIKE, DISLIKE, SKIP, UNDO, SEED = Kind.LIKE, Kind.DISLIKE, Kind.SKIP, Kind.UNDO, Kind.IMPORTED
LATER = NOON + timedelta(days=1)


@pytest.fixture
def stories(newsroom: Newsroom) -> Newsroom:
    """Have three articles; 3 belongs to the story of 1."""
    newsroom.poll(*(newsroom.entry(str(number)) for number in range(3)))
    newsroom.assess({3: 1})
    newsroom.judge((1, 1.0, False), (2, -1.0, False))
    return newsroom


def new(newsroom: Newsroom, *keys: str, form: str = "title") -> list[NewImportedItem]:
    frozen = Features(0, 0, 5, ("length", "age"), b"v" * 16, b"terms", b"pair")
    return [NewImportedItem(newsroom.entry(key, url=f"https://liked.example/{key}"), frozen, form, 0.5) for key in keys]


def say(tx: Transaction, *said: tuple[int, Kind]) -> list[Kind | None]:
    before = []
    for seq, kind in said:
        name = f"id-{feedback.last_row(tx, LOCAL_USER)}"
        before.append(feedback.append(tx, [Verdict(name, LOCAL_USER, seq, kind, NOON)])[0][1])
    return before


def plant(
    tx: Transaction, given: Sequence[NewImportedItem] = (), known: Sequence[StoredImportedItem] = (), name: str = "x"
) -> list[int]:
    return imports.add_import(tx, LOCAL_USER, name, given, known, NOON)[1]


def teaching(tx: Transaction) -> list[tuple[int, Kind, str]]:
    return [(entry.story, entry.kind, entry.form) for entry in feedback.effective(tx, LOCAL_USER)]


def test_imported_item_is_learned_and_not_in_the_inbox(stories: Newsroom, database: Database) -> None:
    with database.write() as tx:
        count, last = articles.count(tx, LOCAL_USER), articles.last_seq(tx)
        assert plant(tx, new(stories, "a", "b")) == [4, 5]
        assert teaching(tx) == [(4, SEED, "title"), (5, SEED, "title")]
        assert [entry.probability for entry in feedback.effective(tx, LOCAL_USER)] == [1.0, 1.0]
        assert [each.source for each in features.ingested(tx, LOCAL_USER, [4, 5])] == ["", ""]
        assert articles.count(tx, LOCAL_USER) == count < articles.last_seq(tx) == last + 2
        assert articles.without_features(tx, 10) == []
        assert decisions.unscored(tx, LOCAL_USER, 10) == []
        assert history.tally(tx, LOCAL_USER) == Tally(0, 0, 0, 0, 0, 0, 0, imported=2)
        assert story_query.seqs(tx, StoryQuery(LOCAL_USER, NOON)) == [1, 2]
    stories.poll(stories.entry("next"))
    stories.assess()
    with database.read() as tx:
        assert [each.seq for each in decisions.unscored(tx, LOCAL_USER, 10)] == [6]
    stories.judge((6, 1.0, False))
    with database.read() as tx:
        # The search for what is not judged starts behind the seeds, too.
        assert tx.connection.exec_driver_sql("SELECT decided_to FROM users").scalar_one() == 6


def test_the_same_again_changes_nothing(stories: Newsroom, database: Database) -> None:
    with database.write() as tx:
        assert plant(tx, new(stories, "a", "b"), [StoredImportedItem(3, "text", 1.0)]) == [3, 4, 5]
    with database.write() as tx:
        row = feedback.last_row(tx, LOCAL_USER)
        assert plant(tx, new(stories, "b", "a", "a"), [StoredImportedItem(1, "text", 1.0)]) == []
        assert feedback.last_row(tx, LOCAL_USER) == row
        assert articles.last_seq(tx) == 5
        assert imports.list_imports(tx, LOCAL_USER) == [Import(1, "x", NOON, 3, 3)]
        assert plant(tx, new(stories, "c", "a")) == [6]


def test_known_article_is_liked_unless_it_has_a_verdict(stories: Newsroom, database: Database) -> None:
    with database.write() as tx:
        say(tx, (2, DISLIKE))
        assert plant(
            tx,
            known=[
                StoredImportedItem(1, "text", 1.0),
                StoredImportedItem(2, "text", 1.0),
                StoredImportedItem(3, "text", 1.0),
            ],
        ) == [1]
        assert teaching(tx) == [(2, DISLIKE, ""), (1, SEED, "text")]
        assert story_query.seqs(tx, StoryQuery(LOCAL_USER, NOON)) == []
        assert history.tally(tx, LOCAL_USER) == Tally(0, 0, 0, 1, likes=0, dislikes=1, skips=0, imported=1)
        assert say(tx, (3, LIKE)) == [SEED]
        assert teaching(tx) == [(2, DISLIKE, ""), (1, LIKE, "")]


def test_an_import_is_taken_back_as_a_whole_and_can_come_again(stories: Newsroom, database: Database) -> None:
    with database.write() as tx:
        plant(tx, new(stories, "a", "b", "c"), name="first")
        plant(tx, new(stories, "d"), name="second")
        say(tx, (5, DISLIKE))
        assert imports.list_imports(tx, LOCAL_USER) == [Import(1, "first", NOON, 3, 2), Import(2, "second", NOON, 1, 1)]
        assert feedback.superseded_after(tx, LOCAL_USER, 4) == 2
        last = feedback.last_row(tx, LOCAL_USER)
        assert imports.undo_import(tx, LOCAL_USER, 1, LATER) == 2
        assert feedback.superseded_after(tx, LOCAL_USER, last) == 1
        assert teaching(tx) == [(7, SEED, "title"), (5, DISLIKE, "")]
        assert imports.undo_import(tx, LOCAL_USER, 1, LATER) == 0
        assert imports.undo_import(tx, LOCAL_USER, 9, LATER) is None
        assert plant(tx, new(stories, "a", "b", "d")) == [4]
        assert articles.last_seq(tx) == 7
        assert [each.in_use for each in imports.list_imports(tx, LOCAL_USER)] == [0, 1, 1]


def test_imported_item_that_arrives_later_is_learned_once(stories: Newsroom, database: Database) -> None:
    with database.write() as tx:
        (seed,) = plant(tx, new(stories, "a"))
        assert imports.learned_addresses(tx, LOCAL_USER) == [Address(seed, "https://liked.example/a", "a")]
        say(tx, (2, SKIP))
    stories.poll(stories.entry("z"))
    stories.assess()
    with database.write() as tx:
        assert imports.new_arrivals(tx, LOCAL_USER) == [(5, "https://www.example.org/z")]
        imports.mark_arrived(tx, LOCAL_USER, {5: seed, 2: seed})
    stories.judge((5, 1.0, False))
    with database.write() as tx:
        assert imports.new_arrivals(tx, LOCAL_USER) == []
        assert teaching(tx) == [(seed, SEED, "title"), (2, SKIP, "")]
        assert story_query.seqs(tx, StoryQuery(LOCAL_USER, NOON, Section.LISTED)) == [1]
        assert history.tally(tx, LOCAL_USER).imported == 1
        assert feedback.verdict(tx, LOCAL_USER, 5) == SEED
        # A verdict on it stands beside the seed; an undo of the seed lets it wait again.
        assert say(tx, (5, LIKE)) == [SEED]
        assert teaching(tx) == [(seed, SEED, "title"), (2, SKIP, ""), (5, LIKE, "")]


@pytest.mark.parametrize("taken_back_by", ["story", "item", "import"])
def test_undo_of_an_imported_item_that_arrived(stories: Newsroom, database: Database, taken_back_by: str) -> None:
    with database.write() as tx:
        (seed,) = plant(tx, new(stories, "a"))
        imports.mark_arrived(tx, LOCAL_USER, {1: seed})
        last = feedback.last_row(tx, LOCAL_USER)
        if taken_back_by == "import":
            assert imports.undo_import(tx, LOCAL_USER, 1, NOON) == 1
        else:
            assert say(tx, ({"story": 1, "item": seed}[taken_back_by], UNDO)) == [SEED]
        assert teaching(tx) == []
        assert feedback.superseded_after(tx, LOCAL_USER, last) == 1
        assert story_query.seqs(tx, StoryQuery(LOCAL_USER, NOON, Section.LISTED)) == [1]


def test_a_weakened_item_still_shares_its_row_with_the_story_that_arrived(
    stories: Newsroom, database: Database
) -> None:
    with database.write() as tx:
        (seed,) = plant(tx, new(stories, "a"))
        imports.mark_arrived(tx, LOCAL_USER, {1: seed})
        imports.enter(tx, LOCAL_USER, 1, StoredImportedItem(seed, "title", 0.25), "wind", "weaker", NOON)
        (entry,) = feedback.effective(tx, LOCAL_USER)
        assert (entry.story, entry.interest, entry.weight) == (seed, "wind", 0.25)
        assert imports.list_imports(tx, LOCAL_USER) == [Import(1, "x", NOON, 1, 1)]
        assert story_query.seqs(tx, StoryQuery(LOCAL_USER, NOON, Section.LISTED)) == []
        assert say(tx, (1, UNDO)) == [SEED]
        assert teaching(tx) == []
        assert story_query.seqs(tx, StoryQuery(LOCAL_USER, NOON, Section.LISTED)) == [1]


def test_an_item_that_is_learned_again_marks_the_story_that_arrived_as_seen_again(
    stories: Newsroom, database: Database
) -> None:
    with database.write() as tx:
        seed, other = plant(tx, new(stories, "a", "b"))
        imports.mark_arrived(tx, LOCAL_USER, {1: seed, 2: seed, 3: other})
        say(tx, (2, LIKE), (2, UNDO))  # what the user said of the story itself stays
        item = StoredImportedItem(seed, "title", 0.5)
        for number in range(2):
            say(tx, (seed, UNDO))
            assert feedback.verdicts(tx, LOCAL_USER, [1, 2, 3]) == {3: SEED}
            imports.enter(tx, LOCAL_USER, 1, item, "x", f"again {number}", NOON)
            assert feedback.verdicts(tx, LOCAL_USER, [1, 2, 3]) == {1: SEED, 3: SEED}
        assert teaching(tx) == [(other, SEED, "title"), (seed, SEED, "title")]


def test_imported_items_belong_to_one_user(stories: Newsroom, database: Database) -> None:
    with database.write() as tx:
        other = users.add(tx, "other", 2).id
        plant(tx, new(stories, "a"))
        assert imports.add_import(tx, other, "y", new(stories, "a"), [], NOON) == (2, [5])
        assert [each.seq for each in imports.addresses(tx, LOCAL_USER)] == [1, 2, 3, 4]
        assert [each.seq for each in imports.addresses(tx, other)] == [5]  # follows nothing
        assert imports.undo_import(tx, other, 1, NOON) is None
        assert [each.id for each in imports.list_imports(tx, other)] == [2]
        assert teaching(tx) == [(4, SEED, "title")]
        assert imports.learned_addresses(tx, other)[0].seq == 5


def test_undo_takes_back_the_marks_that_an_import_added(stories: Newsroom, database: Database) -> None:
    with database.write() as tx:
        marks.save(tx, LOCAL_USER, [1], NOON)
        marks.add_label(tx, LOCAL_USER, "mine", [1])
        before = marks.get(tx, LOCAL_USER, [1, 2])
        number = imports.create(tx, LOCAL_USER, "stars", NOON)
        marks.add(tx, LOCAL_USER, [(1, Mark(LATER, False, LATER, ("mine", "new"))), (2, Mark(saved_at=LATER))])
        assert imports.record_marks(tx, LOCAL_USER, number, before, marks.get(tx, LOCAL_USER, [1, 2])) == 2
        assert imports.list_imports(tx, LOCAL_USER) == [Import(number, "stars", NOON, 0, 0, 2)]
        assert imports.undo_import(tx, LOCAL_USER, number, LATER) == 2
        now = marks.get(tx, LOCAL_USER, [1, 2])
        assert (now[1].saved_at, now[1].labels, now[2].saved_at) == (NOON, ("mine",), None)
        assert imports.undo_import(tx, LOCAL_USER, number, LATER) == 0
        assert imports.list_imports(tx, LOCAL_USER) == [Import(number, "stars", NOON, 0, 0)]
