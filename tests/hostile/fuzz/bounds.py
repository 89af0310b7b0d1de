"""How long fuzzing takes within the tests: each time the same examples. ``test_fuzz_longer.py`` tries more."""

from __future__ import annotations

from hypothesis import HealthCheck, settings


def examples(number: int) -> settings:
    """Settings for this many examples that are the same each time."""
    return settings(
        max_examples=number,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )
