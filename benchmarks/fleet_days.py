"""Three days of a fleet in ten minutes, while things break: whether anything is lost, doubled, or asked by two at once.

    python -m benchmarks.fleet_days [--minutes 9] [--readers 16] [--hosts 50] [--every 8]

Three workers, two web processes with readers who give verdicts over HTTP, a PostgreSQL server, hosts with feeds, and a
mail server. Each is a process of its own, at a place of its own (``fleet_places``); all have one clock, which is put
forward (``fleet_clock``) whenever no worker that is well has anything in its hands. So three days pass, and each poll,
judgement and digest is done when it is due, at the speed of this machine; nobody's lease ends because of that.

Every few seconds something breaks, in turn (``fleet_faults``). Who is stopped or cut off stays so for longer than a
lease by any clock. In the end all is mended, and the database, the hosts' log and the readers' own notes are searched
for faults (``fleet_checks``).
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path

from benchmarks import fleet_clock, results
from benchmarks.fleet_checks import Figures, check
from benchmarks.fleet_clock import SimulatedClock
from benchmarks.fleet_faults import OUT, WRONG_CLOCK, Faults
from benchmarks.fleet_hosts import Setup
from benchmarks.fleet_places import HOSTS, Namespaces, Places, Proxies, in_private_namespace, may_have_namespaces
from benchmarks.fleet_processes import PLACES, WEBS, WORKERS, Fleet
from benchmarks.fleet_readers import Readers
from iscore.jobs.scheduler.task_process import stop_on_termination
from iscore.services.news_filter import NewsFilter
from iscore.services.people.accounts import Accounts
from iscore.web.security.credentials import CredentialStore
from storage.engine.base_database import Database
from storage.opening.database import open_database
from tests.servers import postgresql

DAYS = timedelta(days=3)
START = 180.0
"""Seconds in which everything must have started."""
SETTLE = 120.0
"""Seconds in which all queues must become empty after the last fault."""
HURRY = 20.0
"""Seconds after which readers rest, and time passes even if there is work to do, as long as nobody has it in their
hands."""
STEPS = timedelta(minutes=20), timedelta(hours=3)
"""The least and the most that passes at once."""
SHARE = 0.6
"""Part of the whole time in which the days pass; the rest is for the end, when all queues become empty, and checks."""
CONFIG = """
mail_host = "127.0.0.1"
mail_port = {port}
mail_security = "none"
mail_from = "iscore@example.org"
fetch_timeout = 5
"""


def prepare(fleet: Fleet, readers: int, hosts_count: int) -> tuple[Setup, dict[str, tuple[int, str]]]:
    """Make the database with readers, who follow feeds, and a data folder for each place.

    Returns what the hosts have, and number and password of an app by the name of each reader. The rules of the last
    reader are broken.
    """
    places, home = fleet.places, fleet.folder / "home"
    port = places.free_port(HOSTS)
    start = fleet.clock().timestamp()
    addresses = [places.host(number) for number in range(hosts_count)]
    setup = Setup(
        addresses=addresses,
        hanging=places.host(248),
        poisoned=places.host(249),
        port=port,
        start=start,
        until=start + DAYS.total_seconds(),
        log=str(fleet.logs / "requests.log"),
    )
    dead = [f"http://{places.host(250)}:{port}/{number}" for number in range(3)]
    trouble = [f"http://{setup.hanging}:{port}/0", f"http://{setup.poisoned}:{port}/0", *dead]
    os.environ |= {"ISCORE_DATABASE": fleet.server.address(fleet.name), "ISCORE_ALLOW_PRIVATE_NETWORKS": "1"}
    empty = fleet.folder / "empty.yaml"
    empty.write_text("feeds: []\n")
    known = {}
    with NewsFilter.create(home, empty, clock=fleet.clock) as news:
        for number in range(1, readers):
            news.people.add(f"Reader {number}")
        accounts = Accounts(news.database, news.context.clock)
        feeds = [url for url, _ in setup.feeds()]
        chance = random.Random(1)
        for user, name in news.people.names().items():
            mine = news.for_user(user)
            mine.subscriptions.add([*chance.sample(feeds, len(feeds) // 3), *trouble], discover=False)
            wanted = f'mail_to = "reader-{user}@example.org"\ndigest_at = "07:00"\ntime_zone = "UTC"\n'
            personal = mine.context.personal_settings
            personal.replace(wanted, before=personal.read_or_empty().decode())
            known[name] = (user, accounts.make_app_password(user, "fleet"))
        mine.context.rules.replace("rules: 7", before="")
    CredentialStore(home).mark_set_up()
    (home / "config.toml").write_text(CONFIG.format(port=fleet.mail_port))
    with NewsFilter.open(home, clock=fleet.clock) as news:
        for user in news.people.names():
            address = news.for_user(user).mail_address
            code, _ = address.take() or ("", None)
            if not address.enter(code):
                raise RuntimeError(f"the address of user {user} is not confirmed")
    for name in (*WORKERS, *WEBS):
        shutil.copytree(home, fleet.folder / name)
    return setup, known


def live(
    fleet: Fleet, setup: Setup, known: dict[str, tuple[int, str]], minutes: float, every: float
) -> tuple[Figures, Readers]:
    """Let three days pass, and all queues become empty."""
    setup.write(fleet.folder / "setup.json")
    fleet.add(HOSTS, ["-m", "benchmarks.fleet_hosts", str(fleet.folder / "setup.json")])
    wait_until(lambda: "ready" in fleet.processes[HOSTS].said(), START)
    for name in WORKERS if fleet.places.database else WORKERS[:1]:
        log = str(fleet.logs / f"mails-{name}.log")
        fleet.add(f"mail-{name}", ["-m", "benchmarks.fleet_mail", str(fleet.mail_port), log], place=name)
    environment = {"ISCORE_ALLOW_PRIVATE_NETWORKS": "1"}
    iscore = ["-P", "-m", "iscore", "--home"]
    addresses = []
    for name in WEBS:
        port, host = fleet.places.free_port(name), fleet.places.address(name)
        serve = ["serve", "--pages-only", "--host", host, "--port", str(port), "--log-format", "json"]
        at = {"ISCORE_DATABASE": fleet.address(name)}
        fleet.add(name, [*iscore, str(fleet.folder / name), *serve], **environment, **at)
        addresses.append((host, port))
    for name in WORKERS:
        at = {"ISCORE_DATABASE": fleet.address(name)}
        fleet.add(name, [*iscore, str(fleet.folder / name), "worker", "--json"], **environment, **at)
    patient = {max(user for user, _ in known.values())}
    figures = Figures(how=fleet.places.how)
    readers = Readers(addresses, {name: who for name, who in known.items() if who[0] not in patient}, fleet.clock)
    with open_database(fleet.server.address(fleet.name)) as database:
        wait_until(lambda: fleet.is_idle(database, patient), START)
        readers.start()
        faults = Faults(fleet, every)
        pass_days(fleet, database, faults, readers, patient, 60 * minutes * SHARE)
        faults.mend()
        readers.end()
        figures.broken, figures.ended = faults.done, faults.ended
        began = time.monotonic()
        figures.settled = wait_until(lambda: fleet.is_idle(database, patient), SETTLE)
        figures.settled_after = time.monotonic() - began
        # Feeds that could not be reached while links were cut are asked again after a day at the latest.
        for step in (*[STEPS[1]] * 9, STEPS[0]):  # the last one for what was planned to be judged after the others
            moved = wait_until(partial(fleet.put_forward, step), SETTLE)
            settled = wait_until(lambda: fleet.is_idle(database, patient), SETTLE)
            figures.settled = moved and settled and figures.settled
    for name in (*WORKERS, *WEBS):
        fleet.processes[name].signal(signal.SIGTERM)
    figures.exit_codes = {name: fleet.processes[name].wait() for name in (*WORKERS, *WEBS)}
    figures.steps, figures.passed = fleet.steps, fleet.clock.ahead
    return figures, readers


def pass_days(
    fleet: Fleet, database: Database, faults: Faults, readers: Readers, patient: set[int], seconds: float
) -> None:
    """Simulate the days in ``seconds``, while things break."""
    began = last = time.monotonic()
    end = fleet.clock.ahead + DAYS
    while fleet.clock.ahead < end:
        faults.look()
        now = time.monotonic()
        late = now - last > HURRY
        if late:
            readers.resting.set()  # else workers learn verdicts all the time
        if late or fleet.is_idle(database, patient):
            left = max(seconds - (now - began), 1.0)
            pace = (now - last) / left
            step = min(max((end - fleet.clock.ahead) * pace, STEPS[0]), STEPS[1])
            if fleet.put_forward(step):
                last = now
                readers.resting.clear()
        time.sleep(0.2)


def wait_until(happened: Callable[[], bool], seconds: float) -> bool:
    """Return whether it has happened in time."""
    end = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True


def run(minutes: float, readers: int, hosts_count: int, every: float, logs: Path | None, *, namespaces: bool) -> int:
    """Live, and write what was found; return 1 if there was a fault."""
    if logs is not None:
        logs.mkdir()
    places: Places = Namespaces(PLACES) if namespaces else Proxies(PLACES)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as open_folder:
        Path(open_folder).chmod(0o755)
        clock = SimulatedClock(Path(open_folder))
        with postgresql.running(places.database, clock.environment()) as server:
            fleet = Fleet(Path(folder), logs or Path(folder), places, clock, server)
            try:
                setup, known = prepare(fleet, readers, hosts_count)
                figures, people = live(fleet, setup, known, minutes, every)
                rows, bad = check(fleet, setup, known, figures, people)
            finally:
                for each in fleet.processes.values():
                    each.signal(signal.SIGKILL)
                places.close()
    events = ", ".join(f"{what} {count} ×" for what, count in sorted(figures.broken.items()))
    notes = (
        f"{len(WORKERS)} workers, {len(WEBS)} web processes with readers over HTTP, {readers} readers, {hosts_count} "
        f"hosts with {len(setup.feeds())} feeds, and one host each that hangs, is dead, and sends nonsense; the rules "
        f"of one reader are broken. {figures.passed / timedelta(days=1):.1f} simulated days in {figures.steps} steps. "
        f"Broken: {events}. Workers were stopped or cut off for {OUT:.0f} seconds. {figures.how} Clocks of workers "
        f"were wrong by {WRONG_CLOCK / timedelta(hours=1):.0f} hours."
    )
    results.write(
        "fleet_faults", "Three days of a fleet, while things break", ("what", "found", "allowed"), rows, notes
    )
    print(*bad, sep="\n", file=sys.stderr)
    return int(bool(bad))


def main() -> int:
    """Run it in namespaces of its own, if that is allowed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=9.0, help="how long it takes")
    parser.add_argument("--readers", type=int, default=16)
    parser.add_argument("--hosts", type=int, default=50, help="up to 248")
    parser.add_argument("--every", type=float, default=8.0, help="seconds between two faults")
    parser.add_argument("--proxies", action="store_true", help="cut links by proxies, without network namespaces")
    parser.add_argument("--logs", type=Path, help="a new folder for what all processes say")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    stop_on_termination()
    if reason := postgresql.missing() or fleet_clock.missing():
        print(reason, file=sys.stderr)
        return 1
    if not options.inside and not options.proxies and may_have_namespaces():
        words = [sys.executable, "-m", "benchmarks.fleet_days", *sys.argv[1:], "--inside"]
        return subprocess.run(in_private_namespace(words), check=False).returncode
    return run(options.minutes, options.readers, options.hosts, options.every, options.logs, namespaces=options.inside)


if __name__ == "__main__":
    sys.exit(main())
