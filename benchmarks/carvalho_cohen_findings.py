"""What can be said of the figures: which of the conclusions hold, how near they are, what may explain the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from benchmarks.carvalho_cohen_contest import INPUTS, SINGLE, TEXTS, Figures, Floats
from benchmarks.carvalho_cohen_paper import COLUMNS, NEAR, PAPER, far, means, p_value, ranks

UNEXPLAINED = "not explained."


def findings(found: Mapping[str, Figures], tried: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """Return what of the paper's conclusions holds, in figures, and how near it is."""
    ours = {data: means(of) for data, of in found.items()}
    texts = [data for data in found if data in TEXTS]
    tables = [data for data in found if data not in TEXTS]
    lines = ["## Which of the paper's conclusions hold", ""]
    if texts:
        shown = []
        for data in texts:
            best = max((name for name in SINGLE if name != "MBW"), key=ours[data].__getitem__)
            p = p_value(found[data][best], found[data]["MBW"])
            shown.append(f"{data} MBW {ours[data]['MBW']:.1f}, next {best} {ours[data][best]:.1f} (p = {p:.3f})")
        won = [data for data in texts if max(SINGLE, key=ours[data].__getitem__) == "MBW"]
        lines.append(
            f"- That MBW is the best on text of the online learners that do not vote: first on {_listed(won)}. "
            f"{'; '.join(shown)}; surely so where p is below 0.05."
        )
        lines.append(
            "- That MBW comes near the batch learners on text: "
            + "; ".join(
                f"{data} "
                + ", ".join(f"{name} {ours[data][name]:.1f}" for name in ("MBW", "v-MBW", "SVM", "NB", "Bernoulli NB"))
                for data in texts
            )
            + "."
        )
    for what, group in (("text", texts), ("tables", tables)):
        if group:
            lines.append(_of_voting(what, group, ours))
    for what, group in (("text", texts), ("tables", tables)):
        if group:
            lines.append(_of_ranks(what, group, ours))
    lines += ["", "## How near", ""]
    total = sum(len(PAPER[data]) for data in found)
    away = {(data, name) for data, of in found.items() for name in far(data, of)}
    unclear = [
        f"{name} on {data}"
        for data, of in found.items()
        for name in far(data, of)
        if _verdict(PAPER[data][name], of[name], tried[data][name]) == UNEXPLAINED
    ]
    lines += [
        f"{total - len(away)} of {total} figures are within 3 points. For the others alone the rows were tried in "
        "other forms: 1 for what is not 0 (`presence`), each column divided by its largest value (`largest 1`), and "
        "for those that are no Winnow what Winnow makes of its rows, a bias and a sum of 1 (`sum 1`). What fits is "
        "possible, not proven: of several forms one may fit by chance, and a deviation of 10 points excludes little. "
        f"Nothing fits for {_listed(unclear)}. What the first author's own program makes of all figures stands in "
        "[carvalho_cohen_variants](carvalho_cohen_variants.md).",
        "",
    ]
    lines += [_nearness(data, of, tried[data]) for data, of in found.items()]
    return "\n".join(lines)


def _of_voting(what: str, group: list[str], ours: Mapping[str, Mapping[str, float]]) -> str:
    gains = {name: np.array([ours[data][f"v-{name}"] - ours[data][name] for data in group]) for name in SINGLE}
    paper = {name: np.array([PAPER[data][f"v-{name}"] - PAPER[data][name] for data in group]) for name in SINGLE}

    def shown(of: Mapping[str, Floats]) -> str:
        every = np.concatenate(list(of.values()))
        each = ", ".join(f"{name} {gain.mean():+.1f}" for name, gain in of.items())
        return f"better in {(every > 0.0).sum()} of {len(every)} cases, mean {every.mean():+.1f} ({each})"

    return f"- What voting gives on {what} ({_listed(group)}): ours {shown(gains)}; the paper's {shown(paper)}."


def _of_ranks(what: str, group: list[str], ours: Mapping[str, Mapping[str, float]]) -> str:
    mine = [ranks({name: ours[data][name] for name in COLUMNS}) for data in group]
    theirs = [ranks(PAPER[data]) for data in group]
    average = {name: (np.mean([of[name] for of in mine]), np.mean([of[name] for of in theirs])) for name in COLUMNS}
    order = sorted(average, key=lambda name: float(average[name][0]))
    shown = ", ".join(f"{name} {average[name][0]:.1f} ({average[name][1]:.1f})" for name in order)
    return f"- Mean rank of 13 on {what}, ours and (the paper's): {shown}."


def _nearness(data: str, found: Figures, tried: Mapping[str, Mapping[str, float]]) -> str:
    away = far(data, found)
    line = f"- {data}: {len(PAPER[data]) - len(away)} of {len(PAPER[data])} within 3 points."
    for name in away:
        paper, of = PAPER[data][name], found[name]
        line += f"\n  - {name}: {paper:.1f} in the paper; " + ", ".join(
            f"{how} {tried[name][how]:.1f}" for how in INPUTS if how in tried[name]
        )
        topics = [figure for how, figure in tried[name].items() if how not in INPUTS]
        if topics:
            line += f", ten topics {min(topics):.1f} to {max(topics):.1f}"
        line += "; " + _verdict(paper, of, tried[name])
    if any(how not in INPUTS for name in away for how in tried[name]):
        gaps = {
            topic: np.mean([abs(tried[name][topic] - PAPER[data][name]) for name in away])
            for topic in tried[away[0]]
            if topic not in INPUTS
        }
        best = min(gaps, key=lambda topic: float(gaps[topic]))
        line += (
            f"\n  - Of the ten topics {best} is nearest: of these {len(away)} figures by {gaps[best]:.1f} on average."
        )
    return line


def _verdict(paper: float, of: Floats, tried: Mapping[str, float]) -> str:
    spread = float(of.mean(axis=1).std(ddof=min(1, len(of) - 1)))
    forms = [how for how in INPUTS[1:] if how in tried and abs(tried[how] - paper) <= NEAR]
    topics = [figure for how, figure in tried.items() if how not in INPUTS]
    reasons = []
    if abs(of.mean() - paper) <= 2.0 * spread:
        reasons.append(f"within two deviations of a folding ({spread:.1f})")
    if forms:
        reasons.append(f"fits with {' and with '.join(forms)}")
    if topics and min(topics) <= paper <= max(topics):
        reasons.append("within what the topic makes of it")
    return f"{' and '.join(reasons)}." if reasons else UNEXPLAINED


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"
