"""``python -m audit``: fails if a package is not pinned, not installed as pinned, or known to be vulnerable.

It looks into the lock file and two lists: no network, no other database. ``--lock FILE`` takes another lock file, and
then does not ask what is installed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from audit import advisories, lock

LOCK = Path(__file__).parents[1] / "requirements.lock"


def main() -> int:
    """Return 0 when nothing was found, 1 otherwise."""
    options = argparse.ArgumentParser(prog="python -m audit", description=__doc__)
    options.add_argument("--lock", type=Path, default=LOCK, metavar="FILE")
    file = options.parse_args().lock
    try:
        locked = lock.read(file)
    except lock.LockError as error:
        print(f"audit: {error}", file=sys.stderr)
        return 1
    lists = [advisories.read(each) for each in (advisories.DATABASE, advisories.BY_HAND)]
    hits = advisories.found(locked, (each for known in lists for each in known.advisories))
    wrong, unlocked = lock.differences(locked) if file == LOCK else ([], [])
    for pinned, advisory in hits:
        verdict = f"accepted: {advisory.accepted}" if advisory.accepted else "update it, or say why it does no harm"
        names = f"{advisory.id} {advisory.also}".strip()
        print(f"audit: {pinned.name} {pinned.version} has {names}: {advisory.what or 'see there'} ({verdict})")
    for each in wrong:
        print(f"audit: {each}; delete .venv/.ready, and make builds the environment anew")
    if unlocked:
        print(f"audit: installed beside the lock file, and not looked at: {', '.join(unlocked)}")
    bad = [each for each in hits if not each[1].accepted]
    print(
        f"audit: {len(locked)} pinned versions, {sum(len(known.advisories) for known in lists)} advisories, "
        f"{len(bad)} vulnerable. Known: the database's of {lists[0].looked} and our own of {lists[1].looked}; "
        "what came later, was withdrawn or is kept up by nobody is not seen. `make audit` asks the network."
    )
    return 1 if bad or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
