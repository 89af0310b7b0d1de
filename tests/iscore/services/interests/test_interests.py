"""Interests and headlines: each is in the log, and can be undone."""

from __future__ import annotations

import itertools
from datetime import UTC
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extractors.text.terms import TermVector
from iscore.core.errors import HeadlinesError, InterestError, UnknownArticleError
from iscore.evaluation.replay.stream_format import EPOCH, LabelledArticle
from iscore.filtering.features.computation import ArticleFeatures
from iscore.filtering.features.factory import load_extractors
from iscore.filtering.serialization import pack
from iscore.services.interests.import_sources import ImportsError
from iscore.services.reading.headlines import COUNT
from iscore.web.pages import list_page
from storage.log import evidence, feedback
from storage.records.users import LOCAL_USER, Kind, LogEntry
from storage.stream import features
from tests.iscore.conftest import START, Archive, Piece

NAMES, WORDS = ("wind power", "chess"), ("offshore", "storage", "openings")
STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "add", "weaken", "remove", "undo"]), st.integers(0, 1), st.integers(0, 2)),
    max_size=12,
)
Examples = dict[str, float]
"""Weight by words."""


def log(archive: Archive) -> list[LogEntry]:
    with archive.database.read() as tx:
        return feedback.effective(tx, LOCAL_USER)


def held(archive: Archive) -> dict[str, Examples]:
    """Every interest with its examples, as the list shows them."""
    return {each.name: {one.title: one.weight for one in each.examples} for each in archive.news.interests.list()}


def apply(interests, step: str, name: str, words: str) -> int:
    """Do one step; return how many examples it has changed."""
    if step == "add":
        return interests.add([words], name)[0].changed
    try:
        return getattr(interests, step)(name).changed
    except InterestError:
        return 0


def applied(now: Examples, step: str, words: str) -> Examples:
    """What a step should make of an interest."""
    if step == "add":
        return now | {words: 0.5}
    return {each: weight / 2 for each, weight in now.items()} if step == "weaken" else {}


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_the_effective_log_is_what_was_last_asked(archive: Archive, steps: list[tuple[str, int, int]]) -> None:
    number = next(ROUND)
    wanted: dict[str, Examples] = {f"{name} {number}": {} for name in NAMES}
    before: dict[str, list[Examples]] = {name: [] for name in wanted}
    for step, which, word in steps:
        name = [*wanted][which]
        words = f"{WORDS[word]} of {name}"
        then = wanted[name]
        if step == "undo":
            wanted[name] = before[name].pop() if before[name] else then
        else:
            wanted[name] = applied(then, step, words)
            if wanted[name] != then:
                before[name].append(then)
        changed = apply(archive.news.interests, step, name, words)
        assert bool(changed) == (wanted[name] != then)
    assert {name: examples for name, examples in held(archive).items() if name in wanted} == {
        name: examples for name, examples in wanted.items() if examples
    }
    weights = [entry.weight for entry in log(archive) if entry.interest in wanted]
    assert sorted(weights) == sorted(weight for examples in wanted.values() for weight in examples.values())


ROUND = itertools.count()
"""Each example of the test above has interests of its own."""


def test_interests_are_rows_of_the_log_and_teach(filled: Archive) -> None:
    interests = filled.news.interests
    assert [each.name for each in interests.add(["solar power", "tidal array"])] == ["solar power", "tidal array"]
    assert [(entry.kind, entry.form, entry.interest, entry.weight) for entry in log(filled)] == [
        (Kind.IMPORTED, "keywords", "solar power", 0.5),
        (Kind.IMPORTED, "keywords", "tidal array", 0.5),
    ]
    strong = pack(filled.news.models.load().model.state())
    interests.weaken("SOLAR")
    assert log(filled)[-1].weight == 0.25
    weak = filled.news.models.load().model
    assert pack(weak.state()) != strong
    assert pack(filled.news.models.replay().model.state()) == pack(weak.state())
    interests.remove("tidal array")
    filled.news.give(Kind.UNDO, [interests.list()[0].examples[0].id])
    assert log(filled) == []
    assert interests.undo("tidal").changed == 1
    assert [each.name for each in interests.list()] == ["tidal array"]


def test_words_belong_to_the_interest_that_they_were_last_added_to(archive: Archive) -> None:
    news = archive.news
    news.imports.learn([], keywords="chess, go")
    assert held(archive) == {"imported": {"chess": 0.5, "go": 0.5}}
    assert news.interests.add(["chess"], "board games")[0].changed == 1
    assert news.interests.add(["Shogi"], "BOARD GAMES")[0].name == "board games"
    assert news.imports.learn([], keywords="chess, go").learned == 0  # does not move it back
    assert held(archive) == {"imported": {"go": 0.5}, "board games": {"chess": 0.5, "Shogi": 0.5}}
    assert news.interests.undo("board").examples == 1
    news.interests.undo("board")
    assert held(archive) == {"imported": {"chess": 0.5, "go": 0.5}}
    assert [(each.items, each.in_use) for each in news.imports.list()] == [(2, 2), (1, 0), (1, 0)]


def test_examples_come_from_files_and_an_unreadable_one_changes_nothing(archive: Archive, tmp_path: Path) -> None:
    file, interests = tmp_path / "liked.txt", archive.news.interests
    file.write_text("https://a.example/1 Tidal power grows\nhttps://a.example/2 Wind at sea\n")
    view = interests.learn_from([str(file)], name="energy")
    assert (view.found, view.learned, view.old) == (2, 2, 0)
    assert interests.learn_from([str(file)], name="Energy").old == 2
    interests.weaken("energy")
    assert interests.learn_from([str(file)], name="energy").learned == 2
    assert held(archive) == {"energy": {"Tidal power grows": 0.5, "Wind at sea": 0.5}}
    with pytest.raises(ImportsError, match="no such file"):
        interests.learn_from([str(tmp_path / "none")], name="energy")
    assert [each.in_use for each in archive.news.imports.list()] == [0, 2]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no words"),
        (" \t", "has no words"),
        ("!?", "has no words"),
        ("of the", "no words that iScore compares"),
        ("word " * 10_000, "has 50,000 characters; use at most 1,000"),
    ],
)
def test_words_that_cannot_be_used_are_refused_and_nothing_is_added(archive: Archive, text: str, said: str) -> None:
    with pytest.raises(InterestError, match=said):
        archive.news.interests.add(["chess", text])
    assert archive.news.interests.list() == []


def test_names_are_found_by_their_beginning(archive: Archive) -> None:
    interests = archive.news.interests
    interests.add(["wind", "wind power", "ветряная энергетика", "再生可能エネルギー", "sentence " * 20])
    assert interests.weaken("WIND").name == "wind"
    assert interests.weaken("ветр").weight == 0.5
    assert interests.weaken("再生").examples == 1
    assert len(interests.weaken("sentence").name) <= 80
    with pytest.raises(InterestError, match=r"'wi' matches 2 interests \('wind', 'wind power'\)"):
        interests.remove("wi")
    for unknown in ("solar", ""):
        with pytest.raises(InterestError, match="no interest"):
            interests.remove(unknown)
    interests.remove("wind power")
    assert interests.remove("win").name == "wind"


def test_many_interests_at_once(archive: Archive) -> None:
    texts = [f"subject number {number}" for number in range(30)]
    assert [each.changed for each in archive.news.interests.add(texts)] == [1] * 30
    assert [each.name for each in archive.news.interests.list()] == texts


def news_of(topic: str, count: int, first: int = 0) -> list[Piece]:
    """Return articles of which each has two of the topic's words, in an order of its own, and three that all share."""
    words = topic.split()
    random = np.random.default_rng(len(topic) + first)
    made = []
    for number in range(first, first + count):
        own = [words[place] for place in random.permutation(len(words))[:2]]
        shared = [f"common{each}" for each in random.choice(40, 3, replace=False)]
        title = " ".join([*own, *shared, f"number{topic[0]}{number}"])
        made.append(
            Piece(
                f"{topic} {number}",
                title,
                "",
                f"https://news.example/{topic[:5]}{number}",
                "",
                "",
                "",
                (),
                "en",
                START,
                START,
            )
        )
    return made


def test_the_first_inbox_is_about_interests_and_one_that_finds_nothing_is_named(archive: Archive) -> None:
    news = archive.news
    subjects = ("tidal turbines harbour", "chess openings gambit", "concert violin opera", "football striker goal")
    archive.store([piece for subject in subjects for piece in news_of(subject, 30)])
    archive.measure()
    news.interests.add(["tidal turbines", "medieval beekeeping", "chess gambit, openings"])
    assert news.inbox(limit=0, learn=False).unmet == ()  # not yet looked for
    news.polling.decide()
    view = news.inbox()
    assert view.unmet == ("medieval beekeeping",)
    assert (view.learning.imported, view.learning.interests) == (3, 3)
    found = {
        name: [each for each in view.items if each.interest == name]
        for name in ("tidal turbines", "chess gambit, openings")
    }
    assert sum(map(len, found.values())) == len(view.items) >= 4
    for name, items in found.items():
        assert items
        assert all(set(name.replace(",", "").split()) & set(each.title.split()) for each in items)
    ordered = list_page.order(view.items, view.learning, START, UTC)
    told = list_page.sections(ordered, {}, learning=view.learning, now=START, zone=UTC)
    assert {part.heading for part in told} == set(found)

    archive.store([piece for subject in subjects for piece in news_of(subject, 90, 30)])
    archive.measure()
    news.polling.decide()  # the day has its recommendations: others are hidden
    first = news.headlines.views(news.headlines.choose()[:8])
    named = [
        next(name for name in found if set(name.replace(",", "").split()) & set(each.title.split())) for each in first
    ]
    assert set(named) == set(found)

    news.interests.remove("chess")
    news.interests.remove("tidal")
    assert news.inbox(limit=0).unmet == ("medieval beekeeping",)
    assert not any(each.interest for each in news.inbox(everything=True).items)


def test_headlines_become_likes_and_dislikes_of_one_batch(filled: Archive) -> None:
    news = filled.news
    first, second, *_ = filled.leaders()
    filled.say(Kind.LIKE, first.seq)
    shown = news.headlines.show()
    assert [each.number for each in shown] == list(range(1, len(shown) + 1))
    assert 10 < len(shown) <= COUNT
    assert first.id not in {each.id for each in shown}
    assert {each.id for each in shown} == {each.id for each in filled.leaders()[1:]}

    filled.say(Kind.SKIP, second.seq)  # said elsewhere meanwhile: it stays
    liked = [each.number for each in shown if each.id != second.id][:3]
    with pytest.raises(HeadlinesError, match="there is no headline 999"):
        news.headlines.answer_last([1, 999])
    with pytest.raises(UnknownArticleError):
        news.headlines.answer(["nothing2"], [])
    views = news.headlines.answer_last(liked)
    assert [view.id for view in views if view.verdict is Kind.LIKE] == [shown[number - 1].id for number in liked]
    assert len(views) == len(shown) - 1
    tally = {kind: sum(entry.kind is kind for entry in log(filled)) for kind in (Kind.LIKE, Kind.DISLIKE, Kind.SKIP)}
    assert tally == {Kind.LIKE: 4, Kind.DISLIKE: len(shown) - 4, Kind.SKIP: 1}

    assert news.headlines.show() == []
    with pytest.raises(HeadlinesError, match="no headlines are waiting"):
        news.headlines.answer_last([1])
    assert len(news.give(Kind.UNDO, news.verdicts.last())) == len(views)
    assert len(log(filled)) == 2


def test_an_answer_that_is_sent_twice_counts_once(filled: Archive) -> None:
    headlines = filled.news.headlines
    ids = headlines.choose()
    assert len(headlines.answer(ids, [1, 2], request="once")) == len(ids)
    assert headlines.answer(ids, [3], request="once") == []
    assert filled.news.verdicts.count_batch("once") == {Kind.LIKE: 2, Kind.DISLIKE: len(ids) - 2}
    assert len(filled.news.verdicts.undo_batch("once")) == len(ids)
    assert log(filled) == []
    assert filled.news.verdicts.undo_batch("once") == []


def test_a_single_word_has_the_language_of_the_news(filled: Archive) -> None:
    """By itself "coffee" is taken for another language, and its stem is in no article."""
    with filled.database.read() as tx:
        assert features.usual_language(tx) == "en"
    filled.news.interests.add(["coffee"], "drinks")
    (entry,) = [entry for entry in log(filled) if entry.interest == "drinks"]
    document = LabelledArticle(id="x", arrived=EPOCH, title="coffee", text="", labels={}, language="en")
    (measured,) = ArticleFeatures(load_extractors().extractors).analyse_many([document])
    with filled.database.read() as tx:
        stored = evidence.words(tx, [entry.seq], "")[entry.seq].terms
    assert TermVector.from_bytes(stored).ids.tolist() == measured.terms.ids.tolist()
