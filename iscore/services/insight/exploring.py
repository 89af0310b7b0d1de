"""An estimate of recall over all stories, with its uncertainty, from what was explored.

Only delivered stories have verdicts, so recall over verdicts is too high. Stories drawn at random from below the
threshold, each with a known probability p, represent all stories below it. Let the classifier recommend R stories and
leave H below the threshold; let P be the precision over verdicts, and l = 1 for a liked one of the n drawn stories with
a verdict, else 0:

    m = Σ l/p / Σ 1/p    share of liked stories below the threshold (Hájek 1971)
    recall = P·R / (P·R + m·H)

Delivered stories without a verdict count like those with one. m is worth (Σ 1/p)² / Σ 1/p² verdicts (Kish 1965); its
interval is Wilson's for so many.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from iscore.core.statistics import share_interval
from iscore.services.insight.agreement import by_classifier, decided_verdicts
from iscore.services.views.history import Missed
from storage.records.history import DecisionBatch, PastVerdict
from storage.records.users import Kind

FEWEST = 3.0
"""Verdicts that the drawn ones must be worth for an estimate. With so few the interval is wide, but its coverage is
right; waiting for more would favour samples without the rare ones, which represent most articles.
"""


def missed(verdicts: list[PastVerdict], batches: Iterable[DecisionBatch], trained: datetime | None) -> Missed:
    """Return what is known of stories below the threshold."""
    overlooked = [each for each in decided_verdicts(verdicts) if not each.interesting and each.kind is Kind.LIKE]
    explored = sum(bool(each.explore) for each in overlooked)
    judged = by_classifier(verdicts, trained)
    drawn = [
        (each.kind is Kind.LIKE, 1.0 / each.probability)
        for each in judged
        if each.explore and each.probability is not None and 0.0 < each.probability < 1.0
    ]
    recall = low = high = None
    total = sum(weight for _, weight in drawn)
    size = total * total / sum(weight * weight for _, weight in drawn) if drawn else 0.0
    recommended = [each.kind is Kind.LIKE for each in judged if each.interesting]
    if size >= FEWEST and any(recommended):
        precision = sum(recommended) / len(recommended)
        counted = [each for each in batches if trained is not None and each.at > trained]
        found = precision * sum(each.recommended for each in counted)
        hidden = sum(each.explored + each.hidden for each in counted)
        share = sum(weight for liked, weight in drawn if liked) / total
        least, most = share_interval(share * size, size)
        recall, low, high = (found / (found + each * hidden) for each in (share, most, least))
    return Missed(explored, len(overlooked) - explored, len(drawn), size, recall, low, high)
