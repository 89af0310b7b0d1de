"""What `make lint` asks of the packages that iScore stands on. No part of the wheel.

    requirements.lock ─► each pinned, with hashes, installed as pinned ─► held against the advisories in this folder

The advisories are a list of yesterday's: it never asks the network. `make audit` does.
"""
