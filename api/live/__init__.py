"""Server-sent event streams of the tables."""
