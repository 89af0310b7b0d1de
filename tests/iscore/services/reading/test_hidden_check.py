"""Checks of hidden stories: drawn at random, kept apart in the log, and counted with their range."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from iscore.services.views.status import HiddenCheck
from storage.log import feedback
from storage.records.users import LOCAL_USER, Kind
from tests.iscore.conftest import START, Archive, Piece
from tests.iscore.services.exports import exported, imported


def decided(archive: Archive) -> list[str]:
    """Decide with a few likes, and return the ids of the hidden stories."""
    archive.tell([(Kind.LIKE, each.seq) for each in archive.leaders() if "Ferry" in each.title][:4])
    archive.news.polling.decide()
    inbox = archive.news.inbox(everything=True, learn=False, limit=None).items
    return [each.id for each in inbox if not (each.interesting or each.explore)]


def counts(archive: Archive) -> tuple[int, int]:
    found = archive.news.headlines.checked()
    return found.liked, found.checked


def test_the_same_hidden_stories_are_drawn_all_day_and_others_on_the_next(filled: Archive) -> None:
    hidden = decided(filled)
    headlines = filled.news.headlines
    drawn = headlines.draw()
    assert len(drawn) == 10 < len(hidden)
    assert set(drawn) <= set(hidden)
    assert headlines.draw() == drawn
    filled.news.context.clock = lambda: START + timedelta(days=1)
    assert headlines.draw() != drawn


def test_every_hidden_story_is_drawn_as_often(filled: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    hidden = decided(filled)
    found: Counter[str] = Counter()
    for day in range(200):
        monkeypatch.setattr(type(filled.news.context), "today", lambda _, day=day: day)
        found.update(filled.news.headlines.draw())
    assert found.keys() == set(hidden)
    expected = 2000 / len(hidden)
    assert sum((count - expected) ** 2 / expected for count in found.values()) < 2 * len(hidden)


@pytest.mark.parametrize(
    ("liked", "later", "expected"),
    [
        ([], [], (0, 10)),
        ([3], [], (1, 10)),
        ([1, 2], [(Kind.LIKE, 9)], (3, 10)),  # opinions are those of now
        ([1, 2], [(Kind.UNDO, 0), (Kind.SKIP, 8)], (1, 8)),  # without an opinion it tells nothing
    ],
)
def test_only_checks_are_counted(
    filled: Archive, liked: Sequence[int], later: Sequence[tuple[Kind, int]], expected: tuple[int, int]
) -> None:
    hidden, news = decided(filled), filled.news
    assert news.status(details=False).checked == HiddenCheck()
    drawn = [each.id for each in news.headlines.show(check=True)]
    chosen = [each for each in hidden if each not in drawn][:2]
    news.give(Kind.LIKE, chosen)  # found by the user: no random draw
    views = news.headlines.answer_last(liked)
    assert [view.id for view in views] == drawn
    for kind, place in later:
        news.give(kind, [drawn[place]])
    assert counts(filled) == expected
    found = news.status(details=False).checked
    assert found == news.history.view(learned=False).missed.checked
    assert found.low <= expected[0] / expected[1] <= found.high
    undone = {drawn[place] for kind, place in later if kind is Kind.UNDO}
    assert set(drawn) & set(news.headlines.draw()) <= undone


def test_the_log_says_which_verdicts_are_of_a_check(filled: Archive) -> None:
    decided(filled)
    news = filled.news
    page = news.headlines.show()
    news.headlines.answer_last([page[0].number])
    assert counts(filled) == (0, 0)
    news.verdicts.undo_batch(last_batch(filled))
    news.headlines.show(check=True)
    news.headlines.answer_last([1])
    assert last_batch(filled).startswith(feedback.CHECK)
    assert counts(filled) == (1, 10)
    news.give(Kind.UNDO, news.verdicts.last())
    assert counts(filled) == (0, 0)


def last_batch(archive: Archive) -> str:
    with archive.database.read() as tx:
        return feedback.effective(tx, LOCAL_USER)[-1].id.partition("/")[0]


def test_the_newest_are_counted(filled: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    decided(filled)
    news = filled.news
    for liked in ([1, 2], []):
        news.headlines.show(check=True)
        news.headlines.answer_last(liked)
    assert counts(filled) == (2, 20)
    monkeypatch.setattr(feedback, "NEWEST_CHECKED", 10)
    assert counts(filled) == (0, 10)


def test_an_export_keeps_them(filled: Archive, pieces: list[Piece], tmp_path: Path) -> None:
    decided(filled)
    filled.news.headlines.show(check=True)
    filled.news.headlines.answer_last([4])
    other = Archive(tmp_path / "other")
    other.store(pieces)
    other.measure()
    imported(other.home, exported(filled.home))
    assert counts(other) == counts(filled) == (1, 10)
    other.database.close()
