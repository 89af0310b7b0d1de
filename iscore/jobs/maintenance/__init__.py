"""Look after a data folder: check, back up, restore, prune, export and import.

These work on a data folder from outside, even a broken one; ``NewsFilter`` needs one that is in order.
"""
