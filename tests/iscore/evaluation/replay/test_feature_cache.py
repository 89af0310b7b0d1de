"""Feature caches: they have the features of the pipeline, labels and stories, and are built once."""

from __future__ import annotations

import json
import shutil
import tracemalloc
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from extractors.stream import word_vectors
from extractors.text.terms import TermBatch
from iscore.core.errors import ReplayError, StreamError
from iscore.evaluation.replay import feature_cache, feature_cache_build
from iscore.evaluation.replay.code_digest import digest_of_features
from iscore.evaluation.replay.feature_cache import DISLIKED, LIKED, NO_VERDICT, FeatureCache
from iscore.evaluation.replay.feature_cache_build import WITHOUT_TEXTS, cached_features, load_stream_extractors
from iscore.evaluation.replay.stream import Labels, write_stream
from iscore.evaluation.replay.stream_format import LabelledArticle
from iscore.filtering.features.computation import ArticleFeatures, ReaderFeatures
from iscore.filtering.features.factory import make_extractors
from tests import made_up_encoder

from .conftest import START


def test_the_cache_has_the_features_of_the_pipeline(cached_days: FeatureCache, days: list[LabelledArticle]) -> None:
    arrivals = ArticleFeatures(make_extractors())
    expected = arrivals.analyse_many(days)
    assert cached_days.names == arrivals.names
    found = [chunk.articles[row] for chunk in cached_days.chunks() for row in range(len(chunk.articles))]
    assert len(found) == len(expected) == cached_days.articles
    for its, wanted in zip(found, expected, strict=True):
        about, of = its.metadata, wanted.metadata
        for name in ("id", "url", "source", "site", "author", "categories", "tags", "language", "published", "arrived"):
            assert getattr(about, name) == getattr(of, name)
        assert its.terms.to_bytes() == wanted.terms.to_bytes()
        assert its.pairs.tolist() == wanted.pairs.tolist()
        assert its.values.tobytes() == wanted.values.tobytes()
    assert cached_days.problems == {}


def test_meanings_are_kept_and_make_another_cache(days_file: Path, tmp_path: Path, cached_days: FeatureCache) -> None:
    (plain,) = cached_days.chunks()
    assert plain.articles.terms.meanings is None
    with made_up_encoder.installed():
        digest_of_features.cache_clear()
        found = cached_features(days_file, tmp_path)
        assert found.folder.name != cached_days.folder.name
        (chunk,) = found.chunks()
    digest_of_features.cache_clear()
    assert chunk.articles.terms.meanings is not None
    assert chunk.articles.terms.meanings.any(axis=1).all()
    assert chunk.articles.values.tobytes() == plain.articles.values.tobytes()


def test_labels_are_those_of_the_stream(cached_days: FeatureCache, days: list[LabelledArticle]) -> None:
    assert list(cached_days.readers) == ["simulated", "wire ∧ short"]
    for reader, counts in cached_days.readers.items():
        labels = cached_days.labels(reader)
        interests = [article.labels.get(reader) for article in days]
        assert labels.tolist() == [NO_VERDICT if each is None else int(each) for each in interests]
        assert counts == Labels(np.count_nonzero(labels == LIKED), np.count_nonzero(labels == DISLIKED))


def test_articles_of_several_sources_share_a_story(cached_days: FeatureCache, days: list[LabelledArticle]) -> None:
    leaders = [leader for chunk in cached_days.chunks() for leader in chunk.leaders.tolist()]
    assert all(leader <= place and leaders[leader] == leader for place, leader in enumerate(leaders))
    copies = [(place, leader) for place, leader in enumerate(leaders) if leader != place]
    assert len(copies) > 3
    assert all(days[place].source != days[leader].source for place, leader in copies)


def test_chunks_make_no_difference(
    cached_days: FeatureCache, days_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (whole,) = cached_days.chunks()
    monkeypatch.setattr(feature_cache, "CHUNK", 150)
    monkeypatch.setattr(feature_cache_build, "CHUNK", 150)
    small = cached_features(days_file, tmp_path)
    chunks = list(small.chunks())
    assert len(chunks) > 2
    assert [chunk.start for chunk in chunks] == list(range(0, small.articles, 150))
    assert np.vstack([chunk.articles.values for chunk in chunks]).tobytes() == whole.articles.values.tobytes()
    assert np.concatenate([chunk.leaders for chunk in chunks]).tolist() == whole.leaders.tolist()
    assert small.labels("simulated").tolist() == cached_days.labels("simulated").tolist()


def test_a_cache_is_built_once(days_file: Path, tmp_path: Path, days: list[LabelledArticle]) -> None:
    steps: list[int] = []
    first = cached_features(days_file, tmp_path, lambda done, *_: steps.append(done))
    assert steps[-1] == len(days)
    steps.clear()
    assert cached_features(days_file, tmp_path, lambda done, *_: steps.append(done)) == first
    assert steps == []
    # Other bytes under the same name are another stream.
    other = tmp_path / days_file.name
    write_stream(other, days[:50])
    assert cached_features(other, tmp_path).articles == 50
    assert first.articles == len(days)


def test_who_comes_while_it_is_built_waits(days_file: Path, tmp_path: Path, cached_days: FeatureCache) -> None:
    """Two that built it at once deleted each other's labels."""
    others: list[Future[FeatureCache]] = []
    with ThreadPoolExecutor(1) as pool:

        def meanwhile(*_: object) -> None:
            if not others:
                others.append(pool.submit(cached_features, days_file, tmp_path))
                wait(others, timeout=0.5)

        found = cached_features(days_file, tmp_path, meanwhile)
    assert others[0].result() == found
    for reader in cached_days.readers:
        assert found.labels(reader).tolist() == cached_days.labels(reader).tolist()


def test_an_invalid_stream_leaves_no_files(tmp_path: Path) -> None:
    path = tmp_path / "news.jsonl"
    path.write_text('{"id": "a", "labels": {}}\n' * 3 + '{"id": "a"}\n')
    with pytest.raises(StreamError, match=r"news.jsonl:4: "):
        cached_features(path, tmp_path / "measured")
    assert not (tmp_path / "measured").exists()


def test_a_damaged_folder_is_an_error(cached_days: FeatureCache, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(cached_days.folder, folder)
    (chunk,) = folder.glob("*.articles")
    chunk.write_bytes(chunk.read_bytes()[:-100])
    with pytest.raises(ReplayError, match="cannot be read"):
        list(FeatureCache.open(folder).chunks())
    about = json.loads((folder / "about.json").read_text())
    (folder / "about.json").write_text(json.dumps(about | {"format": 0}))
    with pytest.raises(ReplayError, match="another version"):
        FeatureCache.open(folder)
    (folder / "about.json").write_text("[]")
    with pytest.raises(ReplayError, match="no features that can be read"):
        FeatureCache.open(folder)


def _rated(ratings: list[dict[str, float]], title: str = "") -> list[LabelledArticle]:
    return [
        LabelledArticle(
            id=str(number),
            arrived=START + timedelta(hours=number),
            title=title,
            text="",
            labels={"you": number % 2 == 0},
            source="Wire",
            features=features,
        )
        for number, features in enumerate(ratings)
    ]


def test_ratings_are_features_of_their_own_name(tmp_path: Path) -> None:
    write_stream(tmp_path / "rated.jsonl", _rated([{"novelty": 4.0, "authority": 1.0}, {"authority": 0.0}]))
    found = cached_features(tmp_path / "rated.jsonl", tmp_path)
    (chunk,) = found.chunks()
    assert found.names == ("age", "hour", "weekday", "authority", "novelty")
    assert chunk.articles.columns(["authority", "novelty"])[:, 0].tolist() == [1.0, 0.0]
    assert chunk.articles.columns(["novelty"])[0, 0] == 4.0
    assert np.isnan(chunk.articles.columns(["novelty"])[1, 0])


def test_without_texts_only_extractors_that_use_none_are_made() -> None:
    """Of those that take part none moves when an article's text does."""
    assert tuple(load_stream_extractors(texts=False).extractors) == WITHOUT_TEXTS
    steps = []
    for text in ("", "Grid operators warn of a shortfall in the coming winter, says a spokesman."):
        (article,) = _rated([{}], title=text)
        extractors = load_stream_extractors(texts=False).extractors
        arrivals, reader = ArticleFeatures(extractors), ReaderFeatures(extractors)
        frozen = arrivals.analyse(article)
        reader.learn(frozen, True, 1.0)
        steps.append([*frozen.values.tolist(), *reader.extract(frozen).tolist()])
    assert np.array_equal(np.array(steps[0]), np.array(steps[1]), equal_nan=True)


def test_a_rating_replaces_the_feature_of_its_name(tmp_path: Path) -> None:
    write_stream(tmp_path / "rated.jsonl", _rated([{"length": 7.5}, {}], title="Grid"))
    found = cached_features(tmp_path / "rated.jsonl", tmp_path)
    (chunk,) = found.chunks()
    assert found.names == ArticleFeatures(make_extractors()).names
    length = chunk.articles.columns(["length"])[:, 0]
    assert length[0] == 7.5
    assert np.isnan(length[1])


def test_a_rating_may_not_have_the_name_of_a_learned_feature(tmp_path: Path) -> None:
    write_stream(tmp_path / "rated.jsonl", _rated([{"rocchio": 7.5}], title="Grid"))
    with pytest.raises(StreamError, match="'rocchio' has the name of a learned feature"):
        cached_features(tmp_path / "rated.jsonl", tmp_path)


def test_reading_takes_no_more_memory_for_a_longer_stream(
    tmp_path: Path, days: list[LabelledArticle], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feature_cache, "CHUNK", 50)
    monkeypatch.setattr(feature_cache_build, "CHUNK", 50)

    def peak(articles: int) -> int:
        path = tmp_path / f"{articles}.jsonl"
        write_stream(path, days[:articles])
        stream = cached_features(path, tmp_path)
        tracemalloc.start()
        for chunk in stream.chunks():
            assert len(chunk.articles) == 50
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert peak(300) < 1.3 * peak(100)


@pytest.mark.long
def test_the_bases_are_those_that_the_stream_would_have_had(
    week: list[LabelledArticle], week_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each from the newest of the articles before its place, wherever chunks end, and read from the folder once."""
    monkeypatch.setattr(feature_cache, "CHUNK", 150)
    monkeypatch.setattr(feature_cache_build, "CHUNK", 150)
    monkeypatch.setattr(word_vectors, "FIRST", 100)
    monkeypatch.setattr(word_vectors, "NEWEST", 250)
    found = cached_features(week_file, tmp_path)
    assert len(week) > 400
    assert [found.basis_at(articles) for articles in (0, 99)] == [None, None]
    bases = {articles: found.basis_at(articles) for articles in (100, 199, 200, 399, 400, len(week))}
    assert {articles: basis.number for articles, basis in bases.items() if basis} == {
        100: 1,
        199: 1,
        200: 2,
        399: 2,
        400: 3,
        len(week): 3,
    }
    assert bases[100] is bases[199]
    terms = [chunk.articles.terms[row] for chunk in found.chunks() for row in range(len(chunk.articles))]
    for articles, first in ((100, 0), (200, 0), (400, 150)):
        learned = word_vectors.fit(TermBatch.of(terms[first:articles]), word_vectors.due(articles))
        basis = FeatureCache.open(found.folder).basis_at(articles)
        assert basis is not None
        assert basis.articles == articles
        assert basis.to_bytes() == learned.to_bytes()
    (found.folder / "3.basis").write_bytes(b"damaged")
    with pytest.raises(ReplayError, match=r"3.basis cannot be read"):
        FeatureCache.open(found.folder).basis_at(400)
