"""When a filter knows its reader well enough for the classifier to judge."""

ENOUGH = 5
"""Likes, and dislikes as well. Kernel estimates of fewer values than this are their own noise."""


def is_trained(likes: int, dislikes: int) -> bool:
    """Whether there have been enough verdicts of both kinds."""
    return likes >= ENOUGH and dislikes >= ENOUGH
