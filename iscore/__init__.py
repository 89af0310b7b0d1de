"""iScore: a private news filter that learns what its reader finds interesting."""

__version__ = "0.1.0"
