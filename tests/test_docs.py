"""The documentation says what the program does: commands, options, settings, keys, links, figures, quick start."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import annotated_types
import pytest
import typer

from extractors import EXTRACTORS, Context
from extractors.extractor import DocumentExtractor
from iscore.cli.app import app
from iscore.core.settings import Settings
from iscore.evaluation import demo
from iscore.evaluation.replay.run import Replayed
from iscore.jobs.maintenance.backup import BackupView
from iscore.jobs.maintenance.check import CheckupView
from iscore.jobs.maintenance.export import ExportView
from iscore.jobs.maintenance.import_export import ImportView
from iscore.jobs.maintenance.prune import PruneView
from iscore.jobs.maintenance.restore import RestoreView
from iscore.learners import LEARNERS
from iscore.sample import News, NewsServer
from iscore.services.views import articles, digests, feeds, mail, rules
from iscore.services.views.history import HistoryView, ReportView
from tests.servers import nursery

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").glob("*.md"))]
GUIDE = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
DEVELOPING = (ROOT / "docs" / "developing.md").read_text(encoding="utf-8")


def _commands(command: Any, path: str = "iscore") -> Iterator[tuple[str, Any]]:
    """Give every command that does something, by what a person types."""
    if not hasattr(command, "commands"):
        yield path, command
        return
    for name, inner in command.commands.items():
        yield from _commands(inner, f"{path} {name}")


PROGRAM_TREE = typer.main.get_command(app)
COMMANDS = dict(_commands(PROGRAM_TREE))


def _options(command: Any) -> set[str]:
    return {name for option in command.params for name in option.opts if name.startswith("-")} - {"--help", "-h"}


def _section(text: str, heading: str) -> str:
    """Return what stands under a heading, up to the next of the same or a higher level."""
    level = heading.partition(" ")[0]
    _, found, rest = text.partition(f"\n{heading}\n")
    assert found, f"there is no heading {heading!r}"
    return re.split(rf"\n#{{1,{len(level)}}} ", rest)[0]


def _rows(section: str) -> list[list[str]]:
    """Return the rows of a section's tables whose first cell begins with a code span."""
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines]


def _code(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def _typed(text: str) -> list[str]:
    """Return the commands in a page's blocks: lines with a prompt, and indented or fenced ones that call iscore."""
    lines = re.findall(r"^(?:\$ | {4}|)(?:\.venv/bin/)?(iscore [a-z-].*)$", text, re.MULTILINE)
    return [line.partition(" | ")[0].partition(" >")[0] for line in lines]


# The program is in the guide


@pytest.mark.parametrize("path", COMMANDS)
def test_the_guide_has_a_section_for_each_command_with_all_its_options(path: str) -> None:
    section = _section(GUIDE, f"### `{path}`")
    named = {word for code in _code(section) for word in code.split() if word.startswith("-")}
    assert named == _options(COMMANDS[path])


def test_the_guide_describes_no_command_that_does_not_exist() -> None:
    assert set(re.findall(r"^### `(iscore [^`]+)`$", GUIDE, re.MULTILINE)) == set(COMMANDS)


def test_the_guide_has_the_options_of_every_command() -> None:
    named = {word for row in _rows(_section(GUIDE, "## All commands")) for word in _code(row[0])}
    assert named == _options(PROGRAM_TREE)


def test_the_guide_has_every_setting_with_its_default_and_bounds() -> None:
    rows = _rows(_section(GUIDE, "## Settings"))
    assert [_code(row[0])[0] for row in rows] == list(Settings.model_fields)
    for row, (name, setting) in zip(rows, Settings.model_fields.items(), strict=True):
        assert _code(row[1]) == [json.dumps(setting.default)], name
        assert row[2] == _allowed(setting, row[2]), name
        assert len(row[3]) > 20, name


def _allowed(setting: Any, stated: str) -> str:
    """Word a setting's bounds as the guide does; what has none may be worded freely."""
    bounds = {type(bound): bound for bound in setting.metadata}
    low, high = bounds.get(annotated_types.Ge), bounds.get(annotated_types.Le)
    if low is not None and high is not None:
        return f"{low.ge:g} to {high.le:g}"
    if low is not None:
        return f"{low.ge} or more"
    if annotated_types.Gt in bounds:
        return f"above {bounds[annotated_types.Gt].gt}"
    return stated


def test_the_guide_names_every_learner() -> None:
    (row,) = [row for row in _rows(_section(GUIDE, "## Settings")) if row[0] == "`classifier`"]
    assert set(_code(row[3])) == set(LEARNERS)


def test_every_environment_variable_is_documented() -> None:
    sources = [file for package in ("iscore", "extractors", "storage") for file in (ROOT / package).rglob("*.py")]
    text = "".join(file.read_text(encoding="utf-8") for file in sources)
    read = set(re.findall(r"[\"'](ISCORE_[A-Z_]*[A-Z])[\"']", text))
    assert {"ISCORE_HOME", "ISCORE_NOW", "ISCORE_DEBUG"} <= read
    assert [name for name in sorted(read) if name not in GUIDE] == []


# The keys of --json are in the guide

VIEWS = {
    "iscore feeds add": feeds.AddedFeeds,
    "iscore feeds import": feeds.ImportedFeeds,
    "iscore feeds export": feeds.ExportedFeeds,
    **dict.fromkeys(("iscore feeds list", "iscore feeds check"), articles.FeedView),
    "iscore feeds stats": feeds.FeedStatistics,
    "iscore poll": articles.PollView,
    **dict.fromkeys(("iscore inbox", "iscore review"), articles.InboxItem),
    "iscore show": articles.ArticleView,
    "iscore why": articles.WhyView,
    **dict.fromkeys(("iscore like", "iscore dislike", "iscore skip", "iscore undo"), articles.VerdictView),
    "iscore teach": articles.InboxItem,
    "iscore learn-from": articles.ImportedItemsView,
    "iscore seeds list": articles.ImportView,
    "iscore seeds show": articles.ImportedItemView,
    **dict.fromkeys(("iscore rules add", "iscore rules list", "iscore rules remove"), rules.RuleView),
    "iscore rules test": rules.RuleTrial,
    "iscore digest": digests.DigestView,
    **dict.fromkeys(("iscore mail send", "iscore mail list"), mail.MailingView),
    "iscore mail test": mail.TrialMailView,
    "iscore status": articles.StatusView,
    "iscore stats": HistoryView,
    "iscore report": ReportView,
    "iscore model rebuild": articles.RebuildView,
    "iscore replay": Replayed,
    "iscore doctor": CheckupView,
    "iscore backup": BackupView,
    "iscore restore": RestoreView,
    "iscore prune": PruneView,
    "iscore export": ExportView,
    "iscore import": ImportView,
    "iscore demo": demo.DemoResult,
}


def test_the_guide_has_the_keys_of_every_json_document() -> None:
    rows = _rows(_section(GUIDE, "## For programs"))
    keys = {command: _code(row[2]) for row in rows for command in _code(row[0])}
    assert set(keys) == {path for path, command in COMMANDS.items() if "--json" in _options(command)}
    for command, view in VIEWS.items():
        assert keys[command] == [field.name for field in dataclasses.fields(view)], command


# What the pages show exists


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_that_a_page_shows_can_be_typed(page: Path) -> None:
    for line in _typed(page.read_text(encoding="utf-8")):
        words = shlex.split(line)[1:]
        if words[:1] == ["--home"]:
            words = words[2:]
        command, path = PROGRAM_TREE, "iscore"
        while words and hasattr(command, "commands"):
            path = f"{path} {words[0]}"
            command = command.commands.get(words.pop(0))
            assert command is not None, f"{line}: there is no {path}"
        known = _options(command) | _options(PROGRAM_TREE)
        assert [word for word in words if word.startswith("-") and word not in known] == [], line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_target_of_make_that_a_page_names_exists(page: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert {"demo", "run"} <= targets
    named = re.findall(r"(?:`|^\$ )make ([a-z]+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert [name for name in named if name not in targets] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_within_the_project_leads_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if link.startswith(("https://", "http://")):
            continue
        address, _, anchor = link.partition("#")
        target = (page.parent / address).resolve() if address else page
        assert target.exists(), link
        if anchor:
            assert anchor in _anchors(target.read_text(encoding="utf-8")), link


def _anchors(text: str) -> set[str]:
    """Return the anchors that headings get on the usual hosts of Markdown."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_path_that_the_developer_s_guide_names_exists() -> None:
    named = re.findall(r"`((?:iscore|extractors|storage|tests|benchmarks)/[\w/.]+)`", DEVELOPING)
    assert len(named) > 15
    made_up = {"extractors/questions.py", "tests/extractors/test_questions.py"}
    assert [path for path in named if path not in made_up and not (ROOT / path).exists()] == []


def test_the_map_has_every_module_of_the_house() -> None:
    floors = {name for row in _rows(_section(DEVELOPING, "## Map of the house")) for name in _code(row[0])}
    assert floors == {file.parent.name for file in (ROOT / "iscore").glob("*/__init__.py")}


def test_the_developer_s_extractor_works() -> None:
    code = re.search(r"```python\n(.*?)```", _section(DEVELOPING, "## Add an extractor"), re.DOTALL)
    assert code is not None
    names: dict[str, Any] = {"__name__": "questions"}
    exec(compile(code[1], "developing.md", "exec"), names)
    extractor: Any = names["Questions"]()
    assert issubclass(names["Questions"], DocumentExtractor)
    assert set(extractor.meanings) == set(extractor.features)
    assert "questions" not in EXTRACTORS
    for title, expected in (("Who pays?", 1.0), ("They pay.", 0.0)):
        article = type("Titled", (), {"title": title})()
        assert extractor.extract(article, None) == [expected]


# Figures


def test_the_number_of_features_is_right() -> None:
    features = [name for make in EXTRACTORS.values() for name in make(Context()).features]
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    told = re.findall(r"\[(\d+) measures\]", text)
    assert told == [str(len(features))] * 2


def test_the_readme_s_figures_are_those_of_the_benchmarks() -> None:
    rows = [line.strip("| ").split(" | ") for line in _section(README, "## Figures").splitlines() if "](" in line]
    figures = [row for row in rows if len(row) == 3]
    assert len(figures) >= 5
    for what, measured, results in figures:
        link = re.search(r"\(([^)]+)\)", results)
        assert link is not None
        number = re.sub(r"[^\d.,]", "", measured)
        assert f"| {number} |" in (ROOT / link[1]).read_text(encoding="utf-8"), what


@pytest.mark.parametrize("page", ["decisions.md", "experiments.md"])
def test_the_figures_of_decisions_and_experiments_are_those_of_the_benchmarks(page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    tables = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "benchmarks" / "results").glob("*.md"))
    measured = {cell.strip() for line in tables.splitlines() if line.startswith("|") for cell in line.split("|")}
    figures = re.findall(r"\b(?:0\.\d{3,}|\d+\.\d+(?= µs))", text)
    assert len(figures) >= 8
    # A table drops the noughts at the end.
    assert [figure for figure in figures if figure not in measured and figure.rstrip("0") not in measured] == []


def test_every_result_is_explained_to_developers() -> None:
    rows = _rows(_section(DEVELOPING, "## Benchmarks"))
    explained = {_code(row[2])[0] for row in rows}
    assert {file.stem for file in (ROOT / "benchmarks" / "results").glob("*.md")} <= explained
    for row in rows:
        module = _code(row[0])[0].rpartition(".")[2]
        assert (ROOT / "benchmarks" / f"{module}.py").is_file(), module


# The quick start


def test_the_quick_start_works(tmp_path: Path) -> None:
    """Every line as it stands, with a feed of the sample news for the address, and real articles for the IDs."""
    start = datetime(2025, 3, 3, tzinfo=UTC)
    noon = start + timedelta(days=1, hours=12)
    lines = _typed(_section(README, "## Quick start"))
    assert [shlex.split(line)[1] for line in lines[:4]] == ["init", "feeds", "poll", "inbox"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ISCORE_")} | {
        "ISCORE_HOME": str(tmp_path / "home"),
        "ISCORE_NOW": noon.isoformat(),
        "ISCORE_ALLOW_PRIVATE_NETWORKS": "1",
        "ISCORE_HOST_SPACING": "0",
        "PYTHONWARNINGS": "error",
        "COLUMNS": "100",
    }
    ids: list[str] = []
    with NewsServer(News(seed=7, start=start, days=2), at=noon) as server:
        address = next(iter(server.urls.values()))
        for line in lines:
            words = shlex.split(line)[1:]
            if words[:2] == ["feeds", "add"]:
                words[2:] = [address]
                # The selection that a new home begins with is on the internet; here there is none.
                (tmp_path / "home" / "feeds.yaml").write_text("feeds: []\n", encoding="utf-8")
            elif words[0] in ("like", "dislike", "why"):
                words[1:] = [ids.pop(0)]
            done = nursery.run(*words, cwd=tmp_path, env=environment, timeout=60)
            assert (done.returncode, "Traceback" in done.stderr) == (0, False), f"{line}\n{done.stderr}"
            assert done.stdout or words[0] == "digest", line
            if words[0] == "inbox":
                ids = re.findall(r"^([a-z2-7]{8}) ", done.stdout, re.MULTILINE)
                assert len(ids) > 3
    assert (tmp_path / "today.html").read_text(encoding="utf-8").startswith("<!doctype html>")
