"""The documentation matches the program: sizes, decisions, links, paths, figures and examples."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from extractors import EXTRACTORS, Context
from extractors.base import DocumentExtractor
from tests.documentation import (
    DECISIONS,
    DEVELOPING,
    DOCS,
    GUIDE,
    MOST_LINES,
    PAGES,
    PROGRAM,
    README,
    ROOT,
    code_spans,
    command_lines,
    options_of,
    page_name,
    section_of,
    table_rows,
)

# Size


def test_no_page_is_longer_than_its_limit() -> None:
    lengths = {page_name(page): len(page.read_text(encoding="utf-8").splitlines()) for page in PAGES}
    limits = {page_name(page): MOST_LINES[page.name] for page in PAGES if page.name in MOST_LINES}
    assert {name: lengths[name] for name, limit in limits.items() if lengths[name] > limit} == {}
    assert limits


def test_the_index_of_the_guide_lists_every_page() -> None:
    linked = re.findall(r"\]\(([a-z-]+)\.md\)", GUIDE["index"])
    assert {*linked} == {*GUIDE} - {"index"}


# Decisions


def test_decisions_are_chapters_that_can_be_read() -> None:
    assert 0 < len(DECISIONS) <= 15
    lengths = {page.name: len(page.read_text(encoding="utf-8").split()) for page in DECISIONS}
    assert {name: words for name, words in lengths.items() if words > 1500} == {}


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_each_decision_of_a_chapter_names_what_was_rejected(page: Path) -> None:
    beginning, *decisions = page.read_text(encoding="utf-8").split("\n## ")
    assert re.match(r"# [^\n]+\n\n\S", beginning)
    assert [each.partition("\n")[0] for each in decisions if "**Rejected.** *" not in " ".join(each.split())] == []
    headings = [each.partition("\n")[0] for each in decisions]
    assert len(headings) >= 3
    assert len(headings) == len(set(headings))  # each is an anchor


def test_the_index_of_decisions_lists_each_chapter_with_its_title() -> None:
    listed = re.findall(r"^- \[(.+)\]\((\S+)\): \S", (DOCS / "decisions" / "index.md").read_text(), re.MULTILINE)
    titles = [page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ") for page in DECISIONS]
    assert sorted(listed) == sorted((title, page.name) for title, page in zip(titles, DECISIONS, strict=True))


# What the pages show exists


def test_every_command_that_a_page_shows_can_be_typed() -> None:
    for line in (line for page in PAGES for line in command_lines(page.read_text(encoding="utf-8"))):
        words = shlex.split(line)[1:]
        while words[:1] in (["--home"], ["--user"], ["--database"]):
            words = words[2:]
        command, path = PROGRAM, "iscore"
        while words and hasattr(command, "commands"):
            path = f"{path} {words[0]}"
            command = command.commands.get(words.pop(0))
            assert command is not None, f"{line}: there is no {path}"
        known = options_of(command) | options_of(PROGRAM)
        assert [word for word in words if word.startswith("-") and word not in {"-", *known}] == [], line


def test_every_target_of_make_that_a_page_names_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    assert {"demo", "run"} <= targets
    phony = re.findall(r"^(?:[a-z-]+ )*[a-z-]+(?= *:)|(?<=PHONY: ).*", makefile, re.MULTILINE)
    for page in PAGES:
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
    listed = {name for row in table_rows(section_of(DEVELOPING, "## The tree")) for name in code_spans(row[0])}
    assert listed == {file.parent.name for file in (ROOT / "iscore").glob("*/__init__.py")}


def test_the_extractor_of_the_developer_guide_works() -> None:
    code = re.search(r"```python\n(.*?)```", section_of(DEVELOPING, "## Add an extractor"), re.DOTALL)
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
    rows = [line.strip("| ").split(" | ") for line in section_of(README, "## Figures").splitlines() if "](" in line]
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


def test_a_page_names_every_benchmark_result() -> None:
    """What nobody reads is not kept."""
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    kept = sorted((ROOT / "benchmarks" / "results").iterdir())
    assert [file.name for file in kept if not re.search(rf"\b{re.escape(file.name)}", text)] == []
    assert {file.suffix for file in kept} == {".md"}


def test_every_benchmark_result_is_explained_to_developers() -> None:
    rows = table_rows((ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8"))
    explained = {code_spans(row[2])[0] for row in rows}
    assert {file.stem for file in (ROOT / "benchmarks" / "results").glob("*.md")} <= explained
    for row in rows:
        module = code_spans(row[0])[0].rpartition(".")[2]
        assert (ROOT / "benchmarks" / f"{module}.py").is_file(), module
