"""Text of ``--help`` below the options: what to type next. Blank lines separate lines of their own."""

from __future__ import annotations

PROGRAM = (
    "[bold]First steps[/bold]\n\n"
    "[dim]iscore init[/dim]  create a data folder with a selection of feeds\n\n"
    "[dim]iscore feeds add URL[/dim]  follow your own feeds\n\n"
    "[dim]iscore learn-from bookmarks.html[/dim]  start with what you liked before\n\n"
    "[dim]iscore poll[/dim]  then [dim]iscore inbox[/dim]\n\n"
    "[bold]Every day[/bold]\n\n"
    "[dim]iscore poll[/dim]  or let [dim]iscore serve[/dim] poll, mail the digest and show pages\n\n"
    "[dim]iscore review[/dim]  go through the inbox with single keys\n\n"
    "[dim]iscore digest[/dim]  read the numbered digest of the day\n\n"
    "[dim]iscore like --digest 3 7[/dim]  and [dim]iscore dislike ID[/dim] teach the filter\n\n"
    "[bold]Sometimes[/bold]\n\n"
    "[dim]iscore why ID[/dim]  explain a score\n\n"
    "[dim]iscore backup ~/backups/[/dim]  and [dim]iscore doctor[/dim]  check for problems\n\n"
    "Every command has its own help: [dim]iscore inbox --help[/dim]."
)

EPILOGS = {
    "poll": (
        "Run it as often as you like: it requests only feeds that are due. Every hour, with cron:\n\n"
        "[dim]17 * * * *  iscore poll >/dev/null[/dim]"
    ),
    "inbox": (
        "Give verdicts; the first four letters of an ID are enough:\n\n"
        "[dim]iscore like k3f9 m81x[/dim]\n\n"
        "Include hidden articles:\n\n"
        "[dim]iscore inbox --all --limit 100[/dim]\n\n"
        "For programs:\n\n"
        "[dim]iscore inbox --json | jq -r '.\\[].title'[/dim]"
    ),
    "review": (
        "A few minutes a day for the articles that teach most:\n\n"
        "[dim]iscore review --teach[/dim]\n\n"
        "Answers from a file, one per line:\n\n"
        "[dim]printf 'like\\nskip\\n' | iscore review --plain[/dim]"
    ),
    "digest": (
        "An HTML page every morning at half past six, with cron:\n\n"
        "[dim]30 6 * * *  iscore digest --output $HOME/digest.html >/dev/null[/dim]\n\n"
        "Numbers refer to that day's digest:\n\n"
        "[dim]iscore dislike --digest 2[/dim]  or later [dim]iscore dislike --date 2026-03-30 2[/dim]\n\n"
        "The recommended stories as a feed, for any feed reader:\n\n"
        "[dim]iscore digest --output recommended.atom >/dev/null[/dim]"
    ),
    "run": (
        "Set up mail in config.toml (mail_to, mail_host, mail_user), and try it:\n\n"
        "[dim]iscore mail test[/dim]\n\n"
        "Let systemd start it, now and whenever you log in:\n\n"
        "[dim]iscore schedule run --output ~/.config/systemd/user[/dim]\n\n"
        "List sent digests:\n\n"
        "[dim]iscore mail list[/dim]"
    ),
    "serve": (
        "Let systemd start it, now and whenever you log in:\n\n"
        "[dim]iscore schedule --output ~/.config/systemd/user[/dim]\n\n"
        "Keys in the page: [dim]j[/dim] and [dim]k[/dim] next and previous, [dim]l d s[/dim] like, dislike and skip, "
        "[dim]u[/dim] undo, [dim]?[/dim] all keys. For your phone, with a password:\n\n"
        "[dim]iscore serve --set-password[/dim]\n\n"
        "[dim]iscore serve --host 0.0.0.0[/dim]"
    ),
    "like": (
        "The filter learns as much from dislikes as from likes. From five of each on, everything about an article "
        "counts. See the result:\n\n"
        "[dim]iscore inbox[/dim]\n\n"
        "[dim]iscore undo k3f9a2[/dim]  undo it exactly"
    ),
    "why": ("The score, the threshold and every feature in figures:\n\n[dim]iscore why --details k3f9a2[/dim]"),
    "stats": (
        "Both shares should rise in the first weeks and then stay. See what the filter has learned:\n\n"
        "[dim]iscore stats --learned[/dim]\n\n"
        "[dim]iscore report[/dim]  the same as an HTML page with charts"
    ),
    "report": (
        "Every Sunday evening, with cron:\n\n"
        "[dim]0 18 * * 0  iscore report --output $HOME/report.html >/dev/null[/dim]\n\n"
        "In the terminal:\n\n"
        "[dim]iscore stats[/dim]"
    ),
    "backup": (
        "Every Sunday, with cron:\n\n"
        "[dim]50 5 * * 0  iscore backup $HOME/backups/ >/dev/null[/dim]\n\n"
        "Test a backup in another data folder:\n\n"
        "[dim]iscore --home /tmp/trial restore ~/backups/iscore-2026-03-01-055000.zip[/dim]"
    ),
    "doctor": (
        "What it may suggest:\n\n"
        "[dim]iscore model rebuild[/dim]  learn everything again from your verdicts\n\n"
        "[dim]iscore restore FILE[/dim]  restore a backup\n\n"
        "[dim]iscore prune --dry-run[/dim]  show what could be removed"
    ),
}
"""By the command's name."""
