"""The documentation matches the program: commands, options, settings, JSON keys, links, figures and examples."""

from __future__ import annotations

import dataclasses
import doctest
import json
import os
import re
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import annotated_types
import pytest
import typer

from benchmarks.sample_news import News, NewsServer
from extractors import EXTRACTORS, Context
from extractors.extractor import DocumentExtractor
from iscore.cli.app import app
from iscore.core.settings import Settings
from iscore.evaluation import demo
from iscore.evaluation.replay.run import ReplayResult
from iscore.jobs.maintenance.backup import BackupView
from iscore.jobs.maintenance.check import CheckupView
from iscore.jobs.maintenance.export import ExportView
from iscore.jobs.maintenance.import_export import ImportView
from iscore.jobs.maintenance.prune import PruneView
from iscore.jobs.maintenance.restore import RestoreView
from iscore.learners import LEARNERS
from iscore.services.views import (
    articles,
    digests,
    feeds,
    imports,
    inbox,
    interests,
    mail,
    review,
    rules,
    search,
    status,
)
from iscore.services.views.history import HistoryView, ReportView
from tests.servers import fork_server

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "SECURITY.md", *sorted(DOCS.rglob("*.md"))]
GUIDE = {page.stem: page.read_text(encoding="utf-8") for page in sorted((DOCS / "guide").glob("*.md"))}
README = (ROOT / "README.md").read_text(encoding="utf-8")
DEVELOPING = (DOCS / "developing.md").read_text(encoding="utf-8")
DECISIONS = [page for page in sorted((DOCS / "decisions").glob("*.md")) if page.stem != "index"]
MOST_LINES = {"README.md": 150, "developing.md": 250, **{f"{name}.md": 300 for name in GUIDE}}


def _page_name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def _commands(command: Any, path: str = "iscore") -> Iterator[tuple[str, Any]]:
    """Yield every command by the words a user types; hidden ones, the aliases, are left out."""
    if command.hidden:
        return
    if not hasattr(command, "commands"):
        yield path, command
        return
    for name, inner in command.commands.items():
        yield from _commands(inner, f"{path} {name}")


PROGRAM = typer.main.get_command(app)
COMMANDS = dict(_commands(PROGRAM))


def _options(command: Any) -> set[str]:
    visible = [option for option in command.params if not getattr(option, "hidden", False)]
    return {name for option in visible for name in option.opts if name.startswith("-")} - {"--help", "-h"}


def _section(text: str, heading: str) -> str:
    """Return the text under a heading, up to the next heading of the same or a higher level."""
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


def _command_lines(text: str) -> list[str]:
    """Return the `iscore` command lines in a page's code blocks, indented or fenced."""
    lines = re.findall(r"^(?:\$ | {4}|)(?:\.venv/bin/)?(iscore [a-z-].*)$", text, re.MULTILINE)
    return [line.partition(" | ")[0].partition(" >")[0].partition("  #")[0].partition("   #")[0] for line in lines]


# Size


def test_no_page_is_longer_than_its_limit() -> None:
    lengths = {_page_name(page): len(page.read_text(encoding="utf-8").splitlines()) for page in PAGES}
    limits = {_page_name(page): MOST_LINES[page.name] for page in PAGES if page.name in MOST_LINES}
    assert {name: lengths[name] for name, limit in limits.items() if lengths[name] > limit} == {}
    assert limits


def test_the_index_of_the_guide_lists_every_page() -> None:
    linked = re.findall(r"\]\(([a-z-]+)\.md\)", GUIDE["index"])
    assert {*linked} == {*GUIDE} - {"index"}


# Decisions


def test_a_decision_is_short_and_names_what_was_rejected() -> None:
    for page in DECISIONS:
        text = page.read_text(encoding="utf-8")
        assert re.match(r"# [^\n]+\n\n", text), page.stem
        missing = [part for part in ("**Context.**", "**Decision.**", "**Rejected.** *") if part not in text]
        assert missing == [], page.stem
        assert len(text.splitlines()) <= 40, page.stem


def test_the_index_of_decisions_lists_each_in_order_with_its_title() -> None:
    listed = re.findall(r"^- \[(.+)\]\((\S+)\)", (DOCS / "decisions" / "index.md").read_text(), re.MULTILINE)
    titles = [page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ") for page in DECISIONS]
    assert listed == [(title, page.name) for title, page in zip(titles, DECISIONS, strict=True)]
    numbers = [page.name[:4] for page in DECISIONS]
    assert numbers == sorted(set(numbers))


# Commands, options, settings, keys

REFERENCE = {
    path: section
    for heading in re.findall(r"^### .+$", GUIDE["commands"], re.MULTILINE)
    for section in [_section(GUIDE["commands"], heading)]
    for path in _code(heading)
}


def test_the_reference_has_every_command_and_no_other() -> None:
    assert set(REFERENCE) == set(COMMANDS)


def test_the_reference_has_every_option() -> None:
    for path, command in COMMANDS.items():
        named = {word for code in _code(REFERENCE[path]) for word in code.split() if word.startswith("-")}
        assert named == _options(command) - {"--json"}, path


def test_the_reference_has_the_options_of_the_program() -> None:
    named = {word for row in _rows(GUIDE["commands"]) for word in _code(row[0])}
    assert named == _options(PROGRAM)


def test_the_guide_has_every_setting_with_its_default_and_bounds() -> None:
    rows = _rows(GUIDE["settings"].partition("\n## ")[0])
    assert [_code(row[0])[0] for row in rows] == list(Settings.model_fields)
    for row, (name, setting) in zip(rows, Settings.model_fields.items(), strict=True):
        assert _code(row[1]) == [json.dumps(setting.default)], name
        assert row[2] == _allowed(setting, row[2]), name
        assert len(row[3]) > 20, name


def _allowed(setting: Any, stated: str) -> str:
    """Return a setting's bounds in the guide's words; ``stated`` if it has none."""
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
    rows = _rows(_section(GUIDE["settings"], "## Classifiers"))
    assert {name for row in rows for name in _code(row[0])} == set(LEARNERS)


def test_every_environment_variable_is_documented() -> None:
    sources = [file for package in ("iscore", "extractors", "storage") for file in (ROOT / package).rglob("*.py")]
    text = "".join(file.read_text(encoding="utf-8") for file in sources)
    read = set(re.findall(r"[\"'](ISCORE_[A-Z_]*[A-Z])[\"']", text))
    assert {"ISCORE_HOME", "ISCORE_NOW", "ISCORE_DEBUG"} <= read
    guide = "".join(GUIDE.values())
    assert [name for name in sorted(read) if name not in guide] == []


VIEWS = {
    "iscore feeds add": feeds.AddedFeeds,
    "iscore feeds import": feeds.ImportedFeeds,
    "iscore feeds export": feeds.ExportedFeeds,
    **dict.fromkeys(("iscore feeds list", "iscore feeds check"), feeds.FeedView),
    "iscore feeds stats": feeds.FeedStatistics,
    "iscore poll": feeds.PollView,
    **dict.fromkeys(("iscore inbox", "iscore review"), inbox.InboxItem),
    "iscore search": search.FoundArticle,
    "iscore show": articles.ArticleView,
    "iscore why": articles.WhyView,
    **dict.fromkeys(("iscore like", "iscore dislike", "iscore skip", "iscore undo"), review.VerdictView),
    "iscore teach": inbox.InboxItem,
    "iscore learn-from": imports.ImportedItemsView,
    "iscore interests learn-from": imports.ImportedItemsView,
    "iscore interests list": interests.InterestView,
    **dict.fromkeys(
        [f"iscore interests {each}" for each in ("add", "weaken", "remove", "undo")], interests.InterestChangeView
    ),
    "iscore interests headlines": interests.HeadlineView,
    "iscore seeds list": imports.ImportView,
    "iscore seeds show": imports.ImportedItemView,
    **dict.fromkeys(("iscore rules add", "iscore rules list", "iscore rules remove"), rules.RuleView),
    "iscore rules test": rules.RuleTrial,
    "iscore digest": digests.DigestView,
    **dict.fromkeys(("iscore mail send", "iscore mail list"), mail.MailingView),
    "iscore mail test": mail.TrialMailView,
    "iscore status": status.StatusView,
    "iscore stats": HistoryView,
    "iscore report": ReportView,
    "iscore model rebuild": status.RebuildView,
    "iscore replay": ReplayResult,
    "iscore doctor": CheckupView,
    "iscore backup": BackupView,
    "iscore restore": RestoreView,
    "iscore prune": PruneView,
    "iscore export": ExportView,
    "iscore import": ImportView,
    "iscore demo": demo.DemoResult,
}


def test_the_guide_has_the_keys_of_every_json_document() -> None:
    rows = _rows(GUIDE["json"])
    keys = {command: _code(row[2]) for row in rows for command in _code(row[0])}
    assert set(keys) == {path for path, command in COMMANDS.items() if "--json" in _options(command)}
    for command, view in VIEWS.items():
        assert keys[command] == [field.name for field in dataclasses.fields(view)], command


# What the pages show exists


def test_every_command_that_a_page_shows_can_be_typed() -> None:
    for line in (line for page in PAGES for line in _command_lines(page.read_text(encoding="utf-8"))):
        words = shlex.split(line)[1:]
        if words[:1] == ["--home"]:
            words = words[2:]
        command, path = PROGRAM, "iscore"
        while words and hasattr(command, "commands"):
            path = f"{path} {words[0]}"
            command = command.commands.get(words.pop(0))
            assert command is not None, f"{line}: there is no {path}"
        known = _options(command) | _options(PROGRAM)
        assert [word for word in words if word.startswith("-") and word not in {"-", *known}] == [], line


def test_every_target_of_make_that_a_page_names_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    assert {"demo", "run"} <= targets
    phony = re.findall(r"^(?:[a-z-]+ )*[a-z-]+(?= *:)|(?<=PHONY: ).*", makefile, re.MULTILINE)
    for page in PAGES:
        if page.parent.name != "decisions":  # some are about the past
            named = re.findall(r"(?:`|^\$ )make ([a-z-]+)", page.read_text(encoding="utf-8"), re.MULTILINE)
            assert {*named} <= {*targets, *" ".join(phony).split()}, page.name


def test_every_link_within_the_project_leads_somewhere() -> None:
    for page in PAGES:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            if link.startswith(("https://", "http://")):
                continue
            address, _, anchor = link.partition("#")
            target = (page.parent / address).resolve() if address else page
            assert target.exists(), (page.name, link)
            if anchor:
                assert anchor in _anchors(target.read_text(encoding="utf-8")), (page.name, link)


def _anchors(text: str) -> set[str]:
    """Return the anchors that headings get on the usual hosts of Markdown."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_path_that_a_page_names_exists() -> None:
    made_up = {
        "extractors/document/questions.py",
        "tests/extractors/document/test_questions.py",
    }
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        named = re.findall(r"`((?:iscore|extractors|storage|tests|benchmarks|training)/[\w/.]+)`", text)
        missing = [path for path in named if path not in made_up and not (ROOT / path).exists()]
        assert missing == [], page.name
    assert len(re.findall(r"`(?:iscore|extractors|storage|tests|benchmarks)/[\w/.]+`", DEVELOPING)) > 15


def test_the_developer_guide_has_every_package() -> None:
    listed = {name for row in _rows(_section(DEVELOPING, "## The tree")) for name in _code(row[0])}
    assert listed == {file.parent.name for file in (ROOT / "iscore").glob("*/__init__.py")}


def test_the_extractor_of_the_developer_guide_works() -> None:
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


def test_the_examples_of_the_api_work() -> None:
    text = (DOCS / "api.md").read_text(encoding="utf-8").replace("```python", "").replace("```", "")
    examples = doctest.DocTestParser().get_doctest(text, {}, "api.md", "docs/api.md", 0)
    assert len(examples.examples) > 25
    printed: list[str] = []
    assert doctest.DocTestRunner().run(examples, out=printed.append).failed == 0, "".join(printed)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze")
def test_systemd_accepts_the_timer_of_the_guide(tmp_path: Path) -> None:
    units = re.findall(
        r"((?: {4}[^\n]*\n|\n)+)", GUIDE["scheduling"][GUIDE["scheduling"].index("## systemd, as a timer") :]
    )
    service, timer = [textwrap.dedent(unit).strip() for unit in units if "[Unit]" in unit]
    (program,) = re.findall(r"ExecStart=(\S+) run --once", service)
    (tmp_path / "iscore-once.service").write_text(service.replace(program, sys.executable) + "\n")
    (tmp_path / "iscore-once.timer").write_text(timer + "\n")
    command = ["systemd-analyze", "verify", "--man=no", str(tmp_path / "iscore-once.timer")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "iscore-once" not in done.stderr, done.stderr


def test_the_cron_lines_of_the_guide_have_five_times_and_a_path() -> None:
    lines = re.findall(r"^    ([\d*][^\n]+iscore[^\n]+)$", "\n".join(GUIDE.values()), re.MULTILINE)
    assert len(lines) >= 4
    for line in lines:
        assert re.fullmatch(r"(?:(?:\*|\*/\d+|\d+) +){5}(?:/home/you/\.local/bin/)iscore [a-z][^%]*", line), line


# Figures


def test_the_number_of_features_is_right() -> None:
    features = [name for make in EXTRACTORS.values() for name in make(Context()).features]
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    stated = re.findall(r"\[(\d+) (?:features|measures)\]", text)
    assert {*stated} == {str(len(features))}


def test_the_readme_s_figures_are_those_of_the_benchmarks() -> None:
    rows = [line.strip("| ").split(" | ") for line in _section(README, "## Figures").splitlines() if "](" in line]
    figures = [row for row in rows if len(row) == 3]
    assert len(figures) >= 5
    for what, measured, results in figures:
        link = re.search(r"\(([^)]+)\)", results)
        assert link is not None
        number = re.sub(r"[^\d.,]", "", measured)
        assert f"| {number} |" in (ROOT / link[1]).read_text(encoding="utf-8"), what


@pytest.mark.parametrize("pages", [DECISIONS, [DOCS / "experiments.md"]], ids=["decisions", "experiments"])
def test_figures_are_those_of_the_benchmarks(pages: list[Path]) -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    tables = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "benchmarks" / "results").glob("*.md"))
    measured = {cell.strip() for line in tables.splitlines() if line.startswith("|") for cell in line.split("|")}
    figures = re.findall(r"\b(?:0\.\d{3,}|\d+\.\d+(?= µs))", text)
    assert len(figures) >= 8
    # A table drops trailing zeros.
    assert [figure for figure in figures if figure not in measured and figure.rstrip("0") not in measured] == []


def test_every_benchmark_result_is_explained_to_developers() -> None:
    rows = _rows((ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8"))
    explained = {_code(row[2])[0] for row in rows}
    assert {file.stem for file in (ROOT / "benchmarks" / "results").glob("*.md")} <= explained
    for row in rows:
        module = _code(row[0])[0].rpartition(".")[2]
        assert (ROOT / "benchmarks" / f"{module}.py").is_file(), module


# The commands of the README


def test_every_command_of_the_readme_works(tmp_path: Path) -> None:
    """Run each line as it is, with a feed of the sample news for the address and real articles for the IDs."""
    start = datetime(2025, 3, 3, tzinfo=UTC)
    noon = start + timedelta(days=1, hours=12)
    lines = _command_lines(README)
    assert [shlex.split(line)[1] for line in lines[:4]] == ["init", "feeds", "poll", "inbox"]
    (tmp_path / "bookmarks.html").write_text(
        '<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p><DT><A HREF="https://example.org/solar">Solar power</A></DL>'
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ISCORE_")} | {
        "ISCORE_HOME": str(tmp_path / "home"),
        "ISCORE_NOW": noon.isoformat(),
        "ISCORE_ALLOW_PRIVATE_NETWORKS": "1",
        "ISCORE_HOST_SPACING": "0",
        "ISCORE_SERVE_PORT": str(_free_port()),
        "BROWSER": "true",
        "PYTHONWARNINGS": "error",
        "COLUMNS": "100",
    }
    ids: list[str] = []
    with NewsServer(News(seed=7, start=start, days=2), at=noon) as server:
        address, *others = server.urls.values()
        outlines = "".join(f'<outline type="rss" xmlUrl="{url}"/>' for url in others)
        (tmp_path / "subscriptions.opml").write_text(f'<opml version="2.0"><body>{outlines}</body></opml>')
        for line in lines:
            words = shlex.split(line)[1:]
            if words[:2] == ["feeds", "add"]:
                words[2:] = [address]
                # A new data folder follows feeds on the internet; here there is none.
                (tmp_path / "home" / "feeds.yaml").write_text("feeds: []\n", encoding="utf-8")
            elif words[0] in ("like", "dislike", "why") and "--digest" not in words:
                words[1:] = [ids.pop(0)]
            if words[0] == "serve":
                _serves_until_stopped(words, tmp_path, environment)
                continue
            done = fork_server.run(*words, cwd=tmp_path, env=environment, timeout=600)
            assert (done.returncode, "Traceback" in done.stderr) == (0, False), f"{line}\n{done.stderr}"
            assert done.stdout or words[0] == "digest", line
            if words[0] == "inbox":
                ids = re.findall(r"^([a-z2-7]{8}) ", done.stdout, re.MULTILINE)
                assert len(ids) > 3
    assert (tmp_path / "today.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _serves_until_stopped(words: list[str], folder: Path, environment: dict[str, str]) -> None:
    process = fork_server.start(
        *words, cwd=folder, env={**environment, "PYTHONUNBUFFERED": "1"}, stderr=subprocess.STDOUT
    )
    assert process.stdout is not None
    assert select.select([process.stdout], [], [], 600)[0], "no line"
    process.send_signal(signal.SIGTERM)
    printed, _ = process.communicate(timeout=600)
    assert process.returncode == 0, printed
