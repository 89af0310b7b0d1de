"""Decisions against verdicts: by hand, and against the figures of ``iscore status``."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iscore.services.insight.agreement import agreement, by_classifier, course, decided_verdicts, trained_since
from iscore.services.insight.status import f05
from iscore.services.views.history import Agreement
from storage.records.users import Kind, Tally
from tests.iscore.services.insight.made_verdicts import START, verdict, verdicts

SAID = st.lists(st.tuples(st.sampled_from("+-0"), st.sampled_from("rehn"), st.integers(0, 5)), max_size=80)


def test_counts_and_rates_are_worked_by_hand() -> None:
    given = verdicts("+++-+--0+", "rrrrehhrn")
    # 3 hits among 4 recommended, 4 liked: precision 3/4, found 3/4; skips and what was never decided do not count.
    assert agreement(given) == Agreement(3, 1, 1, 2, pytest.approx(0.75), 0.75)  # type: ignore[arg-type]
    assert agreement([]) == Agreement(0, 0, 0, 0, None, None)
    assert agreement(verdicts("--", "rh")) == Agreement(0, 1, 0, 1, None, 0.0)


def test_overruled_decisions_do_not_count_for_the_filter() -> None:
    given = [*verdicts("+-", "rr"), verdict(2, "-", "r", overruled=True)]
    assert agreement(given).precision == 0.5


@given(SAID)
def test_the_rates_are_those_of_status(letters: list[tuple[str, str, int]]) -> None:
    sequence = [verdict(n, kind, how, hours=float(when)) for n, (kind, how, when) in enumerate(letters)]
    found = agreement(sequence)
    tally = Tally(
        found.recommended_liked,
        found.recommended_disliked,
        found.hidden_liked,
        found.hidden_disliked,
        *(sum(each.kind is kind for each in sequence) for kind in (Kind.LIKE, Kind.DISLIKE, Kind.SKIP)),
    )
    expected = f05(tally) if tally.true_positives + tally.false_positives else None
    assert found.f05 == (None if expected is None else pytest.approx(expected))
    window, points = course(sequence)
    if window:
        assert points[-1].verdicts == len(decided_verdicts(sequence)) >= 20
        last = agreement(decided_verdicts(sequence)[-window:])
        if last.precision is not None:
            assert (points[-1].f05, points[-1].precision) == (last.f05, last.precision)
        assert [point.at for point in points] == sorted({point.at for point in points})
    else:
        assert len(decided_verdicts(sequence)) < 20
        assert points == ()


def test_the_course_goes_by_decisions_and_over_the_newest_verdicts() -> None:
    # Thirty wrong recommendations, then thirty right ones, told of in reverse.
    given = [verdict(59 - n, "-" if n < 30 else "+", hours=float(n), delay=200.0 - 2 * n) for n in range(60)]
    window, points = course(reversed(given))
    assert window == 30
    assert (points[0].verdicts, points[0].f05, points[0].precision) == (20, None, 0.0)
    middle = next(point for point in points if point.verdicts == 45)
    assert (middle.precision, middle.at) == (0.5, START + timedelta(hours=44))
    assert (points[-1].verdicts, points[-1].f05) == (60, 1.0)
    assert course([verdict(n, "+") for n in range(400)])[0] == 100
    assert len(course([verdict(n, "+") for n in range(1000)])[1]) <= 200


def test_the_classifier_judges_from_five_of_each_on() -> None:
    given = verdicts("+++++0----", "rrrrrrhhhh")
    assert trained_since(given) is None
    assert by_classifier(given, None) == []
    given += verdicts("..........-+-".replace(".", "+"), "n" * 10 + "rrh")[10:]
    warm = trained_since(given)
    assert warm == given[10].at == START + timedelta(hours=12)
    later = [verdict(20, "+", hours=12.0), verdict(21, "-", "h", hours=12.5), verdict(22, "0", hours=13.0)]
    assert by_classifier([*given, *later], warm) == [later[1]]


def test_the_course_begins_with_the_first_verdict_on_what_was_recommended() -> None:
    given = [verdict(n, "+-"[n % 2], "h" if n < 30 else "r", hours=float(n)) for n in range(40)]
    _, points = course(given)
    assert (points[0].verdicts, points[0].precision) == (31, 1.0)
    _, none = course(given[:30])
    assert [point.verdicts for point in none] == [30]
