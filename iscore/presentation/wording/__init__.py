"""Texts shared by terminal, digest, mail and web: stories, explanations, scores, numbers, times.

The current time and the time zone are arguments. Layout is up to the caller.
"""
