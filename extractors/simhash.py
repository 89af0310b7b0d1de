"""SimHash: a hash of a set of terms, of which similar sets differ in few bits (Charikar 2002)."""

from __future__ import annotations

import numpy as np

from extractors.arrays import Float32s, Int32s
from extractors.numba_kernel import compiled


@compiled
def simhash_of(ids: Int32s, counts: Float32s) -> np.int64:
    """SimHash of hashed terms weighted by the root of their counts, as a signed 64-bit number."""
    # splitmix64 spreads the bucket numbers over 64 bits; whole arrays wrap around without a warning.
    spread = ids.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    spread = (spread ^ (spread >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    spread = (spread ^ (spread >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    spread = spread ^ (spread >> np.uint64(31))
    sums = np.zeros(64)
    for entry in range(len(ids)):
        bits = spread[entry]
        weight = np.sqrt(np.float64(counts[entry]))
        for bit in range(64):
            if (bits >> np.uint64(bit)) & np.uint64(1):
                sums[bit] += weight
            else:
                sums[bit] -= weight
    simhash = np.uint64(0)
    for bit in range(64):
        if sums[bit] > 0.0:
            simhash |= np.uint64(1) << np.uint64(bit)
    return np.int64(simhash)
