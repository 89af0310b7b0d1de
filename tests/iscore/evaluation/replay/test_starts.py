"""What a replay begins with: an archive, examples of it, or headlines."""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path

import pytest

from iscore.core.errors import ReplayError
from iscore.evaluation.replay import protocol_delivered
from iscore.evaluation.replay.feature_cache import LIKED, FeatureCache
from iscore.evaluation.replay.feature_cache_build import new_model
from iscore.evaluation.replay.outcome import Outcome
from iscore.evaluation.replay.protocol import DAY, Protocol
from iscore.evaluation.replay.protocol_delivered import DeliveredRun, polls, run_delivered
from iscore.evaluation.replay.starts import Archived, examples, interests_of, left_out

READER, CLASSIFIER = "simulated", "stacking"
ARCHIVE = 150


def outcome(stream: FeatureCache, **options: object) -> Outcome:
    protocol = Protocol("delivered", archive=ARCHIVE, **options)  # type: ignore[arg-type]
    (found,) = run_delivered(stream, READER, CLASSIFIER, protocol).outcomes
    return found


def liked_leaders(stream: FeatureCache) -> list[Archived]:
    labels = stream.labels(READER)
    leaders = chain(*(chunk.leaders.tolist() for chunk in stream.chunks()))
    rows = chain(*(iter(chunk.articles[row] for row in range(len(chunk.articles))) for chunk in stream.chunks()))
    return [
        Archived(place, article)
        for place, (leader, article) in enumerate(zip(leaders, rows, strict=True))
        if place < ARCHIVE and leader == place and labels[place] == LIKED
    ]


@pytest.fixture(scope="module")
def without(cached_days: FeatureCache) -> Outcome:
    """What becomes of the news after an archive of which nothing is learned."""
    return outcome(cached_days)


def test_the_archive_is_neither_delivered_nor_counted(without: Outcome, cached_days: FeatureCache) -> None:
    found = without
    labels = cached_days.labels(READER)
    assert found.liked.tolist() == (labels[ARCHIVE:] == LIKED).tolist()
    assert 0 < found.verdicts <= found.delivered.sum()
    # The day on which the reader begins is a first day, whatever was there before.
    assert not found.recommended[:20].any()
    assert found.explored[:20].any()


def test_examples_rank_from_the_first_article_on(without: Outcome, cached_days: FeatureCache) -> None:
    with_examples = outcome(cached_days, examples=5)
    assert with_examples.trained.mean() > without.trained.mean()
    assert with_examples.trained[0]
    assert len(with_examples.liked) == len(without.liked)
    drawn = outcome(cached_days, examples=5, draw=1)
    assert drawn.scores.tolist() != with_examples.scores.tolist()
    assert drawn.scores.tolist() == outcome(cached_days, examples=5, draw=1).scores.tolist()


def test_examples_are_the_newest_or_drawn(cached_days: FeatureCache) -> None:
    liked = liked_leaders(cached_days)
    assert examples(liked, 5, 0) == liked[-5:]
    draws = [[each.place for each in examples(liked, 5, draw)] for draw in (0, 1, 2)]
    assert len({*map(tuple, draws)}) == 3
    assert all(len(places) == 5 and places == sorted(places) for places in draws)


def test_headlines_are_verdicts_but_no_deliveries(cached_days: FeatureCache) -> None:
    model = new_model(cached_days, CLASSIFIER, seed=0)
    labels = cached_days.labels(READER)
    never = Protocol("delivered", delay=30 * DAY, archive=ARCHIVE, headlines=True)
    run = DeliveredRun(model, labels, never, cached_days.basis_at)
    for poll in polls(cached_days, DAY):
        run.step(poll)
    found = run.outcome(cached_days.stream, READER, CLASSIFIER)
    assert (model.likes + model.dislikes, found.verdicts) == (60, 60)
    assert min(model.likes, model.dislikes) > 0
    assert found.trained[0]
    assert len(found.liked) == len(labels) - ARCHIVE


def test_without_an_archive_headlines_come_when_there_are_enough(
    cached_days: FeatureCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    enough = 100
    monkeypatch.setattr(protocol_delivered, "FEWEST_HEADLINES", enough)
    model = new_model(cached_days, CLASSIFIER, seed=0)
    labels = cached_days.labels(READER)
    never = Protocol("delivered", delay=30 * DAY, headlines=True)
    run = DeliveredRun(model, labels, never, cached_days.basis_at)
    verdicts = []
    for poll in polls(cached_days, DAY):
        run.step(poll)
        verdicts.append((poll.start, model.likes + model.dislikes))
    assert {start >= enough for start, count in verdicts if count} == {True}
    found = run.outcome(cached_days.stream, READER, CLASSIFIER)
    assert (model.likes + model.dislikes, found.verdicts) == (60, 60)
    # What was marked is neither delivered nor counted; the articles before it count.
    assert len(found.liked) == len(labels) - 60
    assert not found.trained[0]
    assert found.trained[-1]


def test_readers_with_too_few_examples_are_found(cached_days: FeatureCache) -> None:
    liked = len(liked_leaders(cached_days))
    enough, too_many = (Protocol("delivered", archive=ARCHIVE, examples=n) for n in (liked, liked + 1))
    assert left_out(cached_days, [READER], enough) == []
    assert left_out(cached_days, [READER], too_many) == [READER]
    with pytest.raises(ReplayError, match="leaves none"):
        left_out(cached_days, [READER], Protocol("delivered", archive=cached_days.articles))


def test_interests_in_words_rank_from_the_first_article_on(cached_days: FeatureCache, tmp_path: Path) -> None:
    file = tmp_path / "interests.json"
    file.write_text(json.dumps({READER: ["wind power", "solar power"], "nobody": ["sugar"]}))
    interests = interests_of(file)
    assert interests == ((READER, "wind power"), (READER, "solar power"), ("nobody", "sugar"))
    found = outcome(cached_days, interests=interests)
    others = outcome(cached_days, interests=((READER, "football"),))
    assert found.trained.all()
    assert found.scores.tolist() != others.scores.tolist()
    start = Protocol("delivered", archive=ARCHIVE, interests=interests)
    assert left_out(cached_days, list(cached_days.readers), start) == ["wire ∧ short"]
    for wrong in ("[]", '{"ann": 3}', '{"ann": [""]}', "{"):
        file.write_text(wrong)
        with pytest.raises(ReplayError, match="reader → list of texts"):
            interests_of(file)


def test_an_undo_keeps_the_examples(cached_days: FeatureCache) -> None:
    protocol = Protocol("delivered", archive=ARCHIVE, examples=5)
    model, fresh = (new_model(cached_days, CLASSIFIER, seed=0) for _ in range(2))
    run = DeliveredRun(model, cached_days.labels(READER), protocol, cached_days.basis_at)
    for poll in polls(cached_days, DAY):
        run.step(poll)
    run.undo(range(model.likes + model.dislikes), fresh)
    assert (fresh.imported, fresh.likes, fresh.dislikes) == (5, 0, 0)
