"""The priority of a feed: everything of it, what would be liked, or the best only."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from iscore.rules.matcher import Matcher
from iscore.rules.rule import WORDS, make_rule
from storage.records.feeds import Priority
from storage.records.rules import Action, RuleInput, RuleSource
from tests.iscore.rules.conftest import Reader


def story(*priorities: Priority) -> RuleInput:
    sources = tuple(RuleSource(1, feed, (f"feed {feed}",), (), each) for feed, each in enumerate(priorities))
    return RuleInput(1, "The harbour", "", "", (), sources)


@given(st.lists(st.sampled_from(Priority), min_size=1, max_size=4))
def test_one_feed_shows_always_and_only_all_feeds_lower_a_story(priorities: list[Priority]) -> None:
    outcome = Matcher([], priorities=True).outcome(story(*priorities))
    if Priority.ALWAYS in priorities:
        assert outcome is not None
        assert outcome.action is Action.ALWAYS
    elif set(priorities) == {Priority.BEST}:
        assert outcome is not None
        assert (outcome.action, outcome.boost) == (Action.BOOST, -WORDS["clearly"])
    else:
        assert outcome is None


def test_a_rule_is_stronger_than_a_priority() -> None:
    never, always = make_rule("never", "word", "harbour"), make_rule("always", "word", "harbour")
    outcome = Matcher([never], priorities=True).outcome(story(Priority.ALWAYS))
    assert outcome is not None
    assert (outcome.action, outcome.rules) == (Action.NEVER, ("word “harbour”",))
    outcome = Matcher([always], priorities=True).outcome(story(Priority.BEST))
    assert outcome is not None
    assert outcome.action is Action.ALWAYS


def test_a_change_of_a_priority_is_seen_at_once_and_goes_again(judged: Reader) -> None:
    news = judged.news
    news.subscriptions.follow()
    before = news.inbox(limit=None)
    (number,) = news.subscriptions.known()

    def wanted(priority: Priority) -> None:
        news.subscriptions.change(number, lambda mine: replace(mine, priority=priority))

    wanted(Priority.ALWAYS)
    items = news.inbox(limit=None).items
    assert len(items) > len(before.items)
    assert {item.rule_outcome for item in items} == {"always, by your rule: everything of this feed"}
    wanted(Priority.BEST)
    best = [item for item in news.inbox(limit=None).items if item.interesting]
    clear = [item for item in before.items if item.interesting and item.score - WORDS["clearly"] >= item.threshold]
    assert {item.id for item in best} == {item.id for item in clear}
    assert len(best) < len([item for item in before.items if item.interesting])
    wanted(Priority.FILTERED)
    assert news.inbox(limit=None) == before
