"""The store in a SQLite database, with pictures and small documents in files beside it."""
