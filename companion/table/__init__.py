"""A table: what happened there (events), and what that comes to."""
