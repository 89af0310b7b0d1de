from dataclasses import replace
from datetime import timedelta

from storage.log import decisions, feedback, rule_outcomes
from storage.opening.database import Database
from storage.people import users
from storage.records.decisions import CurrentScore, DecisionCounts
from storage.records.feeds import Subscription
from storage.records.rules import Action, RuleOutcome
from storage.records.stories import StoryRow
from storage.records.users import LOCAL_USER, Kind, Verdict
from storage.stories import inbox as stored_inbox
from storage.stories import story_query
from storage.stories.story_query import Section, StoryQuery
from storage.stream import articles, feeds
from tests.storage.conftest import FEED, NOON, Newsroom, decision

DAY = timedelta(days=1)


def verdict(database: Database, seq: int, kind: Kind, user_id: int = LOCAL_USER) -> None:
    with database.write() as tx:
        number = feedback.last_row(tx, user_id)
        feedback.append(tx, [Verdict(f"{user_id}-{number}", user_id, seq, kind, NOON)])


def inbox(
    database: Database, everything: bool = False, limit: int | None = None, user_id: int = LOCAL_USER
) -> list[int]:
    with database.read() as tx:
        section = Section.ALL if everything else Section.LISTED
        seqs = story_query.seqs(tx, StoryQuery(user_id, NOON, section, limit=limit))
        assert [row.article.seq for row in stored_inbox.rows(tx, user_id, seqs)] == seqs
        ids = story_query.ids(tx, StoryQuery(user_id, NOON, section))
        assert ids[: len(seqs)] == [article.id for article in articles.get(tx, seqs)]
        if limit is None:
            assert story_query.count(tx, StoryQuery(user_id, NOON, section)) == len(seqs) == len(ids)
    return seqs


def unjudged(database: Database, limit: int = 99, user_id: int = LOCAL_USER) -> list[int]:
    with database.read() as tx:
        return [each.seq for each in decisions.unscored(tx, user_id, limit)]


def window(*about) -> list[int]:
    return [seq for seq, _ in decisions.window(*about)]


def test_first_decision_never_changes(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(2)
    newsroom.judge((1, 2.5, False))
    newsroom.judge((1, -1.0, True), (2, -0.5, True), at=NOON + DAY)
    with database.read() as tx:
        assert decisions.get(tx, LOCAL_USER, [1, 2, 3]) == {
            1: decision(1, 2.5),
            2: decision(2, -0.5, explore=True, at=NOON + DAY),
        }
        assert decisions.current_score(tx, LOCAL_USER, 1) == CurrentScore(1, 2.5, 0.0, True)
        assert decisions.current_score(tx, LOCAL_USER, 3) is None


def test_undecided_are_leading_articles_with_features_in_order(newsroom: Newsroom, database: Database) -> None:
    newsroom.poll(*(newsroom.entry(str(number)) for number in range(4)))
    newsroom.assess({3: 1})
    newsroom.poll(newsroom.entry("not assessed"))
    assert unjudged(database) == [1, 2, 4]
    assert unjudged(database, limit=2) == [1, 2]
    newsroom.judge((1, 1.0, False), (2, 1.0, False))
    assert unjudged(database) == [4]
    newsroom.judge((4, 1.0, False))
    assert unjudged(database) == []
    newsroom.assess()
    assert unjudged(database) == [5]


def test_decisions_out_of_order_leave_no_gap(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(4)
    newsroom.judge((2, 1.0, False), (4, 1.0, False))
    assert unjudged(database) == [1, 3]
    newsroom.judge((1, 1.0, False))
    assert unjudged(database) == [3]
    newsroom.judge((3, 1.0, False))
    assert unjudged(database) == []


def test_article_ingested_after_later_ones_is_decided(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(3)
    with database.write() as tx:
        tx.connection.exec_driver_sql("UPDATE articles SET story = NULL WHERE seq = 2")
    newsroom.judge((1, 1.0, False), (3, 1.0, False))
    with database.write() as tx:
        tx.connection.exec_driver_sql("UPDATE articles SET story = 2 WHERE seq = 2")
    assert unjudged(database) == [2]


def test_search_for_undecided_starts_after_the_decided(newsroom: Newsroom, database: Database) -> None:
    marks = []
    newsroom.articles(3)
    for seq in (2, 1, 3):
        newsroom.judge((seq, 1.0, False))
        with database.read() as tx:
            marks.append(tx.connection.exec_driver_sql("SELECT decided_to FROM users").scalar())
    assert marks == [0, 2, 3]


def test_the_window_has_scored_stories_seen_or_not(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(1, at=NOON - DAY)
    newsroom.articles(4)
    newsroom.judge(*((seq, seq - 3.0, False) for seq in (1, 2, 3, 4)))
    verdict(database, 3, Kind.SKIP)
    newsroom.articles(1)
    with database.read() as tx:
        assert window(tx, LOCAL_USER, NOON) == [2, 3, 4]
        assert window(tx, LOCAL_USER, NOON - DAY) == [1, 2, 3, 4]
    assert inbox(database, everything=True) == [4, 2]


def test_the_window_tells_what_is_archive(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(2)
    with database.write() as tx:
        tx.connection.exec_driver_sql("UPDATE articles SET archive = true WHERE seq = 2")
        decisions.add(tx, [decision(1, 1.0)], [(LOCAL_USER, 2, 0.0)])
        assert decisions.window(tx, LOCAL_USER, NOON) == [(1, False), (2, True)]


def test_margin_and_vote_are_stored_with_the_decision(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(2)
    with database.write() as tx:
        decisions.add(tx, [replace(decision(1, 1.0), margin=2.5, vote=-0.75), decision(2, 1.0)])
        rows = "SELECT margin, vote FROM decisions ORDER BY seq"
        assert [*map(tuple, tx.connection.exec_driver_sql(rows))] == [(2.5, -0.75), (None, None)]


def test_a_late_delivery_leaves_the_first_decision_as_it_was(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(3)
    newsroom.judge((1, -1.0, False), (2, -2.0, False), (3, -3.0, False))
    with database.write() as tx:
        before = decisions.get(tx, LOCAL_USER, [1, 2, 3])
        explored = replace(decision(2, -0.5, True, at=NOON + DAY), probability=1.0, margin=0.25)
        recommended = replace(decision(3, 0.5, at=NOON + DAY), margin=1.25)
        decisions.add_late(tx, [explored, recommended])
        assert decisions.get(tx, LOCAL_USER, [1, 2, 3]) == before
        assert decisions.late(tx, LOCAL_USER, [1, 2, 3]) == {2: explored, 3: recommended}
        assert decisions.late(tx, LOCAL_USER + 1, [1, 2, 3]) == {}
        # What is delivered once stays so.
        decisions.add_late(tx, [replace(recommended, score=9.0)])
        assert decisions.late(tx, LOCAL_USER, [3]) == {3: recommended}
    assert inbox(database) == [2]  # the score of the other follows with the next rescoring


def test_the_newest_deliveries_are_those_delivered_last_at_first_or_later(
    newsroom: Newsroom, database: Database
) -> None:
    newsroom.articles(5)
    newsroom.judge((1, -1.0, False), (2, 1.0, False))
    newsroom.judge((3, -1.0, True), (4, -1.0, False), (5, 1.0, False), at=NOON + DAY)
    with database.write() as tx:
        assert [each.seq for each in decisions.delivered(tx, LOCAL_USER, 2)] == [3, 5]
        late = replace(decision(1, 0.5), at=NOON + 2 * DAY, margin=0.5)
        decisions.add_late(tx, [late])
        assert [each.seq for each in decisions.delivered(tx, LOCAL_USER, 9)] == [1, 2, 3, 5]
        assert [each.seq for each in decisions.delivered(tx, LOCAL_USER, 2)] == [1, 5]
        outcomes = [RuleOutcome(4, Action.ALWAYS, 0.0, ("a rule",)), RuleOutcome(5, Action.NEVER, 0.0, ("a rule",))]
        rule_outcomes.put(tx, LOCAL_USER, [4, 5], outcomes)
        assert [each.seq for each in decisions.delivered(tx, LOCAL_USER, 3)] == [1, 3, 4]


def test_the_inbox_is_what_passes_or_is_explored_best_first(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(1, at=NOON - DAY)
    newsroom.articles(6)
    scores = [(1, 9.0, False), (2, 1.0, False), (3, -1.0, False), (4, 3.0, False), (5, -2.0, True), (6, 1.0, False)]
    newsroom.judge(*scores)
    assert inbox(database) == [4, 6, 2, 5]
    assert inbox(database, everything=True) == [4, 6, 2, 3, 5]
    assert inbox(database, limit=2) == [4, 6]


def test_what_has_a_verdict_leaves_the_inbox_and_comes_back_undone(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(3)
    newsroom.judge((1, 1.0, False), (2, 2.0, False), (3, 3.0, False))
    verdict(database, 2, Kind.LIKE)
    verdict(database, 3, Kind.SKIP)
    assert inbox(database) == [1]
    verdict(database, 2, Kind.UNDO)
    assert inbox(database) == [2, 1]


def test_a_verdict_on_any_member_is_one_on_the_story(newsroom: Newsroom, database: Database) -> None:
    newsroom.poll(newsroom.entry("one"), newsroom.entry("two"))
    newsroom.assess({2: 1})
    newsroom.judge((1, 1.0, False))
    assert inbox(database) == [1]
    verdict(database, 2, Kind.LIKE)
    assert inbox(database) == []


def test_a_newer_model_reorders_the_inbox_and_leaves_the_decisions(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(4)
    newsroom.judge((1, 1.0, False), (2, 2.0, False), (3, -1.0, False))
    with database.write() as tx:
        before = decisions.get(tx, LOCAL_USER, [1, 2, 3])
        newer = [CurrentScore(1, -4.0, 1.0, False), CurrentScore(3, 5.0, 1.0, True), CurrentScore(4, 9.0, 1.0, True)]
        decisions.rescore(tx, LOCAL_USER, newer)
        assert decisions.get(tx, LOCAL_USER, [1, 2, 3]) == before
        assert decisions.current_score(tx, LOCAL_USER, 1) == newer[0]
    assert inbox(database) == [3, 2]


def test_an_interest_may_have_any_name(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(2)
    newsroom.judge((1, 1.0, False), (2, 2.0, False))
    newer = [CurrentScore(1, 1 / 3, -1e-300, True, False, r"""a "b", {c\} 'd' %s"""), CurrentScore(2, 2.0, 1.0, True)]
    with database.write() as tx:
        decisions.rescore(tx, LOCAL_USER, [])
        decisions.rescore(tx, LOCAL_USER, newer)
        assert [decisions.current_score(tx, LOCAL_USER, seq) for seq in (1, 2)] == newer


def test_scores_that_are_as_they_were_are_not_written(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(2)
    newsroom.judge((1, 1.0, False), (2, 2.0, False))
    before = database.version()
    with database.write(LOCAL_USER) as tx:
        decisions.rescore(tx, LOCAL_USER, [CurrentScore(1, 1.0, 0.0, True), CurrentScore(2, 2.0, 0.0, True)])
    with database.read() as tx:
        assert decisions.current_score(tx, LOCAL_USER, 2) == CurrentScore(2, 2.0, 0.0, True)
    assert database.version() == before


def test_explored_article_stays_in_the_inbox_when_its_score_falls(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(1)
    newsroom.judge((1, -1.0, True))
    with database.write() as tx:
        decisions.rescore(tx, LOCAL_USER, [CurrentScore(1, -9.0, 0.0, False)])
    assert inbox(database) == [1]


def test_a_row_of_the_inbox_has_summary_and_all_sources(newsroom: Newsroom, database: Database) -> None:
    newsroom.follow(FEED, "https://b.org/")
    newsroom.poll(newsroom.entry("one", text="ö" * 1000))
    with database.write() as tx:
        articles.store(tx, 2, "https://b.org/", [newsroom.entry("two")], NOON)
    newsroom.assess({2: 1})
    newsroom.judge((1, -1.5, True))
    with database.read() as tx:
        rows = stored_inbox.rows(tx, LOCAL_USER, story_query.seqs(tx, StoryQuery(LOCAL_USER, NOON, Section.LISTED)))
        article = articles.get(tx, [1])[0]
    short = replace(article, text="ö" * 600)
    assert [replace(row, sources=()) for row in rows] == [StoryRow(short, CurrentScore(1, -1.5, 0.0, False), True, ())]
    assert [each.source for each in rows[0].sources] == ["Example", "b.org"]


def test_rows_are_given_in_the_order_asked_for_seen_or_not(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(3)
    newsroom.judge((1, 1.0, False), (2, 2.0, False))
    verdict(database, 1, Kind.LIKE)
    with database.read() as tx:
        found = stored_inbox.rows(tx, LOCAL_USER, [1, 3, 2])
        assert [row.score for row in found] == [CurrentScore(1, 1.0, 0.0, True), CurrentScore(2, 2.0, 0.0, True)]
        assert [row.article.seq for row in found[1:]] == story_query.seqs(
            tx, StoryQuery(LOCAL_USER, NOON, Section.LISTED)
        )


def test_recent_decisions_are_counted_by_kind(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(8)
    newsroom.judge((1, 1.0, False), (2, -1.0, True), at=NOON - DAY)
    newsroom.judge((3, 1.0, False), (4, 1.0, False), (5, -1.0, True), (6, -1.0, False))
    newsroom.judge((7, -1.0, True), (8, 1.0, True), at=NOON + DAY)
    with database.read() as tx:
        assert decisions.recent_counts(tx, LOCAL_USER, NOON) == DecisionCounts(3, 2, 1, 0, 0, NOON + DAY)
        assert decisions.recent_counts(tx, LOCAL_USER, None) == DecisionCounts(4, 3, 1, 0, 0, NOON + DAY)
        assert decisions.recent_counts(tx, LOCAL_USER, NOON + 2 * DAY) == DecisionCounts(0, 0, 0, 0, 0, None)


def test_people_do_not_see_each_others_rows(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(2)
    with database.write() as tx:
        other = users.add(tx, "other", 0).id
        feeds.subscribe(tx, other, [Subscription(FEED)])
    newsroom.judge((1, 1.0, False), (2, 1.0, False))
    assert unjudged(database, user_id=other) == [1, 2]
    newsroom.judge((1, 3.0, False), user_id=other)
    verdict(database, 1, Kind.LIKE)
    assert inbox(database) == [2]
    assert inbox(database, user_id=other) == [1]
    assert unjudged(database, user_id=other) == [2]
    with database.write() as tx:
        decisions.rescore(tx, other, [CurrentScore(1, -7.0, 0.0, False)])
        assert decisions.current_score(tx, LOCAL_USER, 1) == CurrentScore(1, 1.0, 0.0, True)
        assert set(decisions.get(tx, other, [1, 2])) == {1}
        assert window(tx, other, NOON) == [1]
        assert decisions.recent_counts(tx, other, NOON) == DecisionCounts(1, 0, 0, 0, 0, None)


def test_arrival_decides_what_is_recent_even_when_the_clock_was_set_back(
    newsroom: Newsroom, database: Database
) -> None:
    newsroom.articles(1)
    newsroom.articles(1, at=NOON - DAY)
    newsroom.judge((1, 1.0, False), (2, 2.0, False))
    assert inbox(database) == [1]
    with database.read() as tx:
        assert window(tx, LOCAL_USER, NOON) == [1]
