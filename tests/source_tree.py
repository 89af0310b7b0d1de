"""What the tree of the program looks like: its files, their lines of code proper, and who imports whom."""

from __future__ import annotations

import ast
import io
import subprocess
import tokenize
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("iscore", "extractors", "storage")
_NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENCODING, tokenize.ENDMARKER),
}


@cache
def python_files(*folders: str) -> tuple[Path, ...]:
    """Return the Python files of these top-level folders, relative to the root: those that git knows, if it is there.

    Migrations are left out: they are facts about earlier schemas.
    """
    try:
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard", *folders],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        listed = [str(path.relative_to(ROOT)) for folder in folders for path in (ROOT / folder).rglob("*.py")]
    paths = (Path(name) for name in sorted(listed) if name.endswith(".py") and "/migrations/" not in name)
    return tuple(path for path in paths if (ROOT / path).exists())


@cache
def source(path: Path) -> str:
    """Return the text of a file, relative to the root."""
    return (ROOT / path).read_text(encoding="utf-8")


def lines(path: Path) -> int:
    """Count the lines of a file."""
    return source(path).count("\n")


@cache
def lines_of_code(path: Path) -> int:
    """Count the lines of code proper: without blank lines, comments and docstrings."""
    text = source(path)
    strings: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            strings.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            code.update(range(token.start[0], token.end[0] + 1))
    return len(code - strings)


def module(path: Path) -> str:
    """Return the dotted name of a file."""
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


@cache
def imports(path: Path) -> frozenset[str]:
    """Return the modules of ours that a file imports, wherever in the file."""
    known = modules()
    found: set[str] = set()
    for node in ast.walk(ast.parse(source(path))):
        if isinstance(node, ast.Import):
            found.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.update(f"{node.module}.{each.name}" for each in node.names)
            found.add(node.module)
    return frozenset(found & known)


@cache
def modules() -> frozenset[str]:
    """Return the names of all modules of the program."""
    return frozenset(module(path) for path in python_files(*PACKAGES))


@cache
def importers() -> dict[str, tuple[Path, ...]]:
    """Return for each module the files of the program that import it."""
    found: dict[str, list[Path]] = {name: [] for name in modules()}
    for path in python_files(*PACKAGES):
        for name in imports(path) - {module(path)}:
            found[name].append(path)
    return {name: tuple(paths) for name, paths in found.items()}
