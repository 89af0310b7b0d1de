"""The delivered protocol makes the decisions of the product on a real database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import blake2b
from itertools import groupby
from pathlib import Path

import pytest

from iscore.core.data_folder import DataFolder
from iscore.core.errors import ReplayError
from iscore.evaluation.replay.feature_cache import FeatureCache
from iscore.evaluation.replay.feature_cache_build import cached_features, new_model
from iscore.evaluation.replay.outcome import Outcome
from iscore.evaluation.replay.protocol import DAY, Protocol
from iscore.evaluation.replay.protocol_delivered import DeliveredRun, polls, run_delivered
from iscore.evaluation.replay.stream import write_stream
from iscore.evaluation.replay.stream_format import EPOCH, LabelledArticle
from iscore.filtering.delivery.tuning import UNKNOWN_SCORE
from iscore.filtering.serialization import pack
from iscore.services.news_filter import NewsFilter
from storage.log import decisions
from storage.opening.database import open_database
from storage.people import users
from storage.records.articles import Article, NewArticle
from storage.records.decisions import Decision
from storage.records.feeds import FetchRecord
from storage.records.users import LOCAL_USER, Kind
from storage.stream import articles, feeds

CLASSIFIER = "stacking"
HALF_A_DAY = timedelta(hours=12)


@dataclass(frozen=True)
class Product:
    """What the product has stored and decided."""

    articles: Sequence[Article]
    decisions: dict[int, Decision]
    late: dict[int, Decision]
    """Of stories that were delivered after their first decision had hidden them."""
    seed: int
    verdicts: int
    classifier: str


def lived_with(
    days: Sequence[LabelledArticle], liked: Callable[[str, str], bool | None], folder: Path, classifier: str
) -> Product:
    """Poll twice a day, each time with what has arrived; give verdicts a day after the delivery."""
    now = days[0].arrived
    home = DataFolder(folder)
    late: list[tuple[datetime, Article]] = []
    verdicts = 0
    home.path.mkdir()
    home.config.write_text(f'classifier = "{classifier}"\n')
    with NewsFilter.create(folder, clock=lambda: now) as news:
        followed = [f"- url: {_address(each)}\n  enabled: false\n" for each in sorted({a.source for a in days})]
        home.feeds.write_text("feeds:\n" + "".join(followed))  # never polled: articles are stored here
        news.subscriptions.follow()
        seed = 0
        for number, arrived in groupby(days, key=lambda article: -((EPOCH - article.arrived) // HALF_A_DAY)):
            now = EPOCH + number * HALF_A_DAY
            _store(home.database, list(arrived), now)
            while late and late[0][0] <= now:
                article = late.pop(0)[1]
                like = liked(article.title, article.text)
                if like is not None:
                    news.give(Kind.LIKE if like else Kind.DISLIKE, [article.id])
                    verdicts += 1
            news.poll()
            database = open_database(home.database)
            with database.read() as tx:
                stored = articles.get(tx, range(1, articles.last_seq(tx) + 1))
                seqs = [article.seq for article in stored]
                made, late_ones = decisions.get(tx, LOCAL_USER, seqs), decisions.late(tx, LOCAL_USER, seqs)
                seed = users.get(tx, LOCAL_USER).seed
            database.close()
            current = made | late_ones
            delivered = [
                a for a in stored if a.seq in current and current[a.seq].at == now and _delivered(current[a.seq])
            ]
            late += [(now + DAY, article) for article in delivered]
    return Product(stored, made, late_ones, seed, verdicts, classifier)


def _delivered(decision: Decision) -> bool:
    return decision.interesting or decision.explore


def _store(path: Path, arrived: Sequence[LabelledArticle], now: datetime) -> None:
    by_source: dict[str, list[NewArticle]] = {}
    for article in arrived:
        by_source.setdefault(article.source, []).append(
            NewArticle(
                key=article.id,
                url=article.url,
                title=article.title,
                author=article.author,
                categories=article.categories,
                text=article.text,
                language=article.language,
                published=article.published,
                links=article.links,
                pictures=article.pictures,
                content_hash=blake2b(article.id.encode(), digest_size=16).digest(),
            )
        )
    database = open_database(path)
    with database.write() as tx:
        rows = {row.feed.url: row.feed for row in feeds.overview(tx, LOCAL_USER)}
        records = [FetchRecord(rows[_address(name)], tuple(entries), now) for name, entries in by_source.items()]
        feeds.record(tx, records)
    database.close()


def _address(source: str) -> str:
    return f"https://{source}.example/feed"


@pytest.fixture(scope="module", params=[CLASSIFIER, pytest.param("kernel-naive-bayes", marks=pytest.mark.long)])
def product(
    days: list[LabelledArticle], tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Product:
    """The product after four days; the second classifier is the only ranker."""
    labels = {(article.title, article.text): article.labels["simulated"] for article in days}
    return lived_with(
        days, lambda title, text: labels[title, text], tmp_path_factory.mktemp("product") / "home", request.param
    )


def test_decisions_are_those_of_the_product(product: Product, days: list[LabelledArticle], tmp_path: Path) -> None:
    labels = {(article.title, article.text): article.labels for article in days}
    stream = [
        LabelledArticle(
            id=article.id,
            arrived=article.arrived,
            title=article.title,
            text=article.text,
            labels={"simulated": labels[article.title, article.text]["simulated"]},
            published=article.published,
            source=article.source,
            url=article.url,
            author=article.author,
            categories=article.categories,
            language=article.language,
        )
        for article in product.articles
    ]
    write_stream(tmp_path / "days.jsonl", stream)
    steps: list[int] = []
    lived = run_delivered(
        cached_features(tmp_path / "days.jsonl", tmp_path),
        "simulated",
        product.classifier,
        Protocol("delivered", every=HALF_A_DAY, seed=product.seed),
        on_progress=steps.append,
    )
    (outcome,) = lived.outcomes
    assert lived.problems == {}
    assert sum(steps) == len(stream) == len(outcome.liked)
    copies = 0
    for place, article in enumerate(product.articles):
        first = product.decisions[article.story or 0]
        last = product.late.get(article.story or 0, first)
        copies += article.story != article.seq
        assert _decision(outcome, place) == (
            first.score,
            first.threshold,
            last.interesting,
            last.explore,
        ), article.id
    assert copies > 3
    assert outcome.verdicts == product.verdicts
    # Everything that can happen did: untrained and trained, delivered, explored and hidden.
    assert 0 < outcome.trained.sum() < len(stream)
    assert outcome.explored.sum() > 3
    assert (outcome.trained & outcome.recommended).sum() > 10
    assert (~outcome.delivered).sum() > 30
    assert not (outcome.explored & outcome.recommended).any()


def _decision(outcome: Outcome, place: int) -> tuple[float, float, bool, bool]:
    return (
        float(outcome.scores[place]),
        float(outcome.thresholds[place]),
        bool(outcome.recommended[place]),
        bool(outcome.explored[place]),
    )


@pytest.fixture(scope="module")
def usual(cached_days: FeatureCache) -> Outcome:
    """What becomes of the four days under the usual protocol."""
    return _outcome(cached_days)


def test_only_deliveries_are_learned(usual: Outcome, days: list[LabelledArticle], tmp_path: Path) -> None:
    """Labels of hidden articles change no decision."""
    lied = [
        replace(article, labels={"simulated": article.labels["simulated"] != hidden})
        for article, hidden in zip(days, (~usual.delivered).tolist(), strict=True)
    ]
    write_stream(tmp_path / "days.jsonl", lied)
    second = _outcome(cached_features(tmp_path / "days.jsonl", tmp_path))
    assert usual.scores.tolist() == second.scores.tolist()
    assert usual.delivered.tolist() == second.delivered.tolist()
    assert usual.liked.tolist() != second.liked.tolist()


def _outcome(stream: FeatureCache, **options: object) -> Outcome:
    protocol = Protocol("delivered", **options)  # type: ignore[arg-type]
    (outcome,) = run_delivered(stream, "simulated", CLASSIFIER, protocol).outcomes
    return outcome


def test_verdicts_wait_for_their_time(usual: Outcome, days: list[LabelledArticle], cached_days: FeatureCache) -> None:
    never = _outcome(cached_days, delay=timedelta(days=30))
    late = _outcome(cached_days, delay=timedelta(days=3))
    soon = usual
    assert never.verdicts == 0
    assert not never.trained.any()
    assert late.liked.tolist() == soon.liked.tolist()
    days = [-((EPOCH - article.arrived) // DAY) for article in days]
    for outcome, delay in ((soon, 1), (late, 3)):
        first_told = days[(outcome.scores != UNKNOWN_SCORE).tolist().index(True)]
        assert first_told == days[0] + delay
        # Of the last days' deliveries nothing was heard before the end, nor of a story told again.
        learned = [
            d for d, shown in zip(days, outcome.delivered.tolist(), strict=True) if shown and d + delay <= days[-1]
        ]
        assert 0.5 * len(learned) < outcome.verdicts <= len(learned)  # some were delivered days after they arrived


def test_a_reader_says_something_about_a_part_of_the_deliveries(usual: Outcome, cached_days: FeatureCache) -> None:
    seldom = _outcome(cached_days, one_verdict_in=3)
    assert seldom.delivered.any()
    assert 0.2 < (seldom.verdicts / seldom.delivered.sum()) / (usual.verdicts / usual.delivered.sum()) < 0.5


def test_undone_verdicts_leave_no_trace(cached_days: FeatureCache) -> None:
    stream = cached_days
    mornings = list(polls(stream, DAY))
    # What was delivered on the first day is answered on the last one, so nothing else differs between the two lives.
    protocol = Protocol("delivered", delay=(len(mornings) - 1) * DAY)
    states = []
    for wrong in (0, 3):
        said: list[bool] = []

        def says(liked: bool, said: list[bool] = said, wrong: int = wrong) -> bool:
            said.append(liked != (len(said) < wrong))
            return said[-1]

        model, fresh = (new_model(stream, CLASSIFIER, seed=0) for _ in range(2))
        life = DeliveredRun(model, stream.labels("simulated"), protocol, stream.basis_at, answer=says)
        for morning in mornings:
            life.step(morning)
        assert model.likes == sum(said)
        assert len(said) > 6
        life.undo(range(3), fresh)
        assert fresh.likes + fresh.dislikes == len(said) - 3
        assert life.outcome(stream.stream, "simulated", CLASSIFIER).verdicts == len(said) - 3
        states.append((model.likes, pack(fresh.state())))
    assert states[0][0] != states[1][0]
    assert states[0][1] == states[1][1]


def test_only_articles_with_a_verdict_count(cached_days: FeatureCache) -> None:
    stream = cached_days
    (outcome,) = run_delivered(stream, "wire ∧ short", CLASSIFIER, Protocol("delivered")).outcomes
    counts = stream.readers["wire ∧ short"]
    assert len(outcome.liked) == counts.liked + counts.disliked < stream.articles / 2
    assert outcome.verdicts <= outcome.delivered.sum()


def test_streams_without_times_need_a_number_of_articles_a_day(days: list[LabelledArticle], tmp_path: Path) -> None:
    timeless = [
        LabelledArticle(id=each.id, arrived=EPOCH, title=each.title, text=each.text, labels=each.labels)
        for each in days[:200]
    ]
    path = tmp_path / "timeless.jsonl"
    write_stream(path, timeless)
    with pytest.raises(ReplayError, match=r"no times.*`--every 100`"):
        _outcome(cached_features(path, tmp_path))
    rounds = _outcome(cached_features(path, tmp_path), every=40)
    # The verdicts on four rounds of five come in time.
    assert 0 < rounds.verdicts <= 160
    assert rounds.delivered[:40].any()
