"""The parts of the store that SQLite and PostgreSQL share, in SQL that both understand."""
