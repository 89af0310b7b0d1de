"""The problem that a step of confidence-weighted learning solves, by the conditions that its optimum meets."""

from __future__ import annotations

import numpy as np
import pytest


def assert_least_divergence(variant, before, after, x, phi):
    """Check that a step solves min KL(N(μ′, Σ′) ‖ N(μ, Σ)), Σ′ full, with ⟨x, w⟩ positive as sure as φ says.

    ``before`` and ``after`` are μ and the diagonal of Σ⁻¹, each of shape (n,). In the coordinates where Σ is the
    identity, in which z is x and u is zᵀΣ′z, twice the divergence is tr Σ′ - log det Σ′ + ‖μ′ - μ‖² - n, and the
    constraint ⟨x, μ′⟩ ≥ φ√u by standard deviation, ≥ φu by variance. Both problems are convex, the first in the root
    of Σ′, so the conditions of Karush, Kuhn and Tucker hold at the optimum only. With α the multiplier they are

        μ′ - μ = αz,   Σ′⁻¹ = 1 + (αφ/√u or 2αφ)·zzᵀ,   ⟨x, μ′⟩ = φ√u or φu,   α > 0.
    """
    (mu, precision), (new_mu, new_precision) = before, after
    z, step = x / np.sqrt(precision), (new_mu - mu) * np.sqrt(precision)
    alpha, gain = (step @ z) / (z @ z), (new_precision - precision).sum() / (x @ x)
    u = z @ np.linalg.inv(np.eye(len(z)) + gain * np.outer(z, z)) @ z
    assert alpha > 0.0
    np.testing.assert_allclose(step, alpha * z, atol=1e-10)
    np.testing.assert_allclose(new_precision, precision + gain * x * x, rtol=1e-10)
    assert gain == pytest.approx(alpha * phi / np.sqrt(u) if variant == "stdev" else 2.0 * alpha * phi, rel=1e-9)
    assert x @ new_mu == pytest.approx(phi * (np.sqrt(u) if variant == "stdev" else u), rel=1e-9)
