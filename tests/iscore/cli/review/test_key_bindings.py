"""What each key does, on sessions made by hand and on any row of keys."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iscore.cli.review.effects import Effect, Give, Mute, Open, PutOff, Quit, Refresh, Unmute
from iscore.cli.review.key_bindings import NAMED, step
from iscore.cli.review.session import Muted, Page, Said, Session, begun
from storage.records import Kind

L, D, S, U = Kind.LIKE, Kind.DISLIKE, Kind.SKIP, Kind.UNDO


def pressed(session: Session, *keys: str) -> tuple[Session, list[Effect]]:
    """Press keys one after the other, everything succeeding."""
    done: list[Effect] = []
    for key in keys:
        session, effects = step(session, key)
        done += effects
    return session, done


@pytest.fixture
def three() -> Session:
    """Three articles, nothing said."""
    return begun("abc", {})


def test_a_verdict_is_given_and_the_next_article_comes(three: Session) -> None:
    session, done = pressed(three, "l", "d", "s")
    assert done == [Give("a", L), Give("b", D), Give("c", S)]
    assert session.here is None
    assert session.tally() == {L: 1, D: 1, S: 1}
    assert three == begun("abc", {})


def test_an_article_is_left_for_later_and_comes_again_at_the_end(three: Session) -> None:
    session, done = pressed(three, "n", "l", "n")
    assert done == [PutOff("a"), Give("b", L), PutOff("c")]
    assert (session.here, session.passed()) == (None, 2)
    session, done = pressed(session, "n", "n", "l")
    assert done == [PutOff("a"), Give("c", L)]
    assert (session.here, session.passed()) == (None, 1)


def test_back_leads_to_what_was_judged_and_a_new_verdict_on_from_where_one_was(three: Session) -> None:
    session, done = pressed(three, "l", "l", "b", "b", "b")
    assert (session.here, session.verdict, session.notice) == ("a", L, "This is the first.")
    session, done = pressed(session, "d")
    assert (session.here, done) == ("c", [Give("a", D)])
    assert session.tally() == {L: 1, D: 1}


def test_the_same_verdict_again_is_given_once(three: Session) -> None:
    session, done = pressed(three, "l", "b", "l")
    assert (done, session.here) == ([Give("a", L)], "b")


def test_undo_takes_back_the_last_verdict_and_returns_to_its_article(three: Session) -> None:
    session, done = pressed(three, "l", "d", "u")
    assert done[2:] == [Give("b", U)]
    assert (session.here, session.verdict, session.notice) == ("b", None, "Took back: dislike.")
    session, done = pressed(session, "u", "u")
    assert (done, session.here, session.notice) == ([Give("a", U)], "a", "There is nothing to take back.")
    assert session.tally() == {}


def test_undo_restores_what_was_said_before(three: Session) -> None:
    session, done = pressed(three, "l", "b", "d", "b", "u")
    assert done == [Give("a", L), Give("a", D), Give("a", L)]
    assert (session.verdict, session.notice) == (L, "Took back: dislike; it is like.")
    session, done = pressed(session, "u")
    assert (done, session.verdict) == ([Give("a", U)], None)


def test_undo_on_a_judged_article_is_about_that_article(three: Session) -> None:
    session, done = pressed(three, "l", "d", "b", "b", "u")
    assert done[2:] == [Give("a", U)]
    assert session.said == {"b": D}
    assert session.deeds == (Said("b", D, None),)


def test_undo_of_what_was_said_before_the_session() -> None:
    session = begun("abc", {"a": L})
    assert session.here == "b"
    session, done = pressed(session, "b", "u")
    assert (done, session.here, session.verdict) == ([Give("a", U)], "a", None)


def test_undo_leads_back_to_an_article_that_is_no_longer_in_the_session(three: Session) -> None:
    session, _ = pressed(three, "l")
    session = session.anew(begun("bc", {}), "Learned.")
    session, done = pressed(session, "u")
    assert (session.here, session.ids, done) == ("a", ("a", "b", "c"), [Give("a", U)])


def test_a_session_begins_at_the_first_without_a_verdict() -> None:
    assert begun("abc", {"a": L, "b": S}).here == "c"
    assert begun("abc", dict.fromkeys("abc", L)).here is None
    assert begun("", {}).here is None
    assert begun("abca", {}).ids == ("a", "b", "c")


@pytest.mark.parametrize(("key", "page"), [("t", "text"), ("w", "why"), ("a", "story"), ("?", "help"), ("h", "help")])
def test_pages_open_and_close(three: Session, key: str, page: str) -> None:
    session, done = pressed(three, key)
    assert (session.page, done) == (page, [])
    for closing in ("q", "escape", key):
        closed, done = pressed(session, closing)
        assert (closed.page, closed.here, done) == (Page.ARTICLE, "a", [])
    judged, done = pressed(session, "l")
    assert (judged.page, judged.here, done) == (Page.ARTICLE, "b", [Give("a", L)])


def test_pages_turn_and_know_their_ends(three: Session) -> None:
    session, _ = pressed(three, "t", " ", "j", "down")
    assert session.top == 21
    assert pressed(session, "b", "k", "up")[0].top == 0
    assert pressed(session, "G")[0].clamped(7).top == 7
    assert pressed(session, "g")[0].top == 0
    assert session.clamped(-3).top == 0


def test_a_digit_opens_one_of_the_sources_and_only_there(three: Session) -> None:
    assert pressed(three, "3")[1] == []
    assert pressed(three, "a", "3")[1] == [Open("a", 3)]
    assert pressed(three, "o")[1] == [Open("a")]


def test_muting_asks_what(three: Session) -> None:
    assert pressed(three, "m", "s") == (three, [Mute("a", "source")])
    assert pressed(three, "m", "a") == (three, [Mute("a", "author")])
    assert pressed(three, "m", "l") == (three, [])
    session, done = pressed(three, "m", "w", *"the  Ludget", "backspace", "backspace", "enter")
    assert (done, session) == ([Mute("a", "word", "the Ludg")], three)
    assert pressed(three, "m", "w", *"lll", "escape") == (three, [])
    assert pressed(three, "m", "w", *"lll", "delete line", " ", "enter") == (three, [])
    assert len(pressed(three, "m", "w", *"x" * 1000)[0].typed) == 100


def test_a_mute_is_taken_back_like_a_verdict(three: Session) -> None:
    session = three.doing(Muted("a", "source", "Wire")).hiding({"a", "b"})
    assert (session.here, session.number, session.total) == ("c", 1, 1)
    session, done = pressed(session, "u")
    assert (done, session.here, session.deeds) == ([Unmute("source", "Wire")], "a", ())


def test_what_is_hidden_is_passed_by(three: Session) -> None:
    session = three.hiding({"b"})
    assert session.here == "a"
    session, _ = pressed(session, "l")
    assert (session.here, session.number, session.total) == ("c", 2, 2)
    session, _ = pressed(session, "b")
    assert session.here == "a"
    assert list(session.waiting) == ["c"]


def test_the_end_of_the_keyboard_ends(three: Session) -> None:
    assert pressed(three, "m", "w", "end of input")[1] == [Quit()]
    assert pressed(three, "q")[1] == [Quit()]
    assert pressed(three, "L")[1] == [Give("a", L)]
    assert pressed(three, "r")[1] == [Refresh()]


def test_a_session_that_wants_more_lacks_them_at_its_end_only() -> None:
    session = begun("ab", {}, wanted=5)
    assert (session.lacks, session.total) == (0, 5)
    session, _ = pressed(session, "l", "l")
    assert session.lacks == 3
    more = session.extended(["b", "c", "d"])
    assert (more.here, more.lacks, more.ids) == ("c", 0, ("a", "b", "c", "d"))
    none = session.extended(["a"])
    assert (none.here, none.lacks, none.total) == (None, 0, 2)


KEYS = st.lists(st.sampled_from([*"ldsbu" * 4, *"nbutwaom?hrGjk 19zé", *NAMED[:-5], *NAMED[6:]]), max_size=60)


@given(st.integers(0, 6), KEYS, st.sets(st.integers(0, 5)))
def test_any_row_of_keys_leaves_session_and_log_in_step(count: int, keys: Iterable[str], before: set[int]) -> None:
    """The log that effects write, read as the database would read it, is what the session believes."""
    ids = [f"id{number}" for number in range(count)]
    log = {each: S for number, each in enumerate(ids) if number in before}
    session = begun(ids, dict(log))
    for key in keys:
        after, effects = step(session, key, height=3)
        for effect in effects:
            match effect:
                case Give(article_id, Kind.UNDO):
                    assert log.pop(article_id, None) is not None
                case Give(article_id, kind):
                    assert log.get(article_id) is not kind
                    log[article_id] = kind
                case PutOff(article_id):
                    assert article_id == session.here
                    assert article_id not in log
        assert step(session, key, height=3) == (after, effects)
        session = after
        assert session.said == log
        assert 0 <= session.place <= len(ids)
        assert session.ids == tuple(ids)
        assert session.top >= 0
        assert session.here is not None or session.page in (Page.ARTICLE, Page.HELP)
        given_here = {deed.id for deed in session.deeds if isinstance(deed, Said)}
        assert sum(session.tally().values()) == sum(each in log for each in given_here)
    undone, effects = pressed(session.at(session.place), *["u"] * (3 * len(session.deeds) + count + 1))
    assert not undone.deeds
    assert {effect.kind for effect in effects if isinstance(effect, Give)} <= {L, D, S, U}


@given(st.text(max_size=20))
def test_what_is_typed_as_a_word_is_no_command(text: str) -> None:
    typed = [each for each in text if each.isprintable()]
    session, done = pressed(replace(begun("ab", {}), page=Page.WORD), *typed)
    assert done == []
    assert session.typed == "".join(typed)
    assert session.here == "a"
