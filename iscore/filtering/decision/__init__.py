"""Which articles are delivered: evidence and articles in, decisions out, without I/O.

``docs/adaptive-filtering.md`` is the theory.

decide.decide(batch, evidence, today, shown)    the one entry point, for the product and for replays
decide.rescored(articles, evidence)             the current scores of the inbox, and its threshold
evidence             what a round knows, and how it is collected from a log of verdicts and decisions
labelled             articles to be scored, and those with a verdict, examples, and what stands for phrases
vectors              articles as vectors: words, and topics learned from the stream
rankers              Rocchio and logistic regression, with left-out scores
logistic_regression  the minimum of its loss
calibration          from scores to log-odds, by a line
interests            named interests: which articles belong to each, and their own rankings
implicit_feedback    weights of what was opened, read or saved without a verdict
ranking              rankers and feature classifier, each calibrated, added up to a margin
contributions        the parts of a score: words and the classifier
probability          from margins to true log-odds, and to what is cut
changes              when interests have changed, and what counts since then
current_evidence     what a ranking is fitted to now: what came since a change, or everything
threshold            the cut: the probability from which the expected F is best
delivery             how many articles a day, at most and at least
diverse_selection    articles that represent the stream, shown until something is liked
fair_share           the share of a source in a selection
active_learning      which articles to ask for verdicts on
exploration          the weight of verdicts on what former versions drew at random

Where every verdict is known, and in the Python API, the classifier decides alone:

trained              whether there are enough verdicts for it to score
cold_start           scores until then
expected_threshold   the threshold with the best expected F
adaptive_threshold   the threshold with the best F over past verdicts, as in the paper
"""
