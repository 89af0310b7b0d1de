"""Commands that look at the filter: status, statistics, replays and the model."""
