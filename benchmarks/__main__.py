"""Runs benchmarks: ``python -m benchmarks [--quick] [NAME …]``, all of them without a name; ``--list`` names them.

Each benchmark runs in a process of its own and writes its results to ``benchmarks/results``. Those that need real data
or a FreshRSS are left out, and named, when ``ISCORE_DATA`` or ``ISCORE_FRESHRSS`` does not say where it is.
``--quick`` runs those that know how to be quick: it shows that they work; its figures are not for quoting and are
printed only.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time

from iscore.cli import ONE_BLAS_THREAD

BENCHMARKS = {
    "naive_bayes_speed": "naive Bayes per article, against river",
    "naive_bayes_bandwidth": "how the kernel bandwidth decides",
    "grid_accuracy": "how exact the grid of the kernel densities is",
    "threshold_speed": "the adaptive threshold per verdict, against sorting",
    "bytes_to_decisions": "from a feed's bytes to stored decisions, against feedparser",
    "reader_fixtures": "values of other feed readers' test fixtures that are the same here",
    "feature_cost": "what measuring an article costs, against feedparser, and what a reader's features cost",
    "files_entered": "how many files and functions of the program a command enters",
    "daily_commands": "the commands of a day, learning and rescoring",
    "model_size": "what a reader's model costs: its saved size, loading, saving, memory",
    "first_day": "the first quarter of an hour with real feeds: time, silence, the first inbox",
    "review_speed": "a verdict in iscore review until the next article appears",
    "rules_speed": "matching articles with rules, applying rules to everything that waits, and an inbox with rules",
    "digest_speed": "making a digest out of 10,000 stories, and writing it in each format",
    "swings": "how much the recommendations change with each verdict, import and undo of a sitting",
    "crowded_pages": "verdicts in the browser while others keep iscore serve busy",
    "reader_pages": "the reader's pages with 100,000 articles: time, size, first paint",
    "looking_back": "iscore stats, on the screen and as a page, after years of use",
    "client_apps": "what client apps cost the server, 200 apps at once",
    "reader_servers": "answers of the Google Reader API beside those of a real FreshRSS",
    "scorer": "iscore connect inside a real FreshRSS for 14 simulated days, with kills on both sides",
    "search_speed": "searching 100,000 articles, and indexing them",
    "poll_speed": "a round of polling, against reader",
    "hostile_round": "what hostile feeds cost the others in a round",
    "attacked": "what a user notices while everybody attacks the server at once",
    "soak": "a simulated month of polling with failures, in one process: what grows, what drifts",
    "fuzzing": "hostile inputs of every kind, guided by coverage",
    "restarts": "kills around the moment at which the digest is mailed",
    "crash": "kills at random moments of everything that writes",
    "fleet": "workers on one PostgreSQL server: what they cost together",
    "fleet_days": "three simulated days of workers and web processes while things break: what is lost or doubled",
    "large_server": "a PostgreSQL server with 10,000 readers: size, plans of queries, what a day costs",
    "sentence_accuracy": "how well subjective and positive sentences are told from others",
    "affect_by_source": "subjectivity and polarity of reviews, news and titles",
    "bollegala_tables": "logistic regression with scaled features: the tables and figures of Bollegala",
    "bollegala_variants": "what that paper leaves open, tried both ways",
    "selection_figures": "feature selection on the fly: figures 1 and 2 of Carvalho and Cohen",
    "carvalho_cohen_tables": "the mistake-driven learners: tables 3 and 4 of Carvalho and Cohen",
    "carvalho_cohen_variants": "why figures of theirs do not come out: their own program",
    "paper_experiment": "naive Bayes with and without online feature selection: Pon, Cardenas and Buttler 2008",
    "thesis_comparison": "learners for many classes on 20 Newsgroups",
    "rivals": "iScore and its rivals over words, on the same streams",
    "italian_reader": "one real reader: iScore, retrained logistic regression, the share of likes per category",
    "yow_study": "people's ratings of news as features of naive Bayes with and without selection",
    "implicit_evidence": "verdicts on a tenth of the articles, with and without what the reader opened or read",
    "real_streams": "how well the filter decides on real streams, every verdict given at once",
    "all_verdicts": "every verdict known at once: Reuters and Hacker News",
    "hindsight_cut": "how much a better threshold could add",
    "feature_correlations": "how each feature goes with interest on real streams",
    "classifiers": "every learner as the pipeline's classifier on real streams",
    "learner_speed": "the linear learners per document, against scikit-learn, river and Vowpal Wabbit",
    "learner_start": "importing the learners, and compiling them at first use",
    "feature_ablation": "what each family of features gives on real streams",
    "delivered_stream": "the same through the product: late verdicts on what was delivered",
    "adaptive_filtering": "from five starts, with late verdicts on what was delivered",
    "rare_topics": "the same for rare topics with ten examples",
    "reasons": "how good the words are that reasons name, on mixed headlines",
    "several_interests": "three interests of one person, named one by one or in a single line",
    "small_streams": "small streams from nothing, with late verdicts on what was delivered",
    "delivered_changes": "a change of interests, with late verdicts on what was delivered",
    "headlines": "subjects in mixed feeds: twelve tastes, beside a simple filter",
    "first_week": "a week of real feeds and the Hacker News titles, with two interests typed in",
    "delivered_ladder": "where F0.5 is lost between the full and the delivered protocol",
    "poisoning": "what 200 wrong verdicts do to the articles after them",
    "round_costs": "processor time of the decision of a round",
    "replay_cost": "processor time of replays",
}
"""Name of the module → what it measures."""

QUICK = {
    "threshold_speed": ["--quick"],
    "bytes_to_decisions": ["--quick"],
    "feature_cost": ["--quick"],
    "learner_speed": ["--quick"],
    "learner_start": ["--quick"],
    "files_entered": [],
    "daily_commands": ["--quick"],
    "digest_speed": ["--quick"],
    "rules_speed": ["--quick"],
    "search_speed": ["--quick"],
    "restarts": ["--kills", "4"],
    "crash": ["--kills", "6"],
    "poll_speed": ["--feeds", "20", "--repeats", "1"],
    "fuzzing": ["--seconds", "2"],
    "attacked": ["--seconds", "20"],
    "soak": ["--feeds", "30", "--days", "3"],
    "hostile_round": ["--feeds", "30", "--hostile", "5", "--repeats", "1"],
    "bollegala_tables": ["--splits", "2"],
    "bollegala_variants": ["--splits", "2"],
    "selection_figures": ["--splits", "2"],
    "carvalho_cohen_tables": ["--foldings", "1", "--only", "Congressional", "WiscBreast"],
    "carvalho_cohen_variants": ["--foldings", "1", "--only", "Congressional", "WiscBreast"],
    "thesis_comparison": ["--orders", "1"],
}
"""Those that can be quick, and their arguments then."""

NEED_DATA = {
    "naive_bayes_bandwidth",
    "sentence_accuracy",
    "affect_by_source",
    "bollegala_tables",
    "bollegala_variants",
    "selection_figures",
    "carvalho_cohen_tables",
    "carvalho_cohen_variants",
    "thesis_comparison",
    "rivals",
    "italian_reader",
    "yow_study",
    "implicit_evidence",
    "real_streams",
    "feature_correlations",
    "feature_ablation",
    "classifiers",
    "delivered_stream",
    *("adaptive_filtering", "rare_topics", "reasons", "several_interests", "small_streams", "delivered_changes"),
    *(
        "delivered_ladder",
        "poisoning",
        "round_costs",
        "headlines",
        "first_week",
        "all_verdicts",
        "hindsight_cut",
        "paper_experiment",
    ),
    *("first_day", "reader_fixtures", "reader_servers", "scorer"),
}

NEED_FRESHRSS = {"reader_servers", "scorer"}


def main() -> int:
    """Run what was asked for; return 1 when one of them failed."""
    parser = argparse.ArgumentParser(
        prog="benchmarks", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="one of: " + ", ".join(BENCHMARKS))
    parser.add_argument("--list", action="store_true", help="list the benchmarks and end")
    parser.add_argument("--quick", action="store_true", help="run small versions, of those that have one")
    options = parser.parse_args()
    if unknown := set(options.names) - set(BENCHMARKS):
        parser.error(f"no benchmark {', '.join(sorted(unknown))}")
    if options.list:
        for name, what in BENCHMARKS.items():
            print(f"{name:24} {what}")
        return 0
    failed = []
    for name in options.names or BENCHMARKS:
        if options.quick and name not in QUICK:
            print(f"{name}: left out, it has no quick version", flush=True)
        elif name in NEED_DATA and "ISCORE_DATA" not in os.environ:
            print(f"{name}: left out, set ISCORE_DATA to the folder of real data", flush=True)
        elif name in NEED_FRESHRSS and "ISCORE_FRESHRSS" not in os.environ:
            print(f"{name}: left out, set ISCORE_FRESHRSS to a checkout of FreshRSS", flush=True)
        elif not _run(name, quick=options.quick):
            failed.append(name)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _run(name: str, *, quick: bool) -> bool:
    print(f"{name}: {BENCHMARKS[name]}", flush=True)
    began = time.perf_counter()
    command = [sys.executable, "-m", f"benchmarks.{name}", *(QUICK[name] if quick else [])]
    with tempfile.TemporaryDirectory() as elsewhere:
        environment = os.environ | ONE_BLAS_THREAD | ({"BENCHMARK_RESULTS": elsewhere} if quick else {})
        ended = subprocess.run(command, env=environment, check=False)
    print(f"{name}: {time.perf_counter() - began:.0f} s\n", flush=True)
    return ended.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
