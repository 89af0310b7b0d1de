"""When a filter has enough verdicts for its classifier to score."""

MIN_VERDICTS = 5
"""Likes, and as many dislikes. Kernel estimates from fewer values are mostly noise."""


def is_trained(likes: int, dislikes: int) -> bool:
    """Whether there are enough verdicts of both kinds."""
    return likes >= MIN_VERDICTS and dislikes >= MIN_VERDICTS
