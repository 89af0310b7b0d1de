"""Rules stand above the model in every list, at once, and only as long as they are there."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from iscore.cli.reading.show import assessment
from iscore.core.errors import RuleError, RulesError
from iscore.presentation.wording.explanation import closeness_words
from iscore.presentation.wording.quantities import likelihood
from storage.log import decisions, rule_outcomes
from storage.records.rules import Action
from storage.records.users import LOCAL_USER, Kind
from storage.stories import inbox, story_query
from tests.iscore.rules.conftest import Reader


def test_never_holds_an_article_back_and_removing_the_rule_brings_it_back(judged: Reader) -> None:
    before = judged.news.inbox(limit=None)
    title = before.items[0].title
    rule = judged.news.rules.add("never", "phrase", title, in_title=True)
    assert rule.words == f"never: phrase “{title}” in the title"
    after = judged.news.inbox(limit=None)
    assert title not in {item.title for item in after.items}
    assert (len(after.items), after.waiting, after.hidden) == (
        len(before.items) - 1,
        before.waiting - 1,
        before.hidden + 1,
    )
    (held,) = [item for item in judged.news.inbox(everything=True, limit=None).items if item.title == title]
    assert (held.interesting, held.explore) == (False, False)
    assert held.rule_outcome == f"never, by your rule: phrase “{title}” in the title"
    assert held.id not in {item.id for item in judged.news.current_inbox.most_informative(500)}
    judged.news.rules.remove(1)
    assert judged.news.inbox(limit=None) == before


def test_always_comes_first_and_is_named_everywhere(judged: Reader) -> None:
    everything = judged.news.inbox(everything=True, limit=None).items
    last = [item for item in everything if not item.interesting and not item.explore][-1]
    judged.news.rules.add("always", "phrase", last.title)
    first = judged.news.inbox(limit=1).items[0]
    words = f"always, by your rule: phrase “{last.title}”"
    assert (first.id, first.interesting, first.score, first.rule_outcome) == (last.id, True, last.score, words)
    view = judged.news.why(last.id)
    assert (view.interesting, view.rule_outcome, view.reasons[0], view.boost) == (True, words, words, 0.0)
    assert view.score < view.threshold
    assert (view.article.interesting, view.article.rule_outcome) == (True, words)
    digest = judged.news.digest()
    delivered = [each for section in (digest.recommended, digest.stories, digest.rare) for each in section]
    assert [item.rule_outcome for item in delivered if item.id == last.id] == [words]
    brief = judged.news.current_inbox.reasons([last.id])[last.id]
    full = [reason for reason in view.reasons[1:] if reason.endswith("against it)")]
    assert any(reason.startswith("but ") for reason in brief) or not full


def test_never_is_stronger_than_always_and_both_than_a_boost(judged: Reader) -> None:
    item = judged.news.inbox(limit=1).items[0]
    judged.news.rules.add("always", "phrase", item.title)
    judged.news.rules.add("never", "source", item.source)
    judged.news.rules.add("boost", "phrase", item.title, boost=9.0)
    assert item.id not in judged.ids()
    assert judged.news.show(item.id).rule_outcome == f"never, by your rule: source “{item.source}”"
    judged.news.rules.remove(2)
    judged.news.rules.add("boost", "phrase", item.title, boost=-9.0)
    assert judged.ids()[0] == item.id


def test_a_boost_moves_the_score_and_is_held_against_the_threshold(judged: Reader) -> None:
    items = judged.news.inbox(limit=None).items
    everything = judged.news.inbox(everything=True, limit=None).items
    low = [item for item in everything if item.score > item.threshold - 9.0][-1]
    above = low.threshold - low.score + 0.5
    judged.news.rules.add("boost", "phrase", low.title, boost=above)
    (now,) = [item for item in judged.news.inbox(limit=None).items if item.id == low.id]
    assert (now.score, now.interesting) == (pytest.approx(low.score + above), True)
    assert "boosted by your rule: phrase" in now.rule_outcome
    assert judged.news.why(low.id).boost == now.boost == above
    likely = f"{likelihood(low.score)}, worth a look"
    assert assessment(judged.news.show(low.id)) == f"{likely} · {now.rule_outcome}"
    assert closeness_words(judged.news.why(low.id)).startswith(likely)
    best = items[0]
    judged.news.rules.add("boost", "phrase", best.title, boost=-(best.score - best.threshold) - 0.5)
    assert best.id not in judged.ids()


def test_a_rule_edited_by_hand_is_followed_by_the_next_list(judged: Reader) -> None:
    item = judged.news.inbox(limit=1).items[0]
    judged.path.write_text(f"rules:\n- action: never\n  phrase: {item.title!r}\n  note: mine\n")
    assert item.id not in judged.ids()
    judged.path.unlink()
    assert item.id in judged.ids()


def test_a_mistake_in_the_file_shows_no_list_that_would_not_follow_the_rules(judged: Reader) -> None:
    ids = judged.ids()
    judged.path.write_text("rules:\n- action: never\n  wrd: a\n")
    with pytest.raises(RulesError, match="line 3"):
        judged.news.inbox()
    with pytest.raises(RulesError, match="line 3"):
        judged.news.digest()
    judged.path.write_text("rules: []\n")
    assert judged.ids() == ids


def test_a_poll_with_a_mistake_in_the_rules_loses_nothing(reader: Reader) -> None:
    reader.archive.home.feeds.write_text("feeds:\n- url: https://news.example/feed\n  enabled: false\n")
    reader.path.write_text("rules:\n- never")
    with pytest.raises(RulesError, match="line 2"):
        reader.news.poll()
    reader.path.write_text("rules: []\n")
    assert reader.news.poll().decided == len(reader.archive.leaders())


def test_a_rule_ends_after_its_last_day(judged: Reader) -> None:
    ids = judged.ids()
    item = judged.news.show(ids[0])
    view = judged.news.rules.add("never", "phrase", item.title, until=timedelta(days=1))
    assert view.until == date(2026, 3, 3)
    judged.now += timedelta(days=1)
    assert item.id not in judged.ids()
    judged.now += timedelta(hours=18)  # 00:00 UTC of the day after
    assert (item.id in judged.ids()) is True
    assert not judged.news.rules.list()[0].in_force
    again = judged.news.rules.add("never", "phrase", item.title, until=timedelta(days=30))
    assert (again.number, again.in_force, len(judged.news.rules.list())) == (1, True, 1)
    assert item.id not in judged.ids()


def test_a_verdict_on_what_a_rule_hid_or_showed_is_a_verdict(judged: Reader) -> None:
    everything = judged.news.inbox(everything=True, limit=None).items
    shown, hidden = everything[-1], everything[0]
    judged.news.rules.add("always", "phrase", shown.title)
    judged.news.rules.add("never", "phrase", hidden.title)
    before = judged.news.models.current()
    likes, dislikes = before.likes, before.dislikes
    judged.news.give(Kind.LIKE, [shown.id])
    judged.news.give(Kind.DISLIKE, [hidden.id])
    after = judged.news.models.current()
    assert (after.likes, after.dislikes) == (likes + 1, dislikes + 1)


def test_try_out_shows_effects_and_changes_nothing(judged: Reader) -> None:
    items = judged.news.inbox(limit=None).items
    title = items[0].title
    trial = judged.news.rules.try_out("never", "phrase", title)
    assert (trial.touched, trial.shown, trial.hidden) == (1, 0, 1)
    assert [item.title for item in trial.items] == [title]
    assert not judged.path.exists()
    trial = judged.news.rules.try_out("boost", "word", "the", boost=5.0, limit=3)
    hidden = judged.news.inbox().hidden
    assert trial.stories >= trial.touched > 3 == len(trial.items)
    assert 0 < trial.shown <= hidden
    assert trial.hidden == 0
    judged.news.rules.add("always", "phrase", title)
    assert judged.news.rules.try_out("never", "phrase", title).hidden == 1
    assert judged.news.rules.try_out("boost", "phrase", title, boost=-9.0).hidden == 0
    judged.news.give(Kind.DISLIKE, [items[0].id])
    rated = judged.news.rules.try_out("never", "phrase", title)
    assert (rated.stories, rated.touched, rated.items) == (trial.stories - 1, 0, ())
    with pytest.raises(RuleError, match="is not an action"):
        judged.news.rules.try_out("mute", "word", "a")


def test_a_story_is_always_shown_if_one_of_its_feeds_is_and_muted_if_all_are(reader: Reader, pieces: list[Any]) -> None:
    from storage.records.articles import NewArticle
    from storage.records.feeds import FetchRecord, Subscription
    from storage.stream import feeds

    second = "https://second.example/feed"
    reader.judge()
    story = reader.archive.leaders()[0]
    with reader.archive.database.write() as tx:
        wishes = [Subscription("https://news.example/feed"), Subscription(second, "The Second", ("late", "daily"))]
        feeds.subscribe(tx, LOCAL_USER, wishes)
    reader.news.rules.add("always", "source", "the second")
    reader.news.rules.add("never", "tag", "late")
    assert reader.news.show(story.id).rule_outcome == ""
    entry = NewArticle("k", "https://b.example/1", story.title, "", (), story.text, "en", None, 0, 0, b"x" * 16)
    with reader.archive.database.write() as tx:
        (feed,) = [each.feed for each in feeds.overview(tx, LOCAL_USER) if each.feed.url == second]
        feeds.record(tx, [FetchRecord(feed, (entry,), reader.now)])
    reader.archive.measure()
    reader.ids()
    view = reader.news.show(story.id)
    assert len(view.sources) == 2
    assert view.rule_outcome == "always, by your rule: source “the second”"
    reader.news.rules.add("never", "source", "https://news.example/feed")
    assert reader.news.show(story.id).rule_outcome.startswith("never, by your rules: ")
    reader.news.rules.remove(2)
    assert reader.news.show(story.id).rule_outcome.startswith("always, by your rule: ")


def test_sql_and_python_apply_rules_alike(judged: Reader) -> None:
    from iscore.rules.application import is_listed, with_rules
    from storage.records.rules import RuleOutcome
    from storage.stories.story_query import Section, StoryQuery

    with judged.archive.database.write() as tx:
        since = judged.now - timedelta(days=7)
        seqs = story_query.seqs(tx, StoryQuery(LOCAL_USER, since))
        actions = [None, *Action]
        made = {
            seq: RuleOutcome(seq, action, (place % 7 - 3) / 1.7, ("a", "b"))
            for place, seq in enumerate(seqs)
            if (action := actions[place % 4]) is not None
        }
        rule_outcomes.put(tx, LOCAL_USER, seqs, list(made.values()))
    with judged.archive.database.read() as tx:
        everything = inbox.rows(tx, LOCAL_USER, story_query.seqs(tx, StoryQuery(LOCAL_USER, since)))
        in_sql = set(story_query.seqs(tx, StoryQuery(LOCAL_USER, since, Section.LISTED)))
        below = set(story_query.seqs(tx, StoryQuery(LOCAL_USER, since, Section.BELOW)))
        own = {each[0].seq: each for each in decisions.scores(tx, LOCAL_USER, seqs)}
    assert len(everything) == len(seqs) > 50
    for row in everything:
        outcome = made.get(row.score.seq)
        assert (row.score, row.outcome) == (with_rules(own[row.score.seq][0], outcome), outcome)
    shown = {seq for seq, (standing, explore) in own.items() if is_listed(standing, made.get(seq), explore=explore)}
    assert in_sql == shown
    assert below == set(seqs) - shown
    first = [row.outcome is not None and row.outcome.action is Action.ALWAYS for row in everything]
    assert first == sorted(first, reverse=True)
    rest = [row.score.score for row, always in zip(everything, first, strict=True) if not always]
    assert rest == sorted(rest, reverse=True)


def test_what_came_through_a_feed_that_is_followed_no_longer_is_ruled_like_the_rest(judged: Reader) -> None:
    from storage.stream import feeds

    with judged.archive.database.write() as tx:
        feeds.subscribe(tx, LOCAL_USER, [])
    item = judged.news.inbox(limit=1).items[0]
    judged.news.rules.add("never", "source", "news.example")
    judged.news.rules.add("always", "tag", "science")
    assert judged.news.show(item.id).rule_outcome == "never, by your rule: source “news.example”"


def test_the_whole_inbox_follows_todays_rules(judged: Reader) -> None:
    item = judged.news.inbox(limit=1).items[0]
    judged.now += timedelta(days=10)
    judged.news.rules.add("never", "phrase", item.title)
    assert judged.ids() == []
    (judged.archive.home.path / "config.toml").write_text("inbox_days = 30\n")
    again = type(judged)(judged.archive)
    again.now = judged.now
    assert again.ids()
    assert item.id not in again.ids()
