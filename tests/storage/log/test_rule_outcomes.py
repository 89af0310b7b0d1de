"""What the person's own rules say of stories, as it is read."""

from __future__ import annotations

from storage.log import rule_outcomes
from storage.opening.database import Database
from storage.records.rules import Action, RuleOutcome
from storage.records.users import LOCAL_USER
from tests.storage.conftest import FEED, Newsroom


def test_muted_stories_are_listed(database: Database, newsroom: Newsroom) -> None:
    newsroom.follow(FEED)
    newsroom.poll(*(newsroom.entry(f"a{n}") for n in range(4)))
    newsroom.assess()
    outcomes = [RuleOutcome(1, Action.NEVER, 0.0, ("never x",)), RuleOutcome(3, Action.ALWAYS, 0.0, ("always y",))]
    with database.write() as tx:
        rule_outcomes.put(tx, LOCAL_USER, [1, 2, 3], outcomes)
    with database.read() as tx:
        assert rule_outcomes.muted(tx, LOCAL_USER) == {1}
        assert rule_outcomes.muted(tx, LOCAL_USER + 1) == frozenset()
