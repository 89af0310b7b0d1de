"""The way from each schema to the next, run by Alembic from ``storage.opening.creation``."""
