"""Headlines to choose from: stories that wait for a verdict, and the list that was shown last."""

from __future__ import annotations

from storage.log import feedback, rule_outcomes
from storage.opening.database import Database
from storage.records.rules import Action, RuleOutcome
from storage.records.users import LOCAL_USER, Kind, Verdict
from storage.stories import headlines
from tests.storage.conftest import NOON, Newsroom


def test_candidates_wait_for_a_verdict_and_are_not_shown_already(newsroom: Newsroom, database: Database) -> None:
    newsroom.poll(*(newsroom.entry(str(number)) for number in range(7)), newsroom.entry("untitled", title=""))
    newsroom.assess({7: 6})
    newsroom.judge((1, 1.0, False), (2, -1.0, True), (3, -1.0, False), (4, -1.0, False), (5, -1.0, False))
    with database.write() as tx:
        rule_outcomes.put(tx, LOCAL_USER, [4], [RuleOutcome(4, Action.NEVER, 0.0, ("rule",))])
        feedback.append(tx, [Verdict("v", LOCAL_USER, 5, Kind.SKIP, NOON)])

        def listed(limit: int, *, with_inbox: bool = False) -> list[int]:
            found = headlines.candidates(tx, LOCAL_USER, limit, with_inbox=with_inbox)
            return [each.seq for each in found]

        assert listed(10) == [3, 6]
        assert listed(1) == [6]
        assert listed(10, with_inbox=True) == [1, 2, 3, 6]


def test_the_archive_fills_what_is_left(newsroom: Newsroom, database: Database) -> None:
    newsroom.poll(*(newsroom.entry(str(number), archive=number not in (0, 3)) for number in range(5)))
    newsroom.assess()
    with database.read() as tx:
        for limit, with_archive, listed in ((9, False, [1, 4]), (3, True, [1, 4, 5]), (1, True, [4])):
            found = headlines.candidates(tx, LOCAL_USER, limit, with_archive=with_archive)
            assert [each.seq for each in found] == listed


def test_the_list_is_kept_until_another(newsroom: Newsroom, database: Database) -> None:
    with database.write() as tx:
        assert headlines.shown(tx, LOCAL_USER) == []
        headlines.save_shown(tx, LOCAL_USER, ["b", "a"])
        assert headlines.shown(tx, LOCAL_USER) == ["b", "a"]
        headlines.save_shown(tx, LOCAL_USER, [])
        assert headlines.shown(tx, LOCAL_USER) == []
