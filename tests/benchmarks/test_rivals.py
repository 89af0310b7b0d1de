"""The contest from articles to tables, over a small stream."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from benchmarks import results, rivals
from benchmarks.rival_learners import contest
from benchmarks.rival_learners.contest import AS_IT_IS, ISCORE, OURS, PARTS, Kept, Result, run
from iscore.evaluation.replay.stream_format import LabelledArticle

pytestmark = pytest.mark.skipif(find_spec("river") is None, reason="needs the packages that `make bench` installs")

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
THEMES = (("goal", "match", "team", "coach"), ("vote", "party", "law", "minister"), ("rain", "storm", "wind", "sun"))


def stream(articles: int = 90) -> list[LabelledArticle]:
    random = np.random.default_rng(8)
    made = []
    for number in range(articles):
        theme = int(random.integers(3))
        words = [*random.choice(THEMES[theme], 6), *random.choice(np.ravel(THEMES), 2)]
        labels = {"sport": theme == 0, "politics": theme == 1}
        at = NOON + timedelta(hours=number)
        title, text = " ".join(words[:3]), " ".join(words)
        made.append(LabelledArticle(id=str(number), arrived=at, title=title, text=text, labels=labels, published=at))
    return made


def result(reader: str, rival: str, **whole: float) -> Result:
    cuts = {cut.replace("_", " "): dict.fromkeys(PARTS, figure) for cut, figure in whole.items()}
    return Result("Reuters", reader, rival, cuts, 0.9, 1.0)


@pytest.fixture
def small_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = contest.support_vectors.scores
    monkeypatch.setattr(contest, "MACHINES", {"SVM every 500": lambda counts, liked: machine(counts, liked, every=30)})


@pytest.mark.long
@pytest.mark.usefixtures("small_machine")
def test_a_contest_is_measured_kept_and_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    kept = Kept.at(tmp_path / "kept.jsonl")
    run("Reuters", stream(), kept)
    names = {r.rival for r in kept.results}
    assert names == {*OURS, "SVM every 500", *contest.rivals()}
    assert len(kept.results) == 2 * len(names)
    figures = {(r.rival, r.reader): r.f05 for r in kept.results}
    assert all(figures[ISCORE, reader][AS_IT_IS]["whole"] > 0.5 for reader in ("sport", "politics"))
    assert figures["confidence-weighted on words", "sport"]["adaptive"]["whole"] > 0.7
    again = Kept.at(tmp_path / "kept.jsonl")
    assert [r.f05 for r in again.results] == [r.f05 for r in kept.results]
    run("Reuters", stream(), again)
    assert len(again.results) == len(kept.results)
    monkeypatch.setattr(rivals, "STREAMS", {"Reuters": stream})
    rivals.by_rival(kept.results)
    rivals.by_reader(kept.results)
    assert len(results.read("rivals")) == len(names)
    assert len(results.read("rivals_by_reader")) == 2


def test_a_rival_has_the_cut_that_is_best_for_it_on_average() -> None:
    found = [result("a", "SVM", at_0=0.9, adaptive=0.7), result("b", "SVM", at_0=0.1, adaptive=0.5)]
    assert rivals.best_cut(found, "SVM") == "adaptive"


def test_a_reader_is_compared_with_the_better_of_the_judges() -> None:
    ours = Result("Reuters", "a", ISCORE, {AS_IT_IS: {"whole": 0.75}}, 0.9, 1.0)
    found = [result("a", "SVM", at_0=0.7), result("a", "Rocchio", adaptive=0.8), ours]
    found.append(result("a", "perceptron on words", at_0=0.99))
    ((stream_, reader, difference),) = rivals.differences(found)
    assert (stream_, reader) == ("Reuters", "a")
    assert difference == pytest.approx(-0.05)
