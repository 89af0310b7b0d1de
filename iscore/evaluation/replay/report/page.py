"""``report.html``: one self-contained page with tables and charts."""

from __future__ import annotations

from markupsafe import Markup

from iscore.evaluation.replay.metrics import mean
from iscore.evaluation.replay.report.content import Content, Difference, Finding, difference
from iscore.evaluation.replay.report.curves import calibration, each_reader, over_time, precision_recall
from iscore.evaluation.replay.report.overall import correlations, performance, reader_table, spread, thresholds
from iscore.presentation.charts.figure import UNDEFINED, Figure, Table, plural, three, whole
from iscore.presentation.report.page import Report, report_page
from iscore.presentation.report.parts import percent

_EXPLORED = {"f05_recommended": "F0.5, recommended"}
"""A column that is shown when it differs from F0.5."""
_COLUMNS = {
    "f05": "F0.5",
    "precision": "precision",
    "recall": "recall",
    "f05_first_1000": "F0.5, first 1,000",
    "f05_first_5000": "F0.5, first 5,000",
    "t11su": "T11SU",
    "auc": "AUC",
}
_NEGLIGIBLE = 0.0005
"""Smallest difference in F0.5 that three decimals show."""
_PROTOCOLS = {
    "full": "full protocol: a verdict after every article",
    "delivered": "delivered protocol: verdicts only on delivered articles",
}


def page(content: Content) -> str:
    """Return the page, to be stored as UTF-8. Names from outside are escaped everywhere."""
    tables = {"classifiers": _classifiers(content), "streams": _streams(content)}
    report = Report(
        kind="replay",
        title=content.title,
        headline=_headline(content),
        lead=_lead(content),
        tables={name: table for name, table in tables.items() if table is not None},
        figures=figures(content),
        listing=reader_table(content),
        notes={
            "about": content.about,
            "n_readers": len(content.by_reader),
            "protocol": content.protocol,
            "explores": _explores(content),
        },
    )
    return report_page(report)


def figures(content: Content) -> list[Figure]:
    """Return the figures that the outcomes allow, in the order of the page; none without outcomes."""
    if not content.findings:
        return []
    makers = (performance, thresholds, over_time, precision_recall, each_reader, calibration, spread, correlations)
    return [figure for maker in makers if (figure := maker(content)) is not None]


def _headline(content: Content) -> str:
    """Say what was replayed, in one line."""
    if not content.findings:
        return "Nothing was replayed."
    articles = sum(max(f.summary.n for f in found.values()) for found in content.by_reader.values())
    protocol = _PROTOCOLS.get(content.protocol, f"{content.protocol} protocol")
    return (
        f"{plural(len(content.by_classifier), 'classifier')}, {plural(len(content.by_reader), 'reader')} of "
        f"{plural(len(content.by_stream), 'stream')}, {plural(articles, 'article')} each; {protocol}."
    )


def _lead(content: Content) -> list[str | Markup]:
    """Return the mean metrics of the best classifier and, if it is another one, compare the baseline; empty without
    results."""
    if not content.findings:
        return []
    best, findings = next(iter(content.by_classifier.items()))
    means = mean([each.summary for each in findings])
    several = len(findings) > 1
    readers = f"over {plural(len(findings), 'reader')}" if several else f"for {_only(findings, content)}"
    verdict = (
        f"has {'a mean' if several else 'an'} F0.5 of {three(means['f05'])} {readers}"
        f" ({three(means['f05_first_1000'])} over the first 1,000 articles): {percent(means['precision'])} of its "
        f"deliveries are liked, and it delivers {percent(means['recall'])} of the liked articles."
    )
    lead: list[str | Markup] = [Markup("<strong>{}</strong> {}").format(best, verdict)]
    found = None if best == content.baseline else difference(findings, content.by_classifier[content.baseline])
    return [*lead, _compared(found, content)] if found else lead


def _only(findings: list[Finding], content: Content) -> str:
    return content.reader_names[findings[0].summary.stream, findings[0].summary.reader]


def _compared(found: Difference, content: Content) -> str:
    base = mean([each.summary for each in content.by_classifier[content.baseline]])["f05"]
    readers = f"better for {found.better} of {plural(found.readers, 'reader')}, worse for {found.worse}"
    if abs(found.mean) < _NEGLIGIBLE:
        return f"On average this is as good as {content.baseline}; {readers}."
    share = f", {found.mean / base:+.1%}".replace("-", "−").replace("%", "\u00a0%") if base else ""
    interval = chance = ""
    if found.low is not None and found.high is not None:
        interval = f", 95\u00a0% interval {three(found.low)} to {three(found.high)}"
        chance = ", so it may be due to chance" if found.low <= 0.0 else ""
    return (
        f"This is {three(abs(found.mean))} {'more' if found.mean >= 0 else 'less'} than {content.baseline}{share}"
        f"{interval}{chance}; {readers}."
    )


def _classifiers(content: Content) -> Table | None:
    if not content.findings:
        return None
    baseline = content.by_classifier[content.baseline]
    compared = len(content.by_classifier) > 1
    columns = _COLUMNS | (_EXPLORED if _explores(content) else {})
    rows = []
    for name, findings in content.by_classifier.items():
        means = mean([each.summary for each in findings])
        gain = None if name == content.baseline else difference(findings, baseline)
        articles = sum(each.summary.n for each in findings)
        seconds = sum(each.summary.seconds for each in findings)
        rows.append(
            [
                name,
                *(three(means[measure]) for measure in columns),
                *([_signed(gain.mean) if gain else UNDEFINED] if compared else []),
                whole(means["articles_until_useful"]),
                whole(seconds / articles * 1e6 if articles else None),
            ]
        )
    gains = [f"F0.5 minus {content.baseline}"] if compared else []
    heads = ["classifier", *columns.values(), *gains, "articles until useful", "µs an article"]
    return Table("Each classifier, means over readers; the best F0.5 first", heads, rows)


def _streams(content: Content) -> Table | None:
    """Mean F0.5 by stream; ``None`` when there is only one."""
    if len(content.by_stream) < 2:
        return None
    rows = [
        [
            name,
            *(
                three(mean([each.summary for each in classifiers[name]])["f05"]) if name in classifiers else ""
                for classifiers in content.by_stream.values()
            ),
        ]
        for name in content.by_classifier
    ]
    return Table("Mean F0.5 by stream", ["classifier", *content.by_stream], rows)


def _explores(content: Content) -> bool:
    return any(each.summary.explored for each in content.findings)


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("-", "−")
