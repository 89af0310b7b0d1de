"""Every tuned constant of deciding, with its reason. ``docs/adaptive-filtering.md`` has what was measured."""

from __future__ import annotations

from datetime import timedelta

BETA = 0.5
"""Weight of recall against precision, unless the user wants fewer or more; 0.5 counts precision twice."""

# --- The threshold

LOWEST_F, LOWEST_F_STATED, HIGHEST_F = 0.25, 0.5, 0.8
"""Limits of the F-beta that a threshold follows from; the lowest is higher for a user who has stated interests. Leaning
probabilities are rather high, and a threshold that follows from them alone would starve the filter or flood the user.
For β = ½ it is within 0.2, or 0.4, and 0.64."""

# --- Until something is liked

UNKNOWN_SCORE = -3.0
"""Score of every article while nothing is liked: one in twenty may be."""
FIRST_DAY, A_DAY = 20, 5
"""Size of the diverse selection of a day until one article is disliked, and from then on, until one is liked; with
interests in words, the number of articles about them that are recommended before the first verdict. The fewer
a day, the more each of them represents: twice as many a day need half as many again until one is liked
(``docs/experiments.md``)."""
SAME_TOPIC = 0.2
"""Smallest cosine at which one article of a diverse selection says anything about another."""
COMPARED = 1000
"""Newest articles that a diverse selection compares, of each source its fair share: the work grows with their
square."""

MIN_VERDICTS = 5
"""Likes, and as many dislikes, from which on the classifier scores. Kernel estimates from fewer values are mostly
noise."""

# --- How many articles a day

DAY, EARLIER = timedelta(hours=24), timedelta(hours=1)
"""A day, and by how much it may be shorter: nobody opens their inbox at the same minute each day."""
MOST = 4
"""Articles recommended a day at most, before the first like. Examples do not raise it: they do not say how many
articles are like them."""
MOST_PER_LIKE = 2
"""Added to ``MOST`` for each like."""
DAYS_BEFORE, GROWTH, FREE = 3, 1.5, 10
"""From the third day on no more are recommended than ``GROWTH`` times what was on the best of the last ``DAYS_BEFORE``
days, or ``FREE``: a threshold that has just been learned anew neither floods an inbox nor empties it for long."""
LEAST = 6
"""Articles delivered a day at least, until there are ``ENOUGH_LIKES``, whatever their probabilities; and one more for
each like."""
ENOUGH_LIKES = 10
LEAST_OF = 300
"""Articles a day of which ``LEAST`` are delivered; of fewer it is their share."""
FEWEST = 2
"""Minimum deliveries per day for small streams: a day with a single verdict teaches little."""
EXPLORED = 1
"""Hidden articles that are delivered a day at least, the best ones: a filter that knows a part of an interest, and is
right about it, would never find the rest."""
EXPLORED_OF = 100
"""Articles a day of which one is explored. Of fewer, one is on days on which nothing is recommended: each day it would
be a large part of what a small stream delivers."""

# --- Changes of interest

SURPRISE = 5.0
"""In nats: such a streak of dislikes is bad luck once in 150."""
BEFORE = 50
"""Verdicts before a streak that say how often deliveries were liked."""
BETTER = 2.0
"""In nats, by which the verdicts before a change must predict those after it better: e² times as likely."""
ENOUGH = 50
"""Verdicts since a change from which on earlier ones no longer count."""

# --- Questions

NEAR = 1.0
"""Log-odds from the threshold at which the interest in a verdict has fallen to 1/e."""
ASKED = 300
"""Articles nearest to the threshold that are compared with one another, of each source its fair share."""

# --- Sizes

BATCH = 5000
"""Articles decided at a time; the decisions on one batch are part of the past of the next."""
WINDOW = timedelta(days=7)
"""How long an article that was hidden is decided about again, unless the user wants another time."""
OLD, OLD_MARGIN = timedelta(days=3), 1.0
"""A hidden article that arrived longer ago must be better by this many log-odds: else whatever moves the threshold a
little brings a heap of old news."""
