"""Nothing that is learned knows of the rules: not the model, not the scores, not what deliveries are learned from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from iscore.filtering.ranking.evidence import DeliveryVerdict
from iscore.filtering.serialization import pack
from iscore.services.learning.stored_log import StoredLog
from storage.log import decisions, feedback, history
from storage.records.decisions import Decision, DecisionCounts
from storage.records.rules import Action
from storage.records.users import LOCAL_USER, Kind
from tests.iscore.rules.conftest import Copied, Reader


def counts(reader: Reader) -> DecisionCounts:
    with reader.archive.database.read() as tx:
        return decisions.recent_counts(tx, LOCAL_USER, None)


def deliveries(reader: Reader) -> Sequence[DeliveryVerdict]:
    with reader.archive.database.read() as tx:
        return StoredLog(tx, reader.news.context.user).history()


def actions(reader: Reader, rows: list[Decision]) -> dict[int, Action]:
    from storage.log import rule_outcomes

    with reader.archive.database.read() as tx:
        return {seq: each.action for seq, each in rule_outcomes.get(tx, LOCAL_USER, [row.seq for row in rows]).items()}


def ruled(reader: Reader) -> None:
    """Rules that touch much of the sample news, one of them only after the fact."""
    reader.news.rules.add("never", "word", "the", in_title=True)
    reader.news.rules.add("always", "word", "a")
    reader.news.rules.add("boost", "regex", r"\b[bc]\w+s\b", boost=-4.0)


def test_the_model_after_the_same_verdicts_is_bit_for_bit_the_same(arrived: Reader, tmp_path: Path) -> None:
    plain = Reader(Copied(tmp_path / "plain", arrived.archive.home.path))
    ruled(arrived)
    decided = {}
    for reader in (arrived, plain):
        decided[reader] = reader.judge()
    explored = {row.seq for rows in decided.values() for row in rows if row.explore}
    outcomes = set(actions(arrived, decided[arrived]).values())
    assert outcomes == set(Action)
    for reader, rows in decided.items():
        # Verdicts on what was explored weigh by the chance of its drawing, which is another one.
        answered = [row.seq for row in rows if row.seq not in explored]
        reader.archive.tell([(Kind.LIKE if seq % 3 else Kind.DISLIKE, seq) for seq in answered])
    states = [pack(reader.news.models.current().state()) for reader in (arrived, plain)]
    assert states[0] == states[1]
    assert len(states[0]) > 1000
    arrived.archive.say(Kind.LIKE, decided[arrived][0].seq, name="one more")
    arrived.archive.say(Kind.DISLIKE, decided[arrived][1].seq, name="and another")
    assert pack(arrived.news.models.current().state()) != states[1]
    plain.archive.database.close()


def test_scores_of_new_articles_are_the_filters_own(arrived: Reader, tmp_path: Path) -> None:
    plain = Reader(Copied(tmp_path / "plain", arrived.archive.home.path))
    arrived.path.write_text(
        "rules:\n- {action: never, word: the}\n- {action: always, regex: 'zz|qu'}\n- {action: boost, by: 5, word: to}\n"
    )
    # Ruled from now on; what was judged before is as it was. Which articles are delivered does depend on rules.
    mine, theirs = arrived.judge(), plain.judge()
    assert [(row.score, row.margin, row.vote) for row in mine] == [(row.score, row.margin, row.vote) for row in theirs]
    plain.archive.database.close()


def test_what_a_rule_mutes_is_never_explored_and_counts_nowhere(arrived: Reader) -> None:
    before = counts(arrived)
    arrived.path.write_text("rules:\n- {action: never, regex: '[a-m]'}\n")  # all there is
    rows = arrived.judge()
    assert set(actions(arrived, rows).values()) == {Action.NEVER}
    assert len(actions(arrived, rows)) == len(rows) > 50
    assert sum(row.interesting for row in rows) > 0
    assert not any(row.explore or (not row.interesting and row.probability) for row in rows)
    after = counts(arrived)
    assert after.decided == before.decided + len(rows)
    # What waited before is muted, too; what has a verdict is history, and what was explored was delivered.
    with arrived.archive.database.read() as tx:
        outcomes = [entry.story for entry in feedback.effective(tx, LOCAL_USER)]
        history = decisions.get(tx, LOCAL_USER, outcomes).values()
    assert after.explored == before.explored
    assert after.recommended == sum(row.interesting for row in history) < before.recommended
    assert after.hidden == sum(not row.interesting and not row.explore for row in history) < before.hidden
    assert after.overruled == before.recommended - after.recommended + sum(row.interesting for row in rows)


def test_what_only_a_rule_delivers_counts_nowhere_and_is_not_explored(arrived: Reader) -> None:
    arrived.path.write_text("rules:\n- {action: always, regex: '[a-m]'}\n")
    before = counts(arrived)
    rows = arrived.judge()
    hidden = [row for row in rows if not row.interesting]
    assert hidden
    assert not any(row.explore for row in hidden)
    after = counts(arrived)
    assert after.explored == before.explored
    assert after.recommended == before.recommended + len(rows) - len(hidden)
    with arrived.archive.database.read() as tx:
        tally = history.tally(tx, LOCAL_USER)
    learned = deliveries(arrived)
    arrived.archive.say(Kind.LIKE, hidden[0].seq)
    arrived.archive.say(Kind.DISLIKE, hidden[1].seq)
    with arrived.archive.database.read() as tx:
        tallied = history.tally(tx, LOCAL_USER)
    assert (tallied.likes, tallied.dislikes) == (tally.likes + 1, tally.dislikes + 1)
    assert (tallied.false_negatives, tallied.true_negatives) == (tally.false_negatives, tally.true_negatives)
    assert (tallied.true_positives, tallied.false_positives) == (tally.true_positives, tally.false_positives)
    assert deliveries(arrived) == learned


def test_muted_stories_do_not_count_in_cold_start(reader: Reader, tmp_path: Path) -> None:
    titles = [article.title for article in reader.archive.leaders()]
    other = Copied(tmp_path / "plain", reader.archive.home.path)
    plain = [row.seq for row in Reader(other).judge() if row.explore]
    other.database.close()
    chosen = {article.seq: article.title for article in reader.archive.leaders() if article.seq in plain}
    for title in list(chosen.values())[:3]:
        reader.news.rules.add("never", "phrase", title)
    again = {row.seq for row in reader.judge() if row.explore}
    assert len(again) == len(plain) > 3
    assert not again & set(list(chosen)[:3])
    assert len(titles) > len(plain)


def test_a_mute_leaves_the_best_places_of_a_cold_start_to_others(reader: Reader, tmp_path: Path) -> None:
    plain = Reader(Copied(tmp_path / "plain", reader.archive.home.path))
    first = reader.archive.leaders()[0].seq
    for each in (reader, plain):
        each.archive.say(Kind.LIKE, first)
    best = [row.seq for row in plain.judge() if row.interesting]
    titles = {article.seq: article.title for article in reader.archive.leaders()}
    muted = next(seq for seq in best if seq != first)
    reader.news.rules.add("never", "phrase", titles[muted])
    listed = {row.seq for row in reader.judge() if row.interesting and row.seq != muted}
    assert len(listed) >= len(best) > 3
    plain.archive.database.close()


def test_stories_hidden_by_a_rule_were_not_recommended(judged: Reader) -> None:
    (feed,) = judged.news.subscriptions.statistics()
    best = judged.news.inbox(limit=1).items[0]
    judged.news.rules.add("never", "phrase", best.title)
    assert judged.news.subscriptions.statistics()[0].recommended == feed.recommended - 1 > 0
    assert judged.news.status().recommended == counts(judged).recommended
    assert judged.news.status().decided == counts(judged).decided
