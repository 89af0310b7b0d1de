"""The rivals: each formula against another hand, and nothing known before its time."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.util import find_spec

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from benchmarks import resampling
from benchmarks.rival_learners import from_river, linear, multinomial, rocchio, support_vectors
from benchmarks.rival_learners.cuts import CUTS, f05
from benchmarks.rival_learners.words import words_of
from iscore.evaluation.replay.stream_format import LabelledArticle
from iscore.filtering.paper import AdaptiveThreshold
from iscore.learners import LEARNERS

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(find_spec("river") is None, reason="needs the packages that `make bench` installs"),
]

ARTICLES, WORDS = 240, 30
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def counts() -> csr_matrix:
    """Articles of 30 words, all of which come in the first two."""
    random = np.random.default_rng(3)
    dense = random.poisson(0.4, (ARTICLES, WORDS)).astype(np.float64)
    dense[:2] = 1.0
    return csr_matrix(dense)


@pytest.fixture(scope="module")
def liked(counts: csr_matrix) -> np.ndarray:
    return np.asarray(counts[:, :5].sum(axis=1)).ravel() > 2.5


def unit(counts: csr_matrix) -> csr_matrix:
    lengths = np.sqrt(counts.multiply(counts).sum(axis=1))
    return csr_matrix(counts.multiply(1.0 / np.maximum(lengths, 1e-9)))


def test_multinomial_naive_bayes_is_that_of_scikit_learn(counts: csr_matrix, liked: np.ndarray) -> None:
    from sklearn.naive_bayes import MultinomialNB

    found = multinomial.scores(counts, liked, alpha=0.5)
    for row in (20, 100, ARTICLES - 1):
        theirs = MultinomialNB(alpha=0.5).fit(counts[:row], liked[:row])
        joint = theirs.predict_joint_log_proba(counts[row])[0]
        assert found[row] == pytest.approx(joint[1] - joint[0])


def test_rocchio_is_the_cosine_to_the_difference_of_means(counts: csr_matrix, liked: np.ndarray) -> None:
    rows = unit(counts)
    found = rocchio.scores(rows, liked, beta=1.0, gamma=0.25)
    for row in (20, 100, ARTICLES - 1):
        past = rows[:row].toarray()
        profile = past[liked[:row]].mean(axis=0) - 0.25 * past[~liked[:row]].mean(axis=0)
        assert found[row] == pytest.approx(rows[row].toarray()[0] @ profile / np.linalg.norm(profile))


def all_rivals(counts: csr_matrix, liked: np.ndarray) -> dict[str, np.ndarray]:
    rows = unit(counts)
    found = {
        "multinomial": multinomial.scores(counts, liked),
        "rocchio": rocchio.scores(rows, liked),
        "machine": support_vectors.scores(counts, {"x": liked}, every=50)["x"],
    }
    for name, learner in linear.over_words().items():
        found[name] = linear.scores(learner, rows, liked)
    for name in from_river.NAMES:
        model = (from_river.ON_COUNTS | from_river.ON_TFIDF)[name]()
        found[name] = from_river.scores(model, counts if name in from_river.ON_COUNTS else rows, liked)
    return found


@pytest.fixture(scope="module")
def rankings(counts: csr_matrix, liked: np.ndarray) -> dict[str, np.ndarray]:
    """The scores of every rival."""
    return all_rivals(counts, liked)


def test_no_score_knows_its_own_verdict_or_a_later_article(
    counts: csr_matrix, liked: np.ndarray, rankings: dict[str, np.ndarray]
) -> None:
    place = 180
    changed, other = counts.toarray(), liked.copy()
    changed[place + 1 :] = changed[place + 1 :][::-1]
    other[place:] = ~other[place:]
    after = all_rivals(csr_matrix(changed), other)
    for name, scores in rankings.items():
        np.testing.assert_array_equal(scores[: place + 1], after[name][: place + 1], err_msg=name)


def test_every_rival_learns(liked: np.ndarray, rankings: dict[str, np.ndarray]) -> None:
    from sklearn.metrics import roc_auc_score

    for name, scores in rankings.items():
        late = ~np.isnan(scores) & (np.arange(ARTICLES) >= 60)
        assert roc_auc_score(liked[late], scores[late]) > 0.7, name


def test_every_linear_learner_takes_part() -> None:
    of_densities = {name for name in LEARNERS if "naive-bayes" in name}
    assert set(LEARNERS) - set(linear.over_words()) == {"stacking", *of_densities}


def test_words_know_of_earlier_articles_only() -> None:
    texts = ["red apple", "green apple", "red red pear"]
    articles = [
        LabelledArticle(id=str(n), arrived=NOON, title=text, text="", labels={}, source="A", categories=("food",))
        for n, text in enumerate(texts)
    ]
    whole, part = words_of(articles), words_of(articles[:2])
    assert part.tfidf[1].data == pytest.approx(whole.tfidf[1].data)
    weights = np.sort(whole.tfidf[1].data)
    # apple, the source and the category were there before, green was not.
    assert weights == pytest.approx(np.array([1, 1, 1, np.log(2) + 1]) / np.sqrt(3 + (np.log(2) + 1) ** 2))


@pytest.mark.parametrize("name", CUTS)
def test_a_cut_knows_the_past_alone(name: str, liked: np.ndarray) -> None:
    scores = np.random.default_rng(4).normal(size=ARTICLES) + liked
    scores[:40] = np.nan
    other = liked.copy()
    other[150:] = ~other[150:]
    delivered = CUTS[name](scores, liked)
    assert not delivered[:40].any()
    assert delivered[40:].any()
    np.testing.assert_array_equal(CUTS[name](scores, other)[:151], delivered[:151])


def test_the_adaptive_cut_is_the_product_s(liked: np.ndarray) -> None:
    scores = np.random.default_rng(4).normal(size=ARTICLES) + liked
    thresholder, expected = AdaptiveThreshold(), []
    known = 1 + max(int(np.argmax(liked)), int(np.argmax(~liked)))
    for score, verdict in zip(scores[known:].tolist(), liked[known:].tolist(), strict=True):
        expected.append(thresholder.decide(score))
        thresholder.learn(score, verdict)
    assert CUTS["adaptive"](scores, liked).tolist() == [False] * known + expected


def test_the_machine_is_learned_anew_and_has_no_opinion_before(counts: csr_matrix, liked: np.ndarray) -> None:
    found = support_vectors.scores(counts, {"x": liked, "nobody": np.zeros(ARTICLES, dtype=bool)}, every=100)
    assert np.isnan(found["x"][:100]).all()
    assert not np.isnan(found["x"][100:]).any()
    assert np.isnan(found["nobody"]).all()


def test_figures_of_resamples_are_those_of_scikit_learn() -> None:
    from sklearn.metrics import fbeta_score, roc_auc_score

    random = np.random.default_rng(5)
    liked, weights = random.random(80) < 0.4, random.integers(0, 4, (3, 80)).astype(float)
    scores = np.round(random.normal(size=80) + liked, 1)
    delivered = scores > 0.3
    for found, row in zip(resampling.auc(scores, liked, weights), weights, strict=True):
        assert found == pytest.approx(roc_auc_score(liked, scores, sample_weight=row))
    for found, row in zip(resampling.f05(delivered, liked, weights), weights, strict=True):
        assert found == pytest.approx(fbeta_score(liked, delivered, beta=0.5, sample_weight=row))
    assert resampling.f05(delivered, liked) == pytest.approx(f05(delivered, liked))


def test_an_interval_holds_what_was_measured_and_equal_filters_do_not_differ() -> None:
    random = np.random.default_rng(6)
    liked = random.random(300) < 0.5
    good, poor = random.normal(size=300) + 2 * liked, random.normal(size=300) + liked
    for interval in resampling.differences(liked, (good, good > 1), (poor, poor > 0.5)):
        assert 0 < interval.low < interval.measured < interval.high
    for interval in resampling.differences(liked, (good, good > 1), (good, good > 1)):
        assert (interval.low, interval.measured, interval.high) == (0.0, 0.0, 0.0)
