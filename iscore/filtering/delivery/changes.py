"""Changes of interest: found by dislikes that nobody expected, and confirmed by a like that nobody expected.

    dislikes in a row, each less likely than the last ─► search: the best article and a diverse selection, each day
    first like in the search ─► of the best article: a false alarm, all as before
                             └► of another: a new interest; verdicts before the dislikes no longer count

A user who likes a hidden article meanwhile, or adds an interest or an example, has named the new interest: a search
ends with it, and none begins if it came after the first of the dislikes.

An old interest fades only by evidence: the surprise of a streak is how unlikely it was, by the probabilities with which
its articles were delivered, and by how often the articles before it were liked, whichever expects less. Everything is
a function of the effective log and the first decisions, so an undo restores the old interest.

Both a streak of dislikes and the one like that confirms it may be chance: a reader of many topics dislikes seven
recommendations in a row, and then likes one article of a diverse selection. If what they said before were forgotten for
good, the filter would begin anew with one like. So it counts again as long as the verdicts since the streak began are
predicted better with it (``evidence_of``).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan, log1p

import numpy as np

from extractors.stream.word_vectors import Basis
from iscore.filtering.delivery.tuning import BEFORE, BETA, BETTER, ENOUGH, SURPRISE
from iscore.filtering.ranking.calibration import log_loss, probability_of
from iscore.filtering.ranking.evidence import DecisionLog, DeliveryVerdict, Evidence, Interest, evidence_after
from iscore.filtering.ranking.labelled import Articles, FeatureClassifier
from iscore.filtering.ranking.ranking import fitted


def evidence_of(
    log: DecisionLog,
    basis: Basis | None,
    classifier: FeatureClassifier,
    *,
    new: Articles | None = None,
    beta: float = BETA,
) -> Evidence:
    """Collect what a ranking is fitted to; parameters are as for ``evidence_after``."""
    interest = current_interest(log.history(), log.stated())
    since = evidence_after(interest, log, basis, classifier, new=new, beta=beta)
    verdicts = int(np.count_nonzero(since.labelled.verdicts))
    if interest.searching or not interest.after or not since.can_rank or verdicts >= ENOUGH:
        return since
    all_evidence = evidence_after(Interest(), log, basis, classifier, new=new, beta=beta)
    better = _loss(since, interest.after) - _loss(all_evidence, interest.after)
    return all_evidence if better >= BETTER else since


def _loss(evidence: Evidence, after: int) -> float:
    """Return the logarithmic loss, in nats, of verdicts ``after`` this row, by rankings that have not learned them."""
    fit = fitted(Articles.none(), evidence)
    mine = evidence.labelled.rows > after
    log_odds = fit.offsets.log_odds(fit.left_out[mine])
    return float(log_loss(log_odds, evidence.labelled.liked[mine]).sum())


def current_interest(history: Sequence[DeliveryVerdict], stated: Sequence[int] = ()) -> Interest:
    """Return what counts after these verdicts, which are in order of the log.

    ``stated`` are the rows of all likes, interests and examples, of deliveries or not.
    """
    begin = known = begin_of_search = start = place = 0  # places in ``history``
    searching = named = False
    surprise = 0.0
    for verdict in _in_order(history, stated):
        if verdict is None:
            if searching:
                begin, known = begin_of_search, place
                searching, surprise, start = False, 0.0, place
            named = surprise > 0.0
            continue
        place += 1
        if verdict.liked:
            if searching and not verdict.interesting:
                begin, known = begin_of_search, place
            searching, named, surprise, start = False, False, 0.0, place
        elif not searching and not isnan(verdict.margin):
            before = history[max(begin, start - BEFORE) : start]
            usual = sum(each.liked for each in before) / (len(before) + 2)
            surprise -= log1p(-min(probability_of(verdict.score), usual))
            if surprise >= SURPRISE and named:
                begin, known = start, place
                named, surprise, start = False, 0.0, place
            elif surprise >= SURPRISE:
                searching, begin_of_search = True, start
    after, known_after = (history[first - 1].row if first else 0 for first in (begin, known))
    return Interest(after, known_after, searching)


def _in_order(history: Sequence[DeliveryVerdict], stated: Sequence[int]) -> list[DeliveryVerdict | None]:
    """Return the verdicts on deliveries, with None where something else was liked or named."""
    delivered = {verdict.row for verdict in history}
    others = [(row, None) for row in stated if row not in delivered]
    events: list[tuple[int, DeliveryVerdict | None]] = [*((verdict.row, verdict) for verdict in history), *others]
    return [event for _, event in sorted(events, key=lambda event: event[0])]
