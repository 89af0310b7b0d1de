"""What exploration tells of what was held back: an estimate of recall over everything, with its uncertainty.

Verdicts exist for what was delivered, so recall over verdicts flatters. What was drawn by lot from below the threshold,
each article with a known probability p, stands for all that was held back. Let R stories be recommended and H held
back by the classifier, P the precision over verdicts, and over the n drawn ones with a verdict, liked (l = 1) or not,

    m = Σ l/p / Σ 1/p    share of liked ones among what is held back (Hájek 1971)
    recall = P·R / (P·R + m·H)

which takes what was delivered and left alone for like that which was judged. m is worth (Σ 1/p)² / Σ 1/p² verdicts
(Kish 1965); its interval is Wilson's for so many.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from iscore.core.statistics import share_interval
from iscore.services.history.agreement import by_classifier, compared
from iscore.services.views.history import Missed
from storage.records import Kind
from storage.records.history import Round, Said

FEWEST = 3.0
"""Verdicts that the drawn ones must be worth for an estimate. With so few the interval is wide, but it holds the truth
as often as with many; waiting for more would favour samples that lack the rare ones, which stand for most."""


def missed(said: list[Said], rounds: Iterable[Round], warm: datetime | None) -> Missed:
    """Tell what is known of what was held back."""
    overlooked = [each for each in compared(said) if not each.interesting and each.kind is Kind.LIKE]
    explored = sum(bool(each.explore) for each in overlooked)
    judged = by_classifier(said, warm)
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
        counted = [each for each in rounds if warm is not None and each.at > warm]
        found = precision * sum(each.recommended for each in counted)
        held_back = sum(each.explored + each.held_back for each in counted)
        share = sum(weight for liked, weight in drawn if liked) / total
        least, most = share_interval(share * size, size)
        recall, low, high = (found / (found + each * held_back) for each in (share, most, least))
    return Missed(explored, len(overlooked) - explored, len(drawn), size, recall, low, high)
