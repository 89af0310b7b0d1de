"""Four days of the demo, with the real program and a real server."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.pictures import DAYS, RECORD, figures
from iscore.core.errors import DataFolderError
from iscore.evaluation import demo
from iscore.evaluation.demo import MARK, DemoResult, Period, SampleNews, bar, learning_page, run, total
from iscore.services.news_filter import NewsFilter

STEPS: list[tuple[int, int, str]] = []


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> DemoResult:
    """The first days; the data folder is read only."""
    return run(tmp_path_factory.mktemp("demo"), lambda *step: STEPS.append(step), days=DAYS)


@pytest.mark.long
def test_the_pictures_of_the_documentation_show_this_model(first: DemoResult) -> None:
    assert figures(first) == json.loads(RECORD.read_text(encoding="utf-8")), "run `make pictures`"


@pytest.mark.long
def test_the_filter_still_finds_much_in_the_last_days(tmp_path: Path) -> None:
    """A false alarm about a change of interest on the tenth day once made it recommend next to nothing from then on."""
    assert run(tmp_path / "demo").f05.last_third > 0.6


@pytest.mark.long
def test_two_runs_are_the_same(first: DemoResult, tmp_path: Path) -> None:
    second = run(tmp_path / "second", days=DAYS)
    assert replace(second, home=first.home, files=first.files) == first
    for one, other in zip(first.files, second.files, strict=True):
        assert Path(one).read_text(encoding="utf-8") == Path(other).read_text(encoding="utf-8")

    assert len(first.days) == DAYS
    assert first.articles == sum(day.articles for day in first.days) > 150
    # Verdicts exist only for what the inbox showed, at most ``READ_PER_DAY`` a day.
    assert 20 < first.verdicts <= (DAYS - 1) * demo.READ_PER_DAY
    assert STEPS[-1] == (DAYS, DAYS, "done")
    check_text(first)
    with NewsFilter.open(Path(first.home), clock=lambda: SampleNews.load().start) as news:
        status = news.status()
        assert (status.likes + status.dislikes, status.to_learn) == (first.verdicts, 0)
        assert news.models.rebuild(check=True).equal is True


def check_text(result: DemoResult) -> None:
    text = result.text()
    assert f"{result.articles:,} articles, {result.verdicts:,} verdicts" in text
    assert f"`iscore --home {result.home} stats`" in text
    assert result.digest.splitlines()[0] in text
    assert "railways" not in text
    assert "From day 15 on," in replace(result, days=(*result.days, Period(5, 15, 0, 0, 0, 0))).text()


def test_a_data_folder_that_the_demo_did_not_make_is_not_deleted(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "precious").touch()
    with pytest.raises(DataFolderError, match="not made by the demo"):
        run(tmp_path, days=1)
    assert [path.name for path in home.iterdir()] == ["precious"]
    assert MARK not in {path.name for path in home.iterdir()}


def test_rates_are_worked_by_hand() -> None:
    first = Period(1, 1, articles=10, delivered=4, liked=3, hits=2)
    second = Period(2, 2, articles=20, delivered=0, liked=0, hits=0)
    assert (first.precision, first.recall) == (0.5, 2 / 3)
    assert first.f05 == pytest.approx(1.25 * 0.5 * (2 / 3) / (0.25 * 0.5 + 2 / 3))
    assert (second.precision, second.recall, second.f05) == (0.0, 0.0, 0.0)
    assert total([first, second]) == Period(1, 2, articles=30, delivered=4, liked=3, hits=2)
    assert [len(bar(share)) for share in (0.0, 0.5, 1.0)] == [0, 10, 20]


def test_the_chart_shows_three_lines_and_their_numbers() -> None:
    page = learning_page([Period(day, day, articles=10, delivered=4, liked=3, hits=2) for day in (1, 2, 3)])
    assert page.startswith("<!doctype html>")
    assert page.count('class="line s') == 6  # three in the drawing, three in the legend
    assert "<td>0.67</td>" in page
