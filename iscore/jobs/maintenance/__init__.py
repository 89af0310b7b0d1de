"""Caring for a home: is it well, copies of it, and what may leave it.

These work on a home from outside, whole or broken; ``NewsFilter`` works within one that is whole.
"""
