"""What the ranking is fitted to now: verdicts since the last change of interest, or all of them.

A change of interest is found by a streak of dislikes and confirmed by one like (``changes``). Both may be chance: a
reader of many topics dislikes seven recommendations in a row, and then likes one article of a diverse selection. If
what they said before were forgotten for good, the filter would begin anew with one like. So it counts again as long as
the verdicts since the streak began are predicted better with it.
"""

from __future__ import annotations

import numpy as np

from extractors.stream.lsa import Basis
from iscore.filtering.decision.calibration import log_loss
from iscore.filtering.decision.changes import Interest, current_interest
from iscore.filtering.decision.evidence import DecisionLog, Evidence, evidence_after
from iscore.filtering.decision.labelled import Articles, FeatureClassifier
from iscore.filtering.decision.ranking import fitted
from iscore.filtering.decision.threshold import BETA

BETTER = 2.0
"""In nats, by which the verdicts before a change must predict those after it better: e² times as likely."""
ENOUGH = 50
"""With so many verdicts since a change, earlier ones no longer count."""


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
    log_odds = fit.level.log_odds(fit.left_out[mine])
    return float(log_loss(log_odds, evidence.labelled.liked[mine]).sum())
