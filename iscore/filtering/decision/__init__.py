"""Which articles are delivered: articles and evidence in, decisions out, without I/O.

decide.decide(batch, evidence, …)   the one entry point, for the product and for replays
evidence                            what a decision depends on, and how it is collected from a log
vectors, rankers                    two rankers over the words and topics of articles
calibration, ranking                their scores, and the classifier's, as one margin
probability, cut                    from margins to probabilities, and to the cut of best expected F-beta
delivery                            how many articles a day, at most and at least
changes                             whether interests have changed
diverse_selection                   articles that represent the stream, shown until one of them is liked
trained, cold_start, threshold      what the classifier needs, and a model's own scores and threshold
exploration                         the weight of verdicts on articles that were drawn by former versions
active_learning                     which articles to ask for verdicts on
"""
