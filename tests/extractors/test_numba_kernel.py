"""What is compiled is kept for as long as all that it is made of stays the same."""

from __future__ import annotations

import ast
import inspect
import os
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import extractors
import iscore
from extractors.numba_kernel import compiled, inner
from tests.servers import fork_server

PACKAGES = (extractors, iscore)


def kernels() -> Iterator[tuple[str, Any]]:
    """Every kernel by its name, with the function that is compiled."""
    for package in PACKAGES:
        for path in sorted(Path(package.__path__[0]).rglob("*.py")):
            names = re.findall(r"^@(?:compiled|inner)\ndef (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
            if names:
                inside = path.relative_to(package.__path__[0]).with_suffix("")
                module = import_module(".".join((package.__name__, *inside.parts)))
                for name in names:
                    value = getattr(module, name)
                    yield f"{module.__name__}.{name}", getattr(value, "py_func", value)


def test_a_kernel_has_what_it_is_made_of_by_name() -> None:
    """Not by way of a module of ours, into which the digest of its surroundings does not look."""
    found = dict(kernels())
    assert len(found) > 100
    assert {
        "iscore.filtering.paper._best_threshold",
        "extractors.stream.article_ring.head_of",
    } <= set(found)
    for name, function in found.items():
        used = [function.__globals__.get(each) for each in function.__code__.co_names]
        modules = {each.__name__ for each in used if isinstance(each, ModuleType)}
        assert modules <= {"math", "numpy"}, name


SLOW = {"argsort", "sort", "searchsorted", "unique", "concatenate", "median", "quantile"}
"""Of numpy's functions and methods: each compiles a library of its own, and that takes longer than the kernel."""


def test_a_kernel_uses_nothing_of_numpy_that_takes_long_to_compile() -> None:
    """Nor does it assign an array to a slice, which would compile how messages of error are put together."""
    for name, function in kernels():
        for node in ast.walk(ast.parse(inspect.getsource(function))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                assert node.func.attr not in SLOW, f"{name}: {ast.unparse(node)}"
            if isinstance(node, ast.Assign) and any(isinstance(part, ast.Slice) for part in _targets(node)):
                assert isinstance(node.value, ast.Constant) or ast.unparse(node.value) == "np.nan", (
                    f"{name}: {ast.unparse(node)}"
                )


def _targets(node: ast.Assign) -> Iterator[ast.AST]:
    return (part for target in node.targets for part in ast.walk(target))


INNER = """
from extractors.numba_kernel import compiled
STEP = {step}

@compiled
def inner(x):
    return x {does} 10
"""
BETWEEN = """
from extractors.numba_kernel import inner as inlined
from inner import inner

@inlined
def between(x):
    return inner(x)
"""
OUTER = """
from extractors.numba_kernel import compiled
from between import between
from inner import STEP

@compiled
def outer(x):
    return between(x) + STEP
"""
ASKED = """
import sys
sys.dont_write_bytecode = True  # which goes by the second and the size, and both versions may share them
sys.path.insert(0, sys.argv[1])
from outer import outer
print(outer(1), sum(outer.stats.cache_hits.values()))
"""


@pytest.mark.long
def test_a_kernel_is_compiled_anew_when_another_file_changes_what_it_is_made_of(tmp_path: Path) -> None:
    def asked(does: str, step: int) -> str:
        (tmp_path / "inner.py").write_text(INNER.format(does=does, step=step))
        done = fork_server.run(str(tmp_path), program=ASKED, env=dict(os.environ))
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    (tmp_path / "between.py").write_text(BETWEEN)
    (tmp_path / "outer.py").write_text(OUTER)
    assert asked("*", 1) == "11 0"
    assert asked("*", 1) == "11 1"
    assert asked("+", 1) == "12 0"
    assert asked("+", 2) == "13 0"


PAIR = """
from typing import NamedTuple

class Pair(NamedTuple):
    one: float
    other: float
"""
OF_A_PAIR = """
from extractors.numba_kernel import compiled
from {module} import Pair

@compiled
def outer(pair):
    return pair.one + pair.other
"""
ASKED_OF_A_PAIR = """
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from outer import Pair, outer
print(outer(Pair(1.0, 2.0)), sum(outer.stats.cache_hits.values()))
"""


@pytest.mark.long
def test_a_kernel_is_compiled_anew_when_a_type_that_it_takes_has_moved(tmp_path: Path) -> None:
    def asked(module: str) -> str:
        (tmp_path / f"{module}.py").write_text(PAIR)
        (tmp_path / "outer.py").write_text(OF_A_PAIR.format(module=module))
        done = fork_server.run(str(tmp_path), program=ASKED_OF_A_PAIR, env=dict(os.environ))
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    assert asked("pairs") == "3.0 0"
    (tmp_path / "pairs.py").unlink()
    assert asked("couples") == "3.0 0"
    assert asked("couples") == "3.0 1"


def test_an_inner_function_runs_as_python_outside_of_kernels() -> None:
    @inner
    def share(part: float, whole: float) -> float:
        return part / whole

    @compiled
    def percent(part: float, whole: float) -> float:
        return 100.0 * share(part, whole)

    assert share(1.0, 4.0) == 0.25
    assert percent(1.0, 4.0) == 25.0
    if hasattr(percent, "py_func"):
        assert percent(1.0, 0.0) == float("inf")
