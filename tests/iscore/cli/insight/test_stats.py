"""``iscore stats`` in 80 columns, and as a page."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iscore.cli import main
from iscore.cli.insight.stats import report
from iscore.cli.terminal import output
from iscore.cli.terminal.sparklines import ASCII, BLOCKS, WIDEST, Pen, thinned
from iscore.services.views.history import Calibration, Delays, FeatureHistory, HistoryView, Missing
from tests.iscore.presentation.report.views import past
from tests.iscore.services.insight.made_verdicts import START

Capture = pytest.CaptureFixture[str]


def shown(view: HistoryView, capsys: Capture, *, details: bool = False) -> list[str]:
    output.render(*report(view, ASCII, details=details))
    return capsys.readouterr().out.splitlines()


def test_rates_over_time(capsys: Capture) -> None:
    lines = shown(past(), capsys)
    since = START.astimezone()
    assert lines[:10] == [
        f"Since {since.day} March 2026: 2,100 articles, 200 recommended, 20 explored; 60 likes, 30",
        "dislikes, 4 skips.",
        "",
        "liked          67 %  =====================  of what was recommended on arrival",
        "missed       1–24 %                         of 20 hidden stories that you",
        "                                            checked you like 1",
        "arrived         110  *****################  a day",
        "recommended      10  ___..---::===++***###  a day",
        "explored          1  #####################  a day",
        "read              4  #####################  a day",
    ]
    details = shown(past(), capsys, details=True)
    without_spaces = [" ".join(each.split()) for each in details]
    assert "F0.5 0.67 __..---::===++***### agreement on what you saw" in without_spaces
    assert "threshold +0.40 ___..---::==+++**### log-odds" in without_spaces
    assert max(map(len, lines)) <= 80


def test_sources_features_and_words_are_named(capsys: Capture) -> None:
    plain = shown(past(), capsys)
    assert plain[plain.index("What your likes have in common") + 1] == "– means Energy Wire0"
    assert not any("+0.50" in line for line in plain)
    lines = shown(past(), capsys, details=True)
    assert "#########.  9 of 10  Energy Wire 0  consider unfollowing: you like 0" in lines
    assert "code_0  +0.50  +0.40        means Energy Wire0" in lines
    assert "           23               of 45 in use" in lines
    assert "Energy Wire0 (20:1), Energy Wire1 (19:1), Energy Wire2 (18:1)" in lines
    assert "30–40 %   ######..............  30 % of 12" in lines
    assert "Half of your verdicts come within 2.5 hours of the article's arrival." in lines
    wordy = replace(past().sources[0], hint="you like 0 of 13 here, and 57 % elsewhere")
    folded = shown(replace(past(), sources=(wordy, *past().sources[1:])), capsys)
    assert "#########.  9 of 10  Energy Wire 0  consider unfollowing: you like 0 of 13 here," in folded
    assert max(map(len, folded)) <= 80
    many = replace(past(), sources=past().sources * 3)
    assert "                     …" in shown(many, capsys)


def test_missing_parts(capsys: Capture) -> None:
    view = replace(
        past(),
        since=None,
        periods=(),
        course=(),
        sources=(),
        features=FeatureHistory(45, (), (), None),
        words_liked=(),
        words_disliked=None,
        calibration=Calibration((), 0, None),
        delays=Delays((), None),
        missing=(Missing("course", "This needs 20 verdicts."),),
    )
    assert shown(view, capsys) == ["No articles scored yet.", "", "Not enough data yet", "– This needs 20 verdicts."]


def test_foreign_names_command_no_terminal(capsys: Capture) -> None:
    lines = shown(past("\x1b]0;evil\x07\x1b[31mred[/x]\u202e"), capsys)
    assert not any("\x1b" in line or "\u202e" in line for line in lines)
    assert any("red[/x]" in line for line in lines)


@given(st.lists(st.one_of(st.none(), st.floats(-1e6, 1e6)), max_size=200), st.sampled_from([BLOCKS, ASCII]))
def test_a_sparkline_is_as_high_as_its_values(values: list[float | None], pen: Pen) -> None:
    line = pen.line(values)
    chosen = thinned(values)
    assert len(chosen) <= WIDEST
    if values:
        assert chosen[-1] == values[-1]
    if any(value is not None for value in chosen):
        assert len(line) == len(chosen)
        levels = [pen.levels.find(letter) for letter in line]
        pairs = sorted((value, level) for value, level in zip(chosen, levels, strict=True) if value is not None)
        assert [level for _, level in pairs] == sorted(level for _, level in pairs)
        assert all((level == -1) == (value is None) for value, level in zip(chosen, levels, strict=True))


def test_sparklines_and_bars_by_hand() -> None:
    assert BLOCKS.line([0.0, 0.5, None, 1.0], 0.0, 1.0) == "▁▅ █"
    assert ASCII.line([3.0, 3.0]) == "=="
    assert ASCII.line([]) == ASCII.line([None]) == ""
    assert [ASCII.bar(share, 4) for share in (-1.0, 0.0, 0.5, 2.0)] == ["....", "....", "##..", "####"]


def test_a_report_is_written_and_a_mistake_leaves_no_trace(tmp_path: Path, capsys: Capture) -> None:
    home = ["--home", str(tmp_path / "home")]
    assert main([*home, "init", "--json"]) == 0
    capsys.readouterr()
    file = tmp_path / "mine.html"
    assert main([*home, "stats", "--html", str(file), "--json"]) == 0
    view = json.loads(capsys.readouterr().out)
    assert view["words_liked"] is not None, "the page has all of it"
    assert {each["figure"] for each in view["missing"]} >= {"course", "volume", "words"}
    assert "How your filter learns" in file.read_text(encoding="utf-8")
    assert main([*home, "stats", "--html", str(file)]) == 0
    assert capsys.readouterr().out == f"Wrote {file}.\n"
    assert main([*home, "stats", "--html", str(tmp_path / "nowhere" / "report.html")]) == 1
    assert "nowhere" in capsys.readouterr().err
    assert main([*home, "stats", "--feeds", "--html", str(tmp_path / "other.html")]) == 2
    assert "--feeds goes with no other option" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "mine.html"]
    assert main([*home, "stats"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("No articles scored yet.")
    assert main([*home, "stats", "--json"]) == 0
    quick = json.loads(capsys.readouterr().out)
    assert (quick["features"], quick["words_liked"], quick["periods"]) == (None, None, [])
