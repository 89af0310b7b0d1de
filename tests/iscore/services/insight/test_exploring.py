"""How what is liked was found, and the interval of a share."""

from __future__ import annotations

import pytest

from iscore.core.statistics import share_interval, upper_share
from iscore.services.insight.agreement import missed
from iscore.services.views.status import HiddenCheck
from tests.iscore.services.insight.made_verdicts import verdicts


def test_likes_by_how_they_were_found() -> None:
    found = missed(verdicts("+++++-0", "rrehnee"), HiddenCheck())
    assert (found.liked_explored, found.liked_later) == (1, 1)


def test_both_ends_of_an_interval_are_wilson_s() -> None:
    # Wilson 1927, as in Newcombe 1998, table I: 81 of 263, and 1 of 29.
    assert share_interval(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert share_interval(1, 29) == pytest.approx((0.0061, 0.1718), abs=5e-5)
    assert share_interval(0, 0) == (0.0, 1.0)
    assert share_interval(3, 7)[1] == upper_share(3, 7)
    assert share_interval(0, 5)[0] == 0.0
