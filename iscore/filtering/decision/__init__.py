"""Which articles are delivered: scores and the past in, decisions out, without I/O.

decide.decide(batch, past)    the one entry point, for the product and for replays
past                          what a decision depends on, and how it is collected from a log of decisions
trained                       whether there are enough verdicts for the classifier to score
cold_start                    scores and limits until then, and with few likes
diverse_selection             articles that represent the stream, shown until one of them is liked
threshold                     the threshold learned from verdicts
threshold_floor               lowers it when too little would be delivered
exploration                   delivers a few articles from below the threshold
active_learning               which articles to ask for verdicts on
"""
