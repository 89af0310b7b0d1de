"""The weight of a verdict on an article that was drawn at random.

Former versions drew a few articles from below the threshold, and recorded the probability of each draw. Verdicts on
these represent articles that were not drawn. Today nothing is left to chance: what is delivered has probability 1.
"""

MAX_WEIGHT = 3.0
"""Kernel estimates take one heavy verdict for many equal ones."""


def weight_of(probability: float) -> float:
    """Return the weight of a verdict on an article delivered with ``probability``: its bounded inverse."""
    return min(1 / probability, MAX_WEIGHT) if probability > 0 else MAX_WEIGHT
