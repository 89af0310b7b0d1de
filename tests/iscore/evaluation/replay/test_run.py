"""A whole replay: stored outcomes are used, workers make no difference, and errors are clear."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from iscore.core.errors import ReplayError, StreamError
from iscore.evaluation.replay import run as run_module
from iscore.evaluation.replay.metrics import Summary
from iscore.evaluation.replay.protocol import Protocol
from iscore.evaluation.replay.run import ReplayResult, Workers, replay
from iscore.evaluation.replay.stream import write_stream
from iscore.evaluation.replay.stream_format import LabelledArticle
from tests.servers import fork_server

FAST = "subset-naive-bayes"
FULL = Protocol()
DELIVERED = Protocol("delivered")


def timeless(replayed: ReplayResult) -> list[Summary]:
    return [replace(each, seconds=0.0) for each in replayed.results]


@pytest.fixture(scope="module")
def short_file(days: list[LabelledArticle], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stream for what does not depend on its articles."""
    path = tmp_path_factory.mktemp("streams") / "short.jsonl.gz"
    write_stream(path, days[:40])
    return path


@pytest.fixture(scope="module")
def alone(days_file: Path, tmp_path_factory: pytest.TempPathFactory) -> ReplayResult:
    """Two readers, two classifiers, in one process."""
    return replay(
        [days_file], classifiers=[FAST, "v-pa"], protocol=FULL, report=tmp_path_factory.mktemp("reports") / "alone"
    )


def test_results_have_the_order_of_the_arguments(alone: ReplayResult) -> None:
    readers = ["simulated", "wire ∧ short"]
    assert [(r.reader, r.classifier) for r in alone.results] == [(r, c) for r in readers for c in (FAST, "v-pa")]
    assert list(alone.mean) == [FAST, "v-pa"]
    f05 = [each.f05 or 0.0 for each in alone.results if each.classifier == FAST]
    assert alone.mean[FAST]["f05"] == pytest.approx(sum(f05) / 2)
    assert min(f05) > 0.1
    assert alone.extractor_problems == {}


def test_the_report_agrees_with_the_result(alone: ReplayResult) -> None:
    assert alone.report is not None
    report = json.loads((alone.report / "report.json").read_text(encoding="utf-8"))
    reported = [(each["proxy"], each["classifier"], each["f05"]) for each in report["results"]]
    assert reported == [(each.reader, each.classifier, round(each.f05 or 0.0, 6)) for each in alone.results]
    assert set(report["about"]) == {"protocol", "software", "processors"}
    page = (alone.report / "report.html").read_text(encoding="utf-8")
    assert "wire ∧ short" in page
    assert (alone.report / "correlations.csv").read_text().count(",rocchio,") == 2


@pytest.mark.long
def test_several_processes_give_the_results_of_one(alone: ReplayResult, days_file: Path, tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []
    result = replay(
        [days_file],
        classifiers=[FAST, "v-pa"],
        protocol=FULL,
        workers=Workers(2),
        progress=lambda done, total, what: steps.append((done, total)) if "replaying" in what else None,
    )
    assert timeless(result) == timeless(alone)
    assert steps[-1][0] == steps[-1][1] > 0
    assert result.report is None


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[str]:
    """A Dask scheduler and two workers, each a process of its own, on the loopback."""
    pytest.importorskip("distributed", reason="needs the extra `cluster`")
    address_file = tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": tmp_path}
    listen = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(address_file)]
    processes = [subprocess.Popen([*dask, "scheduler", *listen], **quiet)]  # type: ignore[call-overload]
    try:
        waited = time.monotonic() + 600
        while not (address_file.is_file() and address_file.read_text().strip().endswith("}")):
            assert time.monotonic() < waited, "the scheduler did not start"
            time.sleep(0.05)
        address: str = json.loads(address_file.read_text())["address"]
        for number in (1, 2):
            options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--name", f"worker {number}"]
            processes.append(subprocess.Popen([*dask, "worker", address, *options], **quiet))  # type: ignore[call-overload]
        yield address
    finally:
        for process in processes:
            process.kill()
            process.wait(600)


@pytest.mark.long
def test_a_cluster_gives_the_results_of_one_process(
    alone: ReplayResult, days_file: Path, tmp_path: Path, cluster: str
) -> None:
    from distributed import Client

    with Client(cluster) as client:  # type: ignore[no-untyped-call]
        client.wait_for_workers(2, timeout=600)  # type: ignore[no-untyped-call]
    result = replay(
        [days_file],
        classifiers=[FAST, "v-pa"],
        protocol=FULL,
        report=tmp_path / "report",
        workers=Workers(cluster=cluster),
    )
    assert timeless(result) == timeless(alone)


@pytest.mark.long
def test_a_missing_cluster_is_an_error(short_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="needs the extra `cluster`")
    monkeypatch.setattr(run_module, "TIMEOUT", "0.2s")
    with pytest.raises(ReplayError, match=r"no Dask scheduler answers at tcp://127.0.0.1:9"):
        replay([short_file], classifiers=[FAST], protocol=FULL, workers=Workers(cluster="tcp://127.0.0.1:9"))
    with pytest.raises(ReplayError, match="no Dask scheduler answers at nowhere"):
        replay([short_file], classifiers=[FAST], protocol=FULL, workers=Workers(cluster="nowhere"))


def test_stored_outcomes_are_not_computed_again(
    alone: ReplayResult, days_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = replay([days_file], readers=["simulated"], classifiers=[FAST], protocol=FULL, report=tmp_path / "report")
    done: list[tuple[str, tuple[str, ...]]] = []
    run = run_module.Job.run

    def watched(job, on_progress=lambda _: None):
        done.append((job.reader, job.classifiers))
        return run(job, on_progress)

    monkeypatch.setattr(run_module.Job, "run", watched)
    again = replay([days_file], readers=["simulated"], classifiers=[FAST], protocol=FULL, report=tmp_path / "report")
    assert done == []
    assert again.results == first.results
    more = replay([days_file], classifiers=[FAST, "v-pa"], protocol=FULL, report=tmp_path / "report")
    assert done == [("simulated", ("v-pa",)), ("wire ∧ short", (FAST, "v-pa"))]
    assert timeless(more) == timeless(alone)
    # What is damaged counts as missing.
    outcomes = sorted((tmp_path / "report" / "work" / "outcomes").glob("*.outcome"))
    assert len(outcomes) == 4
    outcomes[0].write_bytes(b"not an outcome")
    done.clear()
    assert timeless(
        replay([days_file], classifiers=[FAST, "v-pa"], protocol=FULL, report=tmp_path / "report")
    ) == timeless(alone)
    assert len(done) == 1


def test_a_changed_configuration_is_an_error(
    days: list[LabelledArticle], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "news.jsonl"
    write_stream(path, days[:60])

    def run(protocol: Protocol) -> ReplayResult:
        return replay([path], readers=["simulated"], classifiers=[FAST], protocol=protocol, report=tmp_path / "report")

    run(DELIVERED)
    for protocol, what in (
        (FULL, "protocol"),
        (Protocol("delivered", every=40), "every"),
        (Protocol("delivered", delay=2 * DELIVERED.delay), "delay"),
    ):
        with pytest.raises(ReplayError, match=rf"was begun otherwise: {what} changed; name another folder"):
            run(protocol)
    write_stream(path, days[:61])
    with pytest.raises(ReplayError, match="the stream news changed"):
        run(DELIVERED)
    write_stream(path, days[:60])
    run(DELIVERED)
    monkeypatch.setattr("iscore.evaluation.replay.outcome.digest_of_decisions", lambda: "another")
    with pytest.raises(ReplayError, match="the program changed"):
        run(DELIVERED)
    (tmp_path / "report" / "work" / "outcomes" / "configuration.json").write_text("[]")
    with pytest.raises(ReplayError, match="cannot be read"):
        run(DELIVERED)


def test_a_worker_of_another_version_is_refused(short_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_module, "digest_of_decisions", iter(["asked for", "there"]).__next__)
    with pytest.raises(ReplayError, match="a worker has another version"):
        replay([short_file], readers=["simulated"], classifiers=[FAST], protocol=FULL)


def test_unknown_names_are_errors(short_file: Path, days: list[LabelledArticle], tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match=r"no proxy 'nobody'; there are simulated, wire ∧ short$"):
        replay([short_file], readers=["nobody"], classifiers=[FAST], protocol=FULL)
    with pytest.raises(ReplayError, match=r"no classifier 'nothing'; there are .*weighted-naive-bayes"):
        replay([short_file], classifiers=["nothing"], protocol=FULL)
    with pytest.raises(ReplayError, match="two streams are called short"):
        replay([short_file, tmp_path / "short.jsonl"], classifiers=[FAST], protocol=FULL)
    with pytest.raises(StreamError, match="no such file"):
        replay([tmp_path / "nothing.jsonl"], classifiers=[FAST], protocol=FULL)
    unlabelled = [replace(article, labels={}) for article in days[:3]]
    write_stream(tmp_path / "unlabelled.jsonl", unlabelled)
    with pytest.raises(ReplayError, match="nobody to replay for"):
        replay([tmp_path / "unlabelled.jsonl"], classifiers=[FAST], protocol=FULL)


def test_readers_need_not_be_in_every_stream(days: list[LabelledArticle], days_file: Path, tmp_path: Path) -> None:
    other = [replace(article, labels={"other": article.labels["simulated"]}) for article in days[:80]]
    write_stream(tmp_path / "other.jsonl", other)
    both = [days_file, tmp_path / "other.jsonl"]
    result = replay(both, readers=["other", "wire ∧ short"], classifiers=[FAST], protocol=FULL)
    assert [(r.stream, r.reader) for r in result.results] == [("days", "wire ∧ short"), ("other", "other")]
    assert result.results[1].n == 80


PROGRAM = """
import signal, sys
# Who runs the tests in the background may have interrupts ignored, and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
from pathlib import Path
from iscore.evaluation.replay.run import Job
from iscore.cli import main

run = Job.run
def slow(job, on_progress=lambda _: None):
    if job.classifiers == ("v-pa",):
        Path(sys.argv[1]).touch()
        import time
        time.sleep(60)
    return run(job, on_progress)
Job.run = slow
sys.exit(main(sys.argv[2:]))
"""


def test_an_interrupted_replay_keeps_finished_outcomes(days_file: Path, tmp_path: Path) -> None:
    report, began = tmp_path / "report", tmp_path / "began"
    arguments = ["replay", str(days_file), "--proxy", "simulated", "--protocol", "delivered", "--report", str(report)]
    classifiers = ["--classifier", FAST, "--classifier", "v-pa"]
    process = fork_server.start(str(began), *arguments, *classifiers, program=PROGRAM, env=os.environ)
    waited = time.monotonic() + 600
    while not began.exists():
        assert process.poll() is None
        assert time.monotonic() < waited
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert (process.returncode, out) == (130, "")
    assert err == "iscore: interrupted; everything recorded so far is kept\n"
    assert len(list((report / "work" / "outcomes").glob("*.outcome"))) == 1
    result = replay([days_file], readers=["simulated"], classifiers=[FAST, "v-pa"], protocol=DELIVERED, report=report)
    assert [each.classifier for each in result.results] == [FAST, "v-pa"]
    assert (report / "report.html").is_file()


def test_without_a_report_no_files_remain(short_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_module.tempfile, "tempdir", str(tmp_path))
    replay([short_file], readers=["wire ∧ short"], classifiers=[FAST], protocol=FULL)
    assert list(tmp_path.iterdir()) == []
