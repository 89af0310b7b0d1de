"""Learners that turn a vector of features into a score, one example at a time; ``LEARNERS`` names them."""

from __future__ import annotations

from collections.abc import Callable

from iscore.learners.kernel_naive_bayes import KernelNaiveBayes
from iscore.learners.learner import Explanation, Learner
from iscore.learners.subset_naive_bayes import SubsetNaiveBayes

__all__ = ["EXPECTED_FAILED_CHECKS", "LEARNERS", "Explanation", "KernelNaiveBayes", "Learner", "SubsetNaiveBayes"]

LEARNERS: dict[str, Callable[[], Learner]] = {
    "kernel-naive-bayes": KernelNaiveBayes,
    "subset-naive-bayes": SubsetNaiveBayes,
    "uncalibrated-subset-naive-bayes": lambda: SubsetNaiveBayes(calibrated=False),
}

EXPECTED_FAILED_CHECKS: dict[str, dict[str, str]] = {
    "SubsetNaiveBayes": {
        "check_sample_weight_equivalence_on_dense_data": (
            "the subset is chosen by decisions on examples before they are learned: of a row that comes twice the "
            "second copy is decided by a learner that knows the first, and the check shuffles the rows besides"
        )
    }
}
"""Checks of scikit-learn that cannot hold: name of the class → name of the check → reason."""
