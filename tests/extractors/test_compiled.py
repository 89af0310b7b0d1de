"""What compiled kernels are made of, where their cache goes by what sources say: ``KERNELS`` in the Makefile."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OURS = ("extractors", "iscore", "storage")
WATCHED = ("extractors", "iscore/learners")
"""The folders of which every file counts; elsewhere those with kernels do."""

KERNELS = sorted(
    path.relative_to(ROOT).as_posix()
    for package in OURS
    for path in (ROOT / package).rglob("*.py")
    if "\n@compiled" in path.read_text(encoding="utf-8")
)


def imported(path: str) -> set[str]:
    """Return the modules of ours whose names a file has at run time, as paths without their ending."""
    found = set()
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{name.name}" for name in node.names} | {node.module}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
    return {name.replace(".", "/") for name in found if name.partition(".")[0] in OURS}


def watched(name: str) -> bool:
    return any(Path(name) == Path(folder) or Path(folder) in Path(name).parents for folder in WATCHED)


def test_there_are_kernels() -> None:
    assert len(KERNELS) > 40
    assert {"iscore/decision.py", "extractors/heads.py", "iscore/learners/kernel_grid.py"} <= set(KERNELS)


@pytest.mark.parametrize("path", KERNELS)
def test_a_kernel_is_made_of_what_the_cache_goes_by(path: str) -> None:
    assert watched(path) or Path(path).parent == Path("iscore")
    # What a kernel calls and the constants it is compiled with are imported by its file.
    assert {name for name in imported(path) if not watched(name)} == set()


def test_files_that_are_watched_import_no_constants_from_others() -> None:
    for folder in WATCHED:
        for path in (ROOT / folder).glob("*.py"):
            others = imported(path.relative_to(ROOT).as_posix())
            assert {name for name in others if not watched(name)} == set(), path
