"""One sitting: what an undo leaves behind, and why the number of recommendations changes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path

import pytest
from sqlalchemy import update

from iscore import __version__
from iscore.presentation.wording.scores import change_words
from iscore.services.learning.loaded_model import STATE_VERSION
from iscore.services.learning.scoring import score_new
from iscore.services.news_filter import NewsFilter
from storage.log import decisions
from storage.records.users import LOCAL_USER, Kind
from storage.schema import current_scores, snapshots
from tests.iscore.conftest import START, Archive, Piece

STORIES = 250
Rows = list[tuple[object, ...]]


class Sitting:
    """A user who goes through 250 stories of the sample news, a few seconds each."""

    def __init__(self, archive: Archive, pieces: list[Piece]) -> None:
        """``pieces``: what is still to come."""
        self.now = START + timedelta(hours=1)
        self.database = archive.database
        self.news = NewsFilter(archive.home, archive.database, self.time)
        self._archive, self._pieces = archive, iter(pieces)
        self.stories = archive.leaders()

    def time(self) -> datetime:
        return self.now

    def poll(self, count: int) -> None:
        """Do what a poll does when it finds a number of articles."""
        news = self.news
        self._archive.store(list(islice(self._pieces, count)), at=self.now)
        done = score_new(
            self.database,
            news.context.user,
            news.models.up_to_date(),
            news.extractors.article_feature_names,
            now=self.now,
            load=news.models.load,
        )
        self.decided = done.scored

    def give(self, kind: Kind, *ids: str) -> None:
        self.now += timedelta(seconds=20)
        self.news.give(kind, ids)

    def rows(self) -> Rows:
        """The current score, threshold and decision of every story, to the bit."""
        self.news.models.catch_up()
        with self.database.read() as tx:
            columns = "seq, hex(score), score, threshold, interesting, explore"
            return list(map(tuple, tx.connection.exec_driver_sql(f"SELECT {columns} FROM current_scores ORDER BY seq")))


@pytest.fixture(scope="module")
def polled_home(empty_home: Path, pieces: list[Piece], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home before the sitting, closed."""
    archive = Archive.copied(empty_home, tmp_path_factory.mktemp("polled") / "home")
    Sitting(archive, pieces).poll(STORIES)
    archive.database.close()
    return archive.home.path


@pytest.fixture
def sitting(polled_home: Path, pieces: list[Piece], tmp_path: Path) -> Iterator[Sitting]:
    archive = Archive.copied(polled_home, tmp_path / "home")
    yield Sitting(archive, pieces[STORIES:])
    archive.database.close()


def test_a_verdict_and_its_undo_leave_no_trace(sitting: Sitting) -> None:
    ids = [article.id for article in sitting.stories]
    for verdicts in (0, 30):
        given = [article for article in sitting.stories[:verdicts] if sitting.news.show(article.id).verdict is None]
        for article in given:
            sitting.give(
                Kind.LIKE if "orrery" in article.url or "longview" in article.url else Kind.DISLIKE, article.id
            )
        sitting.poll(40)
        before = sitting.rows()
        inbox = sitting.news.inbox(limit=None)
        for kind in (Kind.LIKE, Kind.DISLIKE):
            sitting.give(kind, ids[-1])
            if sitting.news.status().learning.likes or kind is Kind.LIKE:  # without a like nothing can be ranked
                assert sitting.rows() != before
            sitting.give(Kind.UNDO, ids[-1])
            assert sitting.rows() == before
            assert sitting.news.inbox(limit=None).items == inbox.items
    assert sum(bool(row[4]) for row in before) > 3  # there are recommendations by now


def test_an_import_and_its_undo_leave_no_trace(sitting: Sitting, tmp_path: Path) -> None:
    before = sitting.rows()
    (tmp_path / "links.txt").write_text(
        "\n".join(f"https://elsewhere.example/{number} Orbit of the probe number {number}" for number in range(22))
    )
    done = sitting.news.imports.learn([str(tmp_path / "links.txt")])
    assert (done.learned, done.number is not None) == (22, True)
    assert sitting.rows() != before
    sitting.news.imports.undo(done.number or 0)
    assert sitting.rows() == before


def test_a_large_change_of_the_number_of_recommendations_is_explained(sitting: Sitting, tmp_path: Path) -> None:
    def recommended() -> int:
        return sum(item.interesting for item in sitting.news.inbox(everything=True, limit=None).items)

    def explained() -> str:
        return change_words(sitting.news.inbox().change)

    assert (recommended(), explained()) == (0, "")
    liked = [article.id for article in sitting.stories if "orrery" in article.url][:3]
    other = next(article.id for article in sitting.stories if article.id not in liked)
    for kind in (Kind.LIKE, Kind.DISLIKE, Kind.UNDO, Kind.LIKE, Kind.UNDO):
        sitting.give(kind, other)  # what was undone causes nothing
    sitting.give(Kind.DISLIKE, liked[0])
    sitting.give(Kind.LIKE, *liked, liked[0])
    first = recommended()
    assert first > 3
    assert explained() == f"Recommendations went from 0 to {first} after 3 verdicts."
    sitting.give(Kind.UNDO, *liked)
    assert recommended() == 0
    # The stories themselves are back among those that were recommended.
    assert explained() == f"Recommendations went from {first + 3} to 0 after 3 undone verdicts."
    # A round that changes little has nothing to explain, and a change of yesterday is no news.
    sitting.give(Kind.DISLIKE, *liked)
    assert (recommended(), explained()) == (0, "")
    titles = [article.title for article in sitting.stories if "touchline" in article.url]
    (tmp_path / "links.txt").write_text("".join(f"https://e.example/{n} {title}\n" for n, title in enumerate(titles)))
    sitting.news.imports.learn([str(tmp_path / "links.txt")])
    imported = recommended()
    assert explained() == f"Recommendations went from 0 to {imported} after {len(titles)} interests or examples."
    for hours in (44, 24):  # each day has a number of its own
        sitting.now += timedelta(hours=hours)
        sitting.poll(60)
    assert recommended() > 4 / 3 * imported
    assert explained().endswith(f"to {recommended()} after {sitting.decided} new articles.")
    sitting.now += timedelta(hours=25)
    assert explained() == ""


def test_a_poll_without_news_changes_nothing(sitting: Sitting) -> None:
    for article in sitting.stories[:20]:
        sitting.give(Kind.LIKE if "orrery" in article.url else Kind.DISLIKE, article.id)
    before = sitting.rows()
    sitting.now += timedelta(minutes=5)
    sitting.poll(0)
    assert sitting.rows() == before


@pytest.mark.parametrize(
    ("former", "margin"),
    [
        ("4; iscore-news 0.1.0 numba 0.61", 0.0),
        (f"{STATE_VERSION - 1}; iscore {__version__}; ", 1.0),
    ],
)
def test_the_first_list_after_an_upgrade_has_new_scores_and_says_what_changed(
    sitting: Sitting, former: str, margin: float
) -> None:
    for article in sitting.stories[:20]:
        sitting.give(Kind.LIKE if "orrery" in article.url else Kind.DISLIKE, article.id)
    rows, inbox = sitting.rows(), sitting.news.inbox(limit=None)
    recommended = sum(item.interesting for item in inbox.items)
    assert recommended > 3
    score = current_scores.c.score - margin
    with sitting.database.write() as tx:
        tx.connection.execute(update(snapshots).values(fingerprint=former))
        tx.connection.execute(
            update(current_scores).values(score=score, interesting=score >= current_scores.c.threshold)
        )
        before = decisions.recommended(tx, LOCAL_USER, START)
    after = sitting.news.inbox(limit=None)
    assert (after.items, sitting.rows()) == (inbox.items, rows)
    number = f"from {before} to {recommended} after" if margin else f"; {recommended} are recommended, as before"
    assert number in change_words(after.change)
    assert "an upgrade of iScore" in change_words(after.change)


def test_without_an_upgrade_nothing_is_scored_again(sitting: Sitting) -> None:
    sitting.give(Kind.LIKE, sitting.stories[0].id)
    sitting.rows()
    with sitting.database.write() as tx:
        tx.connection.exec_driver_sql("UPDATE current_scores SET score = 0.125")
    assert {row[2] for row in sitting.rows()} == {0.125}
