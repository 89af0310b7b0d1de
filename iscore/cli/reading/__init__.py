"""Commands that show what there is to read: the inbox, the digest, search, an article and its reasons."""
