"""The Google Reader API: what apps mark."""

from __future__ import annotations

from datetime import timedelta

from iscore.web.api.google_reader_names import item_id, long_id
from storage.log import feedback, reading_events
from storage.records.users import LOCAL_USER, AppOption, Kind, Verdict
from tests.iscore.web.api.conftest import (
    BEST,
    EXPLORED,
    HIDDEN,
    NOW,
    OLD,
    READ,
    READING_LIST,
    STARRED,
    ClientApp,
    categories,
    choose,
    rows_of_the_log,
    verdict,
)
from tests.iscore.web.in_process import Site


def test_newsboat_sends_two_a_in_one_edit(anna: ClientApp) -> None:
    anna.edit(("i", long_id(BEST)), ("a", "state/com.google/read"), ("r", "state/com.google/kept-unread"))
    assert anna.unread() == [EXPLORED]
    kept = (("a", "state/com.google/kept-unread"), ("a", "state/com.google/tracking-kept-unread"))
    anna.edit(("i", long_id(BEST)), ("r", "state/com.google/read"), *kept, ("ac", "edit"))
    assert anna.unread() == [EXPLORED, BEST]


def test_streams_are_taken_away_one_by_one(anna: ClientApp) -> None:
    anna.edit(("i", item_id(BEST)), ("a", "state/com.google/starred"), ("a", "label/To do"))
    assert anna.numbers(STARRED) == anna.numbers("user/-/label/To do") == [BEST]
    assert anna.numbers(READING_LIST, ("xt", READ), ("xt", STARRED)) == [EXPLORED]
    assert anna.numbers(READING_LIST, ("xt", READ), ("xt", "user/-/label/iScore/maybe")) == [BEST]


def test_preferences_are_empty_lists(anna: ClientApp) -> None:
    assert anna.json("preference/list") == {"prefs": []}
    assert anna.json("preference/stream/list") == {"streamprefs": {}}


def test_what_is_marked_as_unread_is_unread_whatever_its_score_and_age(anna: ClientApp) -> None:
    anna.edit(("i", item_id(HIDDEN)), ("i", item_id(OLD)), ("r", "state/com.google/read"))
    assert anna.unread() == [HIDDEN, EXPLORED, BEST, OLD]


def test_liferea_and_others_call_the_edit_by_other_names(anna: ClientApp) -> None:
    given = (("i", long_id(BEST)), ("s", "feed/2"), ("a", READ), ("ac", "edit-tags"), ("async", "true"), ("T", ""))
    assert anna.post("edit-tag", *given).body == "OK"
    assert anna.unread() == [EXPLORED]


def test_a_star_saves_and_likes_once_and_leaves_the_story_unread(running: Site, anna: ClientApp) -> None:
    for _ in range(2):
        anna.edit(("i", item_id(BEST)), ("a", "state/com.google/starred"))
    assert verdict(running, BEST) is Kind.LIKE
    assert rows_of_the_log(running) == 1
    assert anna.numbers(STARRED) == anna.numbers("user/-/label/like") == [BEST]
    assert {STARRED, "user/-/label/like"} <= {*categories(anna, BEST)}
    assert BEST in anna.unread()


def test_removing_a_star_soon_undoes_its_like_and_later_only_where_that_was_chosen(
    running: Site, anna: ClientApp
) -> None:
    starred = ("a", "state/com.google/starred"), ("r", "state/com.google/starred")
    anna.edit(("i", item_id(BEST)), starred[0])
    running.clock.now += timedelta(minutes=9)
    anna.edit(("i", item_id(BEST)), starred[1])
    assert (verdict(running, BEST), anna.numbers(STARRED)) == (None, [])
    anna.edit(("i", item_id(BEST)), starred[0])
    running.clock.now += timedelta(minutes=11)
    anna.edit(("i", item_id(BEST)), starred[1])
    assert (verdict(running, BEST), anna.numbers(STARRED)) == (Kind.LIKE, [])
    choose(running, AppOption.UNSTAR_UNDOES)
    anna.edit(("i", item_id(BEST)), starred[1])
    assert verdict(running, BEST) is None


def test_removing_a_star_keeps_a_like_that_was_given_elsewhere(running: Site, anna: ClientApp) -> None:
    choose(running, AppOption.UNSTAR_UNDOES)
    with running.context.users.entry(LOCAL_USER).news.database.write() as tx:
        feedback.append(tx, [Verdict("on-a-page", LOCAL_USER, BEST, Kind.LIKE, NOW)])
    anna.edit(("i", item_id(BEST)), ("a", "state/com.google/starred"))
    anna.edit(("i", item_id(BEST)), ("r", "state/com.google/starred"))
    assert verdict(running, BEST) is Kind.LIKE


def test_a_star_only_saves_where_that_was_chosen(running: Site, anna: ClientApp) -> None:
    choose(running, AppOption.STAR_ONLY_SAVES)
    anna.edit(("i", item_id(BEST)), ("a", "state/com.google/starred"))
    assert (verdict(running, BEST), anna.numbers(STARRED)) == (None, [BEST])


def test_labels_like_and_dislike_are_verdicts_and_removing_them_undoes_exactly_those(
    running: Site, anna: ClientApp
) -> None:
    anna.edit(("i", item_id(BEST)), ("a", "label/like"))
    assert verdict(running, BEST) is Kind.LIKE
    anna.edit(("i", item_id(BEST)), ("r", "label/iScore/dislike"))
    assert verdict(running, BEST) is Kind.LIKE
    anna.edit(("i", item_id(BEST)), ("a", "label/iScore/dislike"))
    assert verdict(running, BEST) is Kind.DISLIKE
    anna.edit(("i", item_id(BEST)), ("r", "label/iscore/DISLIKE"))
    assert verdict(running, BEST) is None
    anna.edit(("i", item_id(BEST)), ("a", "label/iScore/best"))  # only the filter says that


def test_sharing_is_a_dislike_only_where_that_was_chosen(running: Site, anna: ClientApp) -> None:
    anna.edit(("i", item_id(BEST)), ("a", "state/com.google/broadcast"))
    assert verdict(running, BEST) is None
    choose(running, AppOption.BROADCAST_DISLIKES)
    anna.edit(("i", item_id(BEST)), ("a", "state/com.google/broadcast"))
    assert verdict(running, BEST) is Kind.DISLIKE
    assert anna.numbers("user/-/state/com.google/broadcast") == [BEST]


def test_reading_is_recorded_only_where_it_was_chosen_and_not_for_many_at_once(running: Site, anna: ClientApp) -> None:
    database = running.context.users.entry(LOCAL_USER).news.database
    with database.write() as tx:
        reading_events.switch(tx, LOCAL_USER, on=True)
    read = ("a", "state/com.google/read")
    anna.edit(("i", item_id(BEST)), read)
    choose(running, AppOption.LEARN_READING)
    anna.edit(("i", item_id(HIDDEN)), ("i", item_id(OLD)), read)
    anna.edit(("i", item_id(EXPLORED)), read)
    with database.read() as tx:
        assert [each.story for each in reading_events.newest(tx, LOCAL_USER, 10)] == [EXPLORED]


def test_own_labels_are_given_listed_renamed_and_removed(anna: ClientApp) -> None:
    anna.edit(("i", item_id(BEST)), ("a", "label/To do"))
    assert anna.numbers("user/-/label/to do") == [BEST]
    assert {"id": "user/-/label/To do", "type": "tag"} in anna.json("tag/list", ("output", "json"))["tags"]
    assert anna.post("rename-tag", ("s", "user/-/label/To do"), ("dest", "user/-/label/Later")).body == "OK"
    assert anna.numbers("user/-/label/Later") == [BEST]
    anna.edit(("i", item_id(BEST)), ("r", "label/later"))
    assert anna.numbers("user/-/label/Later") == []
    anna.edit(("i", item_id(BEST)), ("a", "label/Later"))
    assert anna.post("disable-tag", ("s", "user/-/label/Later")).body == "OK"
    for unknown in ("user/-/label/Later", "user/-/label/like", STARRED, ""):
        assert anna.post("disable-tag", ("s", unknown)).status == 400
    assert anna.post("edit-tag", ("i", item_id(BEST)), ("a", f"user/-/label/{'x' * 99}")).status == 400


def test_mark_all_as_read_goes_by_stream_and_time_in_any_unit(running: Site, anna: ClientApp) -> None:
    newest = NOW - timedelta(days=2)
    for unit in (1, 10**3, 10**6, 10**9):
        given = ("s", READING_LIST), ("ts", int(newest.timestamp()) * unit)
        assert anna.post("mark-all-as-read", *given).body == "OK"
        assert anna.unread() == [EXPLORED]
        running.context.users.entry(LOCAL_USER).news.reader.undo_mark_all_read()
        assert anna.unread() == [EXPLORED, BEST]
    assert anna.post("mark-all-as-read", ("s", "user/-/label/Arts & more")).body == "OK"
    assert anna.unread() == []
    assert anna.post("mark-all-as-read", ("s", "nonsense")).status == 400


def test_unread_counts_are_those_of_the_lists(anna: ClientApp) -> None:
    counts = anna.json("unread-count", ("output", "json"))
    assert counts["max"] == 2
    found = {each["id"]: each["count"] for each in counts["unreadcounts"]}
    assert found == {"feed/2": 2, "user/-/label/Arts & more": 2, READING_LIST: 2}
    newest = NOW - timedelta(days=1.5)
    assert counts["unreadcounts"][0]["newestItemTimestampUsec"] == f"{int(newest.timestamp())}000000"
