"""One's own history replayed: the verdicts of the log, with the features and tags of their day."""

from __future__ import annotations

from pathlib import Path

import pytest

from iscore.core.errors import ReplayError
from iscore.evaluation.replay.own_history import own_history, replay_own_history
from iscore.filtering.model import ReaderModel
from iscore.filtering.paper import AdaptiveThreshold, PaperFilter
from iscore.learners import LEARNERS
from iscore.services.learning.article_features import analysed_article
from iscore.services.learning.log_replay import weight_of
from iscore.services.news_filter import NewsFilter
from storage.log import decisions, feedback
from storage.opening.database import Database
from storage.people import users
from storage.records.articles import StoredBasis
from storage.records.decisions import Decision
from storage.records.users import LOCAL_USER, Kind
from storage.stream import features

FAST = "subset-naive-bayes"


@pytest.fixture
def read(filled) -> list[int]:
    """Verdicts on forty articles, in another order than that of their arrival; one of them was explored."""
    seqs = [article.seq for article in filled.leaders()][:40]
    with filled.database.write() as tx:
        decided = [
            Decision(
                user_id=LOCAL_USER,
                seq=seq,
                score=0.0,
                threshold=0.0,
                interesting=seq != seqs[3],
                explore=seq == seqs[3],
                probability=0.4 if seq == seqs[3] else 1.0,
                at=filled.leaders()[0].arrived,
            )
            for seq in seqs
        ]
        decisions.add(tx, decided)
    filled.tell([(Kind.DISLIKE if number % 3 else Kind.LIKE, seq) for number, seq in enumerate(reversed(seqs))])
    filled.say(Kind.SKIP, seqs[5])
    filled.say(Kind.UNDO, seqs[6])
    return seqs


def everything(database: Database) -> list[str]:
    with database.read() as tx:
        return list(tx.connection.connection.iterdump())  # type: ignore[attr-defined]


def test_every_verdict_is_judged_before_it_is_learned_and_nothing_changes(
    filled, read: list[int], tmp_path: Path
) -> None:
    before = everything(filled.database)
    with NewsFilter.open(filled.home.path) as news:
        result = replay_own_history(news, classifiers=[FAST, "v-pa"], report=tmp_path / "report")
        names = news.extractors.article_feature_names
        extractors = news.extractors.for_reader()
    assert [(each.stream, each.reader, each.classifier) for each in result.results] == [
        ("own history", "you", FAST),
        ("own history", "you", "v-pa"),
    ]
    judged = [seq for seq in read if seq not in (read[5], read[6])]
    assert result.results[0].n == len(judged) == 38
    # Once more by hand: in order of arrival, whatever the order of the log.
    model = PaperFilter(ReaderModel(names, extractors, LEARNERS[FAST]()), AdaptiveThreshold())
    with filled.database.read() as tx:
        arrived = features.ingested(tx, LOCAL_USER, judged)
    hits = delivered = liked = 0
    for article in arrived:
        like = (len(read) - 1 - read.index(article.seq)) % 3 == 0
        frozen = analysed_article(article, names)
        interesting = model.decide(frozen).interesting
        hits += interesting and like
        delivered += interesting
        liked += like
        model.learn(frozen, like, weight=weight_of(0.4) if article.seq == read[3] else 1.0)
    assert result.results[0].precision == pytest.approx(hits / delivered)
    assert result.results[0].recall == pytest.approx(hits / liked)
    assert result.results[0].positives == liked
    assert everything(filled.database) == before
    assert "Only what was delivered to you has a verdict" in (tmp_path / "report" / "report.html").read_text()


def test_new_verdicts_are_another_history(filled, read: list[int], tmp_path: Path) -> None:
    with NewsFilter.open(filled.home.path) as news:
        first = replay_own_history(news, classifiers=[FAST], report=tmp_path / "report")
        again = replay_own_history(news, classifiers=[FAST], report=tmp_path / "report")
        assert again.results == first.results
        filled.say(Kind.LIKE, read[6])
        with pytest.raises(ReplayError, match="the stream own history changed; name another folder"):
            replay_own_history(news, classifiers=[FAST], report=tmp_path / "report")
        other = replay_own_history(news, classifiers=[FAST], report=tmp_path / "other")
        assert other.results[0].n == first.results[0].n + 1


def test_without_verdicts_there_is_nothing_to_replay(filled) -> None:
    with NewsFilter.open(filled.home.path) as news:
        with pytest.raises(ReplayError, match="no verdicts yet"):
            replay_own_history(news, classifiers=[FAST])
        with pytest.raises(ReplayError, match="no classifier 'nothing'"):
            replay_own_history(news, classifiers=["nothing"])
    with filled.database.read() as tx:
        assert users.get(tx, LOCAL_USER).seed == 11


def test_stream_vectors_are_those_of_the_installation(filled, read: list[int], tmp_path: Path) -> None:
    with filled.database.write() as tx:
        for number, sequence in ((1, read[0] - 1), (2, read[9]), (4, 10_000)):
            features.add_basis(tx, StoredBasis(number, 500 * number, sequence, bytes(516 * number)))
        entries = [entry for entry in feedback.effective(tx, LOCAL_USER) if entry.kind in feedback.VERDICTS]
        user = users.get(tx, LOCAL_USER)
    entries.sort(key=lambda entry: entry.story)
    earlier = sum(entry.story <= read[9] for entry in entries)
    cache = own_history(filled.database, user, entries, ["length"], tmp_path / "own")
    numbers = [None if (basis := cache.basis_at(place)) is None else basis.number for place in range(len(entries) + 1)]
    assert numbers == [*[1] * earlier, *[2] * (len(entries) - earlier), 4]
    assert cache.basis_at(earlier).to_bytes() == bytes(1032)
