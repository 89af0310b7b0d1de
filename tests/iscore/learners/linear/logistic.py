"""What tests of online logistic regression share: a stream, and its equations as plain loops."""

from __future__ import annotations

import numpy as np

SCALINGS = [None, "standard", "FS", "FS-1", "FS-2", "FS-3"]
SUPERVISED = ["FS", "FS-1", "FS-2", "FS-3"]
W, ALPHA, BETA = range(3)


def stream(m=200, n=6, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(m, n)) * (random.random((m, n)) < 0.6) * np.arange(1, n + 1)
    return X, X @ random.normal(size=n) + random.normal(size=m) > 0.0


def sigmoid(score):
    return 1.0 / (1.0 + np.exp(-score))


def parameters(learner):
    """Return w, α, β and b as the learner scores with them, shapes (n,) and ()."""
    model, rule = learner._store.model, learner._update
    table = model[0]
    rows = [rule._parameter(model, table, which) for which in range(3 if table.shape[1] == 6 else 1)]
    prior, _ = rule.parts(model, np.zeros(len(table)), table)
    return *rows, prior


def scaled(scaling, x, w, alpha, beta):
    """Return the parts of the score."""
    if scaling in ("FS", "FS-1"):
        return w * sigmoid(alpha * x - beta)
    return w * (alpha * x + beta) if scaling in ("FS-2", "FS-3") else w * x


def plain(X, y, learner):
    """Return (w, α, β), their means, b and its mean after one pass, as the paper writes them; nothing is lazy."""
    scaling, N = learner.scaling, learner.n_examples
    values = learner.zeros == "values" or scaling is None
    lam, mu, nu = learner.lam / N, learner.mu / N, learner.nu / N
    start = learner.start
    w, alpha, beta = (np.full(X.shape[1], value) for value in start)
    b = b_sum = 0.0
    sums = np.zeros((3, X.shape[1]))
    for k, (row, t) in enumerate(zip(X, y, strict=True)):
        there = ~np.isnan(row) & (values | (row != 0.0))
        x = np.where(there, row, 0.0)
        eta = learner.eta0 / (1.0 + k / N)
        if scaling == "standard":
            past = X[: k + 1] if values else np.nan_to_num(X[: k + 1])
            sd, mean = np.zeros(X.shape[1]), np.zeros(X.shape[1])
            for j, column in enumerate(past.T):
                known = column[~np.isnan(column)]
                if len(known) > 1:
                    sd[j], mean[j] = known.std(ddof=1), known.mean() if values else 0.0
            sigma = np.where(sd > 0.0, (x - mean) / np.where(sd > 0.0, sd, 1.0), 0.0)
        else:
            sigma = scaled(scaling, x, 1.0, alpha, beta)
        sigma = sigma * there
        error = t - sigmoid(w @ sigma + b)
        old = w
        if scaling != "FS-3":
            w = w * (1.0 - 2.0 * lam * eta) + eta * error * sigma
        b += eta * error
        slope = old * (sigma * (1.0 - sigma) if scaling in ("FS", "FS-1") else there)
        if scaling in ("FS", "FS-2", "FS-3"):
            alpha = alpha * (1.0 - 2.0 * mu * eta) + eta * error * x * slope
        if scaling in SUPERVISED:
            direction = -1.0 if scaling in ("FS", "FS-1") else 1.0
            beta = beta * (1.0 - 2.0 * nu * eta) + direction * eta * error * slope
        sums += w, alpha, beta
        b_sum += b
    return (w, alpha, beta), sums / len(X), b, b_sum / len(X)
