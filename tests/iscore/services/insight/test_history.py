"""The past of a real reader: their home, their log, the models of today and of a month ago."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from iscore.presentation.report.history import history_page
from iscore.services.insight.history import History
from iscore.services.insight.learned import correlations
from iscore.services.news_filter import NewsFilter
from storage.log import decisions, rule_outcomes
from storage.records.decisions import Decision
from storage.records.rules import Action, RuleOutcome
from storage.records.users import LOCAL_USER, Kind
from tests.iscore.presentation.html_page import Page
from tests.iscore.services.insight.made_verdicts import START

Ask = Callable[..., object]


@pytest.fixture
def reader(filled):
    """Forty stories judged over ten days; twenty-four said something of, from five days later on."""
    stories = [article.seq for article in filled.leaders()]
    with filled.database.write() as tx:
        decisions.add(
            tx,
            [
                Decision(LOCAL_USER, seq, 1.0 if n % 3 else -1.0, 0.5, n % 3 > 0, n % 6 == 0, 0.4, at(n / 4))
                for n, seq in enumerate(stories[:40])
            ],
        )
    return SimpleNamespace(archive=filled, stories=stories)


def at(days: float) -> datetime:
    return START + timedelta(days=days)


def say(reader, first: int, last: int, days: float) -> None:
    """Judge some stories: recommended ones are liked but for every fifth, others disliked but for every fourth."""
    for n in range(first, last):
        kind = (Kind.LIKE if n % 5 else Kind.DISLIKE) if n % 3 else (Kind.DISLIKE if n % 4 else Kind.LIKE)
        reader.archive.say(kind, reader.stories[n], at=at(days + n / 100))


def learn(reader) -> None:
    keeper = reader.archive.news.models
    with reader.archive.database.write() as tx:
        keeper.save(tx, keeper.load())


def history(reader, now: datetime) -> History:
    archive = reader.archive
    return NewsFilter(archive.home, archive.database, lambda: now).history


def test_empty_data_folder_lists_what_is_missing(archive) -> None:
    view = history(SimpleNamespace(archive=archive), START).view(zone=UTC)
    assert (view.since, view.articles, view.periods, view.course, view.trained_since) == (None, 0, (), (), None)
    status = {each.figure: each.words for each in view.missing}
    assert set(status) == {
        *("volume", "course", "threshold", "features", "calibration"),
        *("scores", "sources", "words", "delays"),
    }
    assert "5 more likes and 5 more dislikes" in status["threshold"]
    assert "0 so far." in status["course"]
    read = Page(history_page(view, zone=UTC))
    assert read.open == []
    assert all(words in read.text for words in status.values())
    assert read.named("figure") == []


def test_the_figures_are_those_of_status(reader) -> None:
    say(reader, 0, 24, 5)
    reader.archive.say(Kind.SKIP, reader.stories[30], at=at(11))
    view = history(reader, at(12)).view(zone=UTC)
    status = reader.archive.news.status()
    for name in ("articles", "decided", "recommended", "explored", "likes", "dislikes", "skips", "threshold"):
        assert getattr(view, name) == getattr(status, name), name
    assert (view.overall.f05, view.overall.precision) == (
        status.f05,
        status.precision,
    )
    # By hand: of n = 0 … 23, 16 are recommended, of which 0 mod 5 (5, 10, 20) are disliked; 0 and 12 are liked
    # though held back, of which 0 and 12 were explored.
    whole = view.overall
    counts = (whole.recommended_liked, whole.recommended_disliked, whole.hidden_liked, whole.hidden_disliked)
    assert counts == (13, 3, 2, 6)
    assert (view.missed.liked_explored, view.missed.liked_later) == (2, 0)
    assert view.features is not None
    best = dict(status.best_features)
    changes = {each.name: each.now for each in view.features.changes}
    in_use = {name: changes[name] for name in changes.keys() & best}
    assert len(in_use) > 1
    assert in_use.items() <= best.items()
    assert view.features.in_use[-1].size == status.subset_size
    assert view.delays.median is not None
    assert [each.title for each in view.sources] == [""], "a feed that was never fetched has no title"
    assert (view.sources[0].likes, view.sources[0].dislikes) == (view.likes, view.dislikes)


def test_what_rules_decided_is_left_out_as_in_status(reader) -> None:
    say(reader, 0, 24, 5)
    turned = [reader.stories[n] for n in (1, 2, 5)]
    with reader.archive.database.write() as tx:
        rule_outcomes.put(tx, LOCAL_USER, turned, [RuleOutcome(seq, Action.NEVER, 0.0, ("never x",)) for seq in turned])
    view = history(reader, at(12)).view(learned=False, zone=UTC)
    status = reader.archive.news.status()
    assert (view.overall.f05, view.recommended, view.decided) == (status.f05, status.recommended, status.decided)
    assert view.overall.recommended_liked == 11


def test_a_month_ago_is_the_model_of_that_day_whatever_was_corrected(reader) -> None:
    say(reader, 0, 16, 5)
    learn(reader)
    then = correlations(reader.archive.news.models.load().model)
    assert then is not None
    say(reader, 16, 24, 20)
    reader.archive.say(Kind.DISLIKE, *reader.stories[1:5], at=at(21))  # corrections
    learn(reader)
    now = correlations(reader.archive.news.models.load().model)
    view = history(reader, at(40)).view(zone=UTC)
    assert view.features is not None
    assert view.features.before == at(10)
    assert now is not None
    assert {each.name: (each.now, each.before) for each in view.features.changes} == {
        each.name: (now[each.name], then[each.name]) for each in view.features.changes
    }
    assert any(each.now != each.before for each in view.features.changes)
    assert [(each.row, each.at) for each in view.features.in_use] == [(16, at(5.15)), (28, at(40))]
    early = history(reader, at(30)).view(zone=UTC)
    assert early.features is not None
    assert early.features.before is None
    assert {each.figure: each.words for each in early.missing}[
        "month"
    ] == "The comparison with a month ago starts on 6 April 2026."


def test_words_are_those_of_the_texts(reader) -> None:
    for article in reader.archive.leaders()[:40]:
        kind = Kind.LIKE if "the " in article.text else Kind.DISLIKE  # English, against other languages
        reader.archive.say(kind, article.seq, at=at(5))
    view = history(reader, at(12)).view(zone=UTC)
    assert view.words_liked is not None
    texts = [f"{each.text} {each.title} {each.url}".lower() for each in reader.archive.leaders()[:40]]
    for word in (*view.words_liked, *(view.words_disliked or ())):
        assert any(word.word.lower() in text for text in texts)
        assert word.liked + word.disliked >= 3


def test_history_without_learned_parts(reader) -> None:
    say(reader, 0, 24, 5)
    quick, whole = (history(reader, at(12)).view(learned=learned, zone=UTC) for learned in (False, True))
    assert (quick.features, quick.words_liked, quick.words_disliked, quick.scores) == (None, None, None, None)
    assert (quick.periods, quick.course, quick.calibration) == (whole.periods, whole.course, whole.calibration)
    assert {each.figure for each in quick.missing} <= {each.figure for each in whole.missing}


def test_the_page_of_a_real_reader_can_be_read_aloud(reader) -> None:
    say(reader, 0, 36, 5)
    learn(reader)
    past = history(reader, at(40))
    html = history_page(past.view(zone=UTC), zone=UTC)
    read = Page(html)
    assert read.open == []
    assert read.named("html") == [{"lang": "en"}]
    assert len(read.named("h1")) == len(read.named("main")) == 1
    identities = [attributes["id"] for _, attributes in read.tags if "id" in attributes]
    assert len(identities) == len(set(identities))
    assert {a["aria-labelledby"] for _, a in read.tags if "aria-labelledby" in a} <= set(identities)
    drawings = read.named("svg")
    assert len(drawings) >= 8
    assert all(d.get("aria-hidden") or (d["role"] == "img" and len(d["aria-label"] or "") > 15) for d in drawings)
    assert len(read.named("table")) == len(read.named("details")) == len(read.named("figure"))
    assert not any({"src", "href", "style", "onload"} & set(attributes) for _, attributes in read.tags)
    assert not {"script", "link", "img", "iframe", "a"} & {tag for tag, _ in read.tags}
    assert "url(" not in html
    assert "nan" not in read.text.lower().replace("financ", "")
    assert "None" not in read.text
