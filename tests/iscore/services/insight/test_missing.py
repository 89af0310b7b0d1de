"""What figures lack, and when it will be there."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from iscore.services.insight.history_view import missing
from iscore.services.views.history import Calibration, HistoryView
from tests.iscore.presentation.report.views import NOW, past
from tests.iscore.services.insight.made_verdicts import START, verdict


def reasons(view: HistoryView, said=(), tested=()) -> dict[str, str]:
    return {each.figure: each.words for each in missing(view, list(said), list(tested))}


def test_nothing_is_missing_where_all_is_known() -> None:
    plenty = [verdict(n, "+") for n in range(40)]
    assert reasons(past(), plenty, plenty) == {}


def test_rate_of_verdicts_predicts_when_a_figure_appears() -> None:
    view = replace(past(), course=(), calibration=Calibration((), 0, None))
    given = [verdict(n, "+", hours=24.0 * 18, delay=0.0) for n in range(6)]  # six in the last two days
    found = reasons(view, given, given[:3])
    assert found["course"].endswith("6 so far; at your pace, the rest takes 5 days.")
    assert found["calibration"].endswith("3 so far; at your pace, the rest takes 9 days.")
    old = [verdict(0, "+", hours=0.0, delay=0.0)]
    assert reasons(view, old)["course"].endswith("1 so far.")
    few = [verdict(n, "+", hours=24.0 * 18, delay=0.0) for n in range(4)]
    assert reasons(view, few)["course"].endswith("4 so far.")  # four in two days are no pace
    assert reasons(view)["course"].endswith("0 so far.")
    fast = [verdict(n, "+", hours=24.0 * 19.9, delay=0.0) for n in range(19)]
    assert reasons(view, fast)["course"].endswith("takes a day.")


def test_what_the_classifier_waits_for_is_counted() -> None:
    cold = replace(past(), trained_since=None, likes=4, dislikes=2)
    assert reasons(cold)["threshold"].endswith("needs 1 more like and 3 more dislikes.")
    assert "month" not in reasons(cold)
    unpolled = replace(past(), periods=past().periods[:1])
    assert reasons(unpolled)["threshold"] == "The threshold appears after the next poll with new articles."
    young = past()
    assert young.features is not None
    young = replace(young, features=replace(young.features, before=None))
    given = [verdict(0, "+", hours=0.0, delay=0.0)]
    assert reasons(young, given)["month"] == "The comparison with a month ago starts on 1 April 2026."
    assert timedelta(days=30) > NOW - START
