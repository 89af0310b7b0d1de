"""What ``--help`` teaches beside its options: what to type next, and why, below the commands of every day."""

from __future__ import annotations

PROGRAM = (
    "[bold]The first morning[/bold]\n\n"
    "[dim]iscore init[/dim]  a home with a selection of feeds\n\n"
    "[dim]iscore feeds add URL[/dim]  your own\n\n"
    "[dim]iscore learn-from bookmarks.html[/dim]  what you liked before\n\n"
    "[dim]iscore poll[/dim]  then [dim]iscore inbox[/dim]\n\n"
    "[bold]Every morning[/bold]\n\n"
    "[dim]iscore poll[/dim]  or let [dim]iscore run[/dim] do it, and mail the digest\n\n"
    "[dim]iscore review[/dim]  the inbox, one by one with single keys\n\n"
    "[dim]iscore digest[/dim]  the day's edition, numbered\n\n"
    "[dim]iscore like --digest 3 7[/dim]  and [dim]iscore dislike ID[/dim]: both teach\n\n"
    "[bold]Now and then[/bold]\n\n"
    "[dim]iscore why ID[/dim]  what moved a score\n\n"
    "[dim]iscore backup ~/backups/[/dim]  and [dim]iscore doctor[/dim]  whether all is well\n\n"
    "Every command explains itself: [dim]iscore inbox --help[/dim]."
)

EPILOGS = {
    "poll": (
        "Run it as often as you like: only feeds that are due are asked. By cron, every hour:\n\n"
        "[dim]17 * * * *  iscore poll >/dev/null[/dim]"
    ),
    "inbox": (
        "Then say what you think, by the first four letters of an ID:\n\n"
        "[dim]iscore like k3f9 m81x[/dim]\n\n"
        "What was held back, too:\n\n"
        "[dim]iscore inbox --all --limit 100[/dim]\n\n"
        "For programs:\n\n"
        "[dim]iscore inbox --json | jq -r '.\\[].title'[/dim]"
    ),
    "review": (
        "A few minutes a day for what the filter would like to know most:\n\n"
        "[dim]iscore review --teach[/dim]\n\n"
        "Answers from a file, one a line:\n\n"
        "[dim]printf 'like\\nskip\\n' | iscore review --plain[/dim]"
    ),
    "digest": (
        "A page for the browser, every morning at half past six, by cron:\n\n"
        "[dim]30 6 * * *  iscore digest --output $HOME/digest.html >/dev/null[/dim]\n\n"
        "Its numbers stay those of that day:\n\n"
        "[dim]iscore dislike --digest 2[/dim]  or, later, [dim]iscore dislike --date 2026-03-30 2[/dim]\n\n"
        "What is recommended, for any other feed reader:\n\n"
        "[dim]iscore digest --output recommended.atom >/dev/null[/dim]"
    ),
    "run": (
        "Where the digest goes stands in config.toml: mail_to, mail_host, mail_user. Try them:\n\n"
        "[dim]iscore mail test[/dim]\n\n"
        "To have it started by systemd, now and whenever you log in:\n\n"
        "[dim]iscore schedule service --output ~/.config/systemd/user[/dim]\n\n"
        "What became of the last mails:\n\n"
        "[dim]iscore mail list[/dim]"
    ),
    "serve": (
        "In the page [dim]j[/dim] and [dim]k[/dim] go on and back, [dim]l d s[/dim] like, dislike and skip, "
        "[dim]u[/dim] takes back, [dim]?[/dim] shows all keys. For your phone, with a password:\n\n"
        "[dim]iscore serve --set-password[/dim]\n\n"
        "[dim]iscore serve --host 0.0.0.0[/dim]"
    ),
    "like": (
        "Dislikes teach as much as likes, and what you leave alone teaches nothing. From five of each on, single "
        "measures of an article count. See what came of it:\n\n"
        "[dim]iscore inbox[/dim]\n\n"
        "[dim]iscore undo k3f9a2[/dim]  takes it back, exactly"
    ),
    "why": (
        "A contribution of +0.7 doubles the odds, one of −0.7 halves them. Which measures predict you best at all:\n\n"
        "[dim]iscore status[/dim]"
    ),
    "stats": (
        "The line of F0.5 should rise in the first weeks and then stay. Where it falls, see what has changed:\n\n"
        "[dim]iscore stats --learned[/dim]\n\n"
        "[dim]iscore report[/dim]  the same with plots, as a page"
    ),
    "report": (
        "Every Sunday evening, by cron:\n\n"
        "[dim]0 18 * * 0  iscore report --output $HOME/report.html >/dev/null[/dim]\n\n"
        "In the terminal:\n\n"
        "[dim]iscore stats[/dim]"
    ),
    "backup": (
        "By cron, every Sunday:\n\n"
        "[dim]50 5 * * 0  iscore backup $HOME/backups/ >/dev/null[/dim]\n\n"
        "Whether it is good, in a home of its own:\n\n"
        "[dim]iscore --home /tmp/trial restore ~/backups/iscore-2026-03-01-055000.zip[/dim]"
    ),
    "doctor": (
        "What it may tell you to do:\n\n"
        "[dim]iscore model rebuild[/dim]  learns everything anew from your verdicts\n\n"
        "[dim]iscore restore FILE[/dim]  brings a backup back\n\n"
        "[dim]iscore prune --dry-run[/dim]  tells what could leave"
    ),
}
"""By the command's name. Blank lines separate what stands on lines of its own."""
