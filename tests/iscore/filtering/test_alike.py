"""``iscore.Pipeline`` and ``NewsFilter.poll`` decide alike on the demo's stream, with the verdicts of its reader."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest

from iscore import Pipeline, make_extractors
from iscore.evaluation import demo
from iscore.services.news_filter import NewsFilter
from storage.log import decision_rounds, decisions, feedback
from storage.records.decisions import Decision
from storage.records.users import LOCAL_USER, Kind
from storage.stream import articles
from tests.made_once import made_once


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of the whole demo."""
    return made_once("demo", tmp_path_factory, demo.run) / "home"


def facts(decision: Decision) -> tuple[float, float, bool, bool]:
    return decision.score, decision.threshold, decision.interesting, decision.explore


def test_the_library_and_the_product_decide_alike(home: Path) -> None:
    """Bit for bit, about new articles, copies and those that were hidden before."""
    with NewsFilter.open(home) as news:
        seed, classifier = news.context.user.seed, news.context.settings.classifier
        with news.database.read() as tx:
            stream = articles.get(tx, range(1, articles.last_seq(tx) + 1))
            seqs = [each.seq for each in stream]
            first, late = decisions.get(tx, LOCAL_USER, seqs), decisions.late(tx, LOCAL_USER, seqs)
            verdicts = [entry for entry in feedback.effective(tx, LOCAL_USER) if entry.kind in feedback.VERDICTS]
            last_round = decision_rounds.last_number(tx, LOCAL_USER)
    by_seq = {each.seq: each for each in stream}
    pipeline = Pipeline(make_extractors(seed), classifier, seed=seed)
    made: dict[int, tuple[float, float, bool, bool]] = {}
    made_late: dict[int, tuple[float, float, bool, bool]] = {}
    seq_of = {each.id: each.seq for each in stream}
    rounds = 0
    for at, group in groupby(stream, key=lambda each: each.arrived):
        batch = list(group)
        for entry in verdicts:
            if entry.at < at:
                pipeline.learn(by_seq[entry.story], entry.kind is Kind.LIKE, at=at)
        verdicts = [entry for entry in verdicts if entry.at >= at]
        for each, decision in zip(batch, pipeline.decide_many(batch, at=at), strict=True):
            if each.story == each.seq:
                made[each.seq] = facts(decision)
        made_late |= {seq_of[id_]: facts(decision) for id_, decision in pipeline.late.items()}
        rounds += 1
    assert rounds == last_round
    assert made == {seq: facts(each) for seq, each in first.items()}
    assert made_late == {seq: facts(each) for seq, each in late.items()}
    assert len(made) > 1900
    assert made_late
