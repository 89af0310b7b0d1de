"""The mode of a logistic regression with a Gaussian belief, by exact derivatives."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

GRADIENT = 1e-9


def posterior_mode(rows, signs, costs, start, precision):
    """Return the minimum of ½ (w - start)ᵀ P (w - start) + Σ cost · ln(1 + e^(-sign · w·x)), and the Hessian there.

    The function is convex, so its minimum is where its gradient is zero. Newton's method finds it; the step is halved
    until the gradient is shorter, as it is after a step that is short enough.
    """

    def derivatives(w):
        errors = expit(-signs * (rows @ w))
        gradient = precision @ (w - start) - (costs * signs * errors) @ rows
        return gradient, precision + (rows.T * (costs * errors * (1.0 - errors))) @ rows

    w = np.array(start, dtype=np.float64)
    gradient, hessian = derivatives(w)
    while (length := np.linalg.norm(gradient)) > GRADIENT:
        step = np.linalg.solve(hessian, gradient)
        gradient, hessian = derivatives(w - step)
        while not np.linalg.norm(gradient) < length:
            step /= 2.0
            assert step.any(), f"the gradient stays at {length}"
            gradient, hessian = derivatives(w - step)
        w = w - step
    return w, hessian
