"""What each key does: on hand-made sessions, and for any sequence of keys."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iscore.cli.review.keys import NAMED, press
from iscore.cli.review.session import (
    Effect,
    Give,
    GivenVerdict,
    Mute,
    Muted,
    Open,
    Page,
    Postpone,
    Quit,
    Refresh,
    Session,
    Unmute,
    start,
)
from storage.records.users import Kind

L, D, S, U = Kind.LIKE, Kind.DISLIKE, Kind.SKIP, Kind.UNDO


def pressed(session: Session, *keys: str) -> tuple[Session, list[Effect]]:
    """Press keys in order and collect the effects."""
    done: list[Effect] = []
    for key in keys:
        session, effects = press(session, key)
        done += effects
    return session, done


@pytest.fixture
def three() -> Session:
    """Three undecided articles."""
    return start("abc", {})


def test_verdict_moves_to_next_article(three: Session) -> None:
    session, done = pressed(three, "l", "d", "s")
    assert done == [Give("a", L), Give("b", D), Give("c", S)]
    assert session.here is None
    assert session.counts() == {L: 1, D: 1, S: 1}
    assert three == start("abc", {})


def test_postponed_article_returns_at_end(three: Session) -> None:
    session, done = pressed(three, "n", "l", "n")
    assert done == [Postpone("a"), Give("b", L), Postpone("c")]
    assert (session.here, session.postponed_count()) == (None, 2)
    session, done = pressed(session, "n", "n", "l")
    assert done == [Postpone("a"), Give("c", L)]
    assert (session.here, session.postponed_count()) == (None, 1)


def test_back_and_new_verdict(three: Session) -> None:
    session, done = pressed(three, "l", "l", "b", "b", "b")
    assert (session.here, session.verdict, session.notice) == ("a", L, "This is the first article.")
    session, done = pressed(session, "d")
    assert (session.here, done) == ("c", [Give("a", D)])
    assert session.counts() == {L: 1, D: 1}


def test_repeated_verdict_is_given_once(three: Session) -> None:
    session, done = pressed(three, "l", "b", "l")
    assert (done, session.here) == ([Give("a", L)], "b")


def test_undo_returns_to_the_article(three: Session) -> None:
    session, done = pressed(three, "l", "d", "u")
    assert done[2:] == [Give("b", U)]
    assert (session.here, session.verdict, session.notice) == ("b", None, "Undid dislike.")
    session, done = pressed(session, "u", "u")
    assert (done, session.here, session.notice) == ([Give("a", U)], "a", "Nothing to undo.")
    assert session.counts() == {}


def test_undo_restores_previous_verdict(three: Session) -> None:
    session, done = pressed(three, "l", "b", "d", "b", "u")
    assert done == [Give("a", L), Give("a", D), Give("a", L)]
    assert (session.verdict, session.notice) == (L, "Undid dislike; the verdict is like.")
    session, done = pressed(session, "u")
    assert (done, session.verdict) == ([Give("a", U)], None)


def test_undo_on_decided_article_is_about_that_article(three: Session) -> None:
    session, done = pressed(three, "l", "d", "b", "b", "u")
    assert done[2:] == [Give("a", U)]
    assert session.verdicts == {"b": D}
    assert session.actions == (GivenVerdict("b", D, None),)


def test_undo_of_verdict_from_before_the_session() -> None:
    session = start("abc", {"a": L})
    assert session.here == "b"
    session, done = pressed(session, "b", "u")
    assert (done, session.here, session.verdict) == ([Give("a", U)], "a", None)


def test_undo_returns_to_article_no_longer_in_session(three: Session) -> None:
    session, _ = pressed(three, "l")
    session = session.restarted(start("bc", {}), "Learned.")
    session, done = pressed(session, "u")
    assert (session.here, session.ids, done) == ("a", ("a", "b", "c"), [Give("a", U)])


def test_session_starts_at_first_undecided() -> None:
    assert start("abc", {"a": L, "b": S}).here == "c"
    assert start("abc", dict.fromkeys("abc", L)).here is None
    assert start("", {}).here is None
    assert start("abca", {}).ids == ("a", "b", "c")


@pytest.mark.parametrize(("key", "page"), [("t", "text"), ("w", "why"), ("a", "story"), ("?", "help"), ("h", "help")])
def test_pages_open_and_close(three: Session, key: str, page: str) -> None:
    session, done = pressed(three, key)
    assert (session.page, done) == (page, [])
    for closing in ("q", "escape", key):
        closed, done = pressed(session, closing)
        assert (closed.page, closed.here, done) == (Page.ARTICLE, "a", [])
    judged, done = pressed(session, "l")
    assert (judged.page, judged.here, done) == (Page.ARTICLE, "b", [Give("a", L)])


def test_pages_scroll_within_bounds(three: Session) -> None:
    session, _ = pressed(three, "t", " ", "j", "down")
    assert session.top == 21
    assert pressed(session, "b", "k", "up")[0].top == 0
    assert pressed(session, "G")[0].clamped(7).top == 7
    assert pressed(session, "g")[0].top == 0
    assert session.clamped(-3).top == 0


def test_digit_opens_a_source_on_the_story_page_only(three: Session) -> None:
    assert pressed(three, "3")[1] == []
    assert pressed(three, "a", "3")[1] == [Open("a", 3)]
    assert pressed(three, "o")[1] == [Open("a")]


def test_mute_asks_what(three: Session) -> None:
    assert pressed(three, "m", "s") == (three, [Mute("a", "source")])
    assert pressed(three, "m", "a") == (three, [Mute("a", "author")])
    assert pressed(three, "m", "l") == (three, [])
    session, done = pressed(three, "m", "w", *"the  Ludget", "backspace", "backspace", "enter")
    assert (done, session) == ([Mute("a", "word", "the Ludg")], three)
    assert pressed(three, "m", "w", *"lll", "escape") == (three, [])
    assert pressed(three, "m", "w", *"lll", "delete line", " ", "enter") == (three, [])
    assert len(pressed(three, "m", "w", *"x" * 1000)[0].typed) == 100


def test_undo_mute(three: Session) -> None:
    session = three.with_action(Muted("a", "source", "Wire")).with_hidden({"a", "b"})
    assert (session.here, session.number, session.total) == ("c", 1, 1)
    session, done = pressed(session, "u")
    assert (done, session.here, session.actions) == ([Unmute("source", "Wire")], "a", ())


def test_hidden_articles_are_skipped(three: Session) -> None:
    session = three.with_hidden({"b"})
    assert session.here == "a"
    session, _ = pressed(session, "l")
    assert (session.here, session.number, session.total) == ("c", 2, 2)
    session, _ = pressed(session, "b")
    assert session.here == "a"
    assert list(session.undecided) == ["c"]


def test_end_of_input_quits(three: Session) -> None:
    assert pressed(three, "m", "w", "end of input")[1] == [Quit()]
    assert pressed(three, "q")[1] == [Quit()]
    assert pressed(three, "L")[1] == [Give("a", L)]
    assert pressed(three, "r")[1] == [Refresh()]


def test_session_asks_for_more_articles_only_at_its_end() -> None:
    session = start("ab", {}, target=5)
    assert (session.missing, session.total) == (0, 5)
    session, _ = pressed(session, "l", "l")
    assert session.missing == 3
    more = session.extended(["b", "c", "d"])
    assert (more.here, more.missing, more.ids) == ("c", 0, ("a", "b", "c", "d"))
    none = session.extended(["a"])
    assert (none.here, none.missing, none.total) == (None, 0, 2)


KEYS = st.lists(st.sampled_from([*"ldsbu" * 4, *"nbutwaom?hrGjk 19zé", *NAMED[:-5], *NAMED[6:]]), max_size=60)


@given(st.integers(0, 6), KEYS, st.sets(st.integers(0, 5)))
def test_any_keys_keep_session_and_log_consistent(count: int, keys: Iterable[str], before: set[int]) -> None:
    """Running the effects gives the verdicts that the session has."""
    ids = [f"id{number}" for number in range(count)]
    log = {each: S for number, each in enumerate(ids) if number in before}
    session = start(ids, dict(log))
    for key in keys:
        after, effects = press(session, key, height=3)
        for effect in effects:
            match effect:
                case Give(article_id, Kind.UNDO):
                    assert log.pop(article_id, None) is not None
                case Give(article_id, kind):
                    assert log.get(article_id) is not kind
                    log[article_id] = kind
                case Postpone(article_id):
                    assert article_id == session.here
                    assert article_id not in log
        assert press(session, key, height=3) == (after, effects)
        session = after
        assert session.verdicts == log
        assert 0 <= session.position <= len(ids)
        assert session.ids == tuple(ids)
        assert session.top >= 0
        assert session.here is not None or session.page in (Page.ARTICLE, Page.HELP)
        given_here = {action.id for action in session.actions if isinstance(action, GivenVerdict)}
        assert sum(session.counts().values()) == sum(each in log for each in given_here)
    undone, effects = pressed(session.at(session.position), *["u"] * (3 * len(session.actions) + count + 1))
    assert not undone.actions
    assert {effect.kind for effect in effects if isinstance(effect, Give)} <= {L, D, S, U}


@given(st.text(max_size=20))
def test_typed_word_is_not_a_command(text: str) -> None:
    typed = [each for each in text if each.isprintable()]
    session, done = pressed(replace(start("ab", {}), page=Page.WORD), *typed)
    assert done == []
    assert session.typed == "".join(typed)
    assert session.here == "a"
