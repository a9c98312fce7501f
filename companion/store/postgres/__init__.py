"""The store in PostgreSQL, for several server processes on one or more machines."""
