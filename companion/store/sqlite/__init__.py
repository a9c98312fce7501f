"""The store in a SQLite database, with pictures and documents in files beside it."""
