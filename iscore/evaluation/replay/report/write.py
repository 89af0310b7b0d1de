"""Write a report into a folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from iscore.evaluation.replay.outcome import FeatureCorrelations, Outcome
from iscore.evaluation.replay.report.as_json import as_json
from iscore.evaluation.replay.report.content import gather
from iscore.evaluation.replay.report.page import page
from iscore.evaluation.replay.report.tables import OPTIONAL, tables


def write(
    folder: Path,
    outcomes: Iterable[Outcome],
    *,
    title: str,
    about: Mapping[str, str] | None = None,
    baseline: str | None = None,
    correlations: Iterable[FeatureCorrelations] = (),
) -> tuple[Path, ...]:
    """Write ``report.html``, ``report.json`` and the CSV files into ``folder``, which is made if it is missing.

    Parameters
    ----------
    outcomes
        Read one by one and not kept, so they may come from a generator. All of one protocol; none twice.
    title
        The page's heading.
    about
        Name → text about the replay: what was replayed, when, on what machine.
    baseline
        The classifier that the others are compared with; by default that of the first outcome.
    correlations
        One for each reader. Without them the paper's Figure 2 is left out.

    Returns the paths, the page first. Files of an earlier report are replaced, or removed if this report does not have
    them. Raises ``ValueError`` for outcomes that do not belong together, and ``OSError``.
    """
    content = gather(outcomes, title=title, about=about or {}, baseline=baseline, correlations=correlations)
    files = {"report.html": page(content), "report.json": as_json(content)} | tables(content)
    folder.mkdir(parents=True, exist_ok=True)
    for name in set(OPTIONAL) - set(files):
        (folder / name).unlink(missing_ok=True)
    for name, text in files.items():
        part = folder / f"{name}.part"
        part.write_text(text, encoding="utf-8", newline="")
        part.replace(folder / name)
    return tuple(folder / name for name in files)
