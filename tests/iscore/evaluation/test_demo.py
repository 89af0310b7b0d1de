"""Six days of the demonstration, with the real program and a real server."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from iscore.core.errors import DataFolderError
from iscore.evaluation import demo
from iscore.evaluation.demo import MARK, Stretch, bar, joined, run
from iscore.services.news_filter import NewsFilter


def test_six_days_are_lived_through(tmp_path: Path) -> None:
    steps: list[tuple[int, int, str]] = []
    result = run(tmp_path, lambda *step: steps.append(step), days=6)
    assert len(result.days) == 6
    assert result.articles == sum(day.articles for day in result.days) > 200
    # Verdicts exist only for what the inbox showed, at most so many a day.
    assert 50 < result.verdicts <= 5 * demo.READ_A_DAY
    assert 0 <= result.f05.first_third <= 1
    assert 0 <= result.f05.last_third <= 1
    assert steps[-1] == (6, 6, "done")
    assert (tmp_path / "digest.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "How your filter learns" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert all(Path(file).is_file() for file in result.files)
    told = result.told()
    assert f"{result.articles:,} articles, {result.verdicts:,} verdicts" in told
    assert f"`iscore --home {tmp_path / 'home'} stats`" in told
    assert result.digest.splitlines()[0] in told
    assert "railways" not in told
    assert "From day 15 on" in replace(result, days=(*result.days, Stretch(7, 15, 0, 0, 0, 0))).told()
    with NewsFilter.open(tmp_path / "home", clock=lambda: demo.START) as news:
        status = news.status()
        assert (status.likes + status.dislikes, status.to_learn) == (result.verdicts, 0)
        assert news.rebuild(check=True).equal is True


def test_somebody_elses_home_is_not_thrown_away(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "precious").touch()
    with pytest.raises(DataFolderError, match="not made by the demonstration"):
        run(tmp_path, days=1)
    assert [path.name for path in home.iterdir()] == ["precious"]
    assert MARK not in {path.name for path in home.iterdir()}


def test_rates_are_worked_by_hand() -> None:
    first = Stretch(1, 1, articles=10, delivered=4, liked=3, hits=2)
    second = Stretch(2, 2, articles=20, delivered=0, liked=0, hits=0)
    assert (first.precision, first.recall) == (0.5, 2 / 3)
    assert first.f05 == pytest.approx(1.25 * 0.5 * (2 / 3) / (0.25 * 0.5 + 2 / 3))
    assert (second.precision, second.recall, second.f05) == (0.0, 0.0, 0.0)
    assert joined([first, second]) == Stretch(1, 2, articles=30, delivered=4, liked=3, hits=2)
    assert [len(bar(share)) for share in (0.0, 0.5, 1.0)] == [0, 10, 20]
