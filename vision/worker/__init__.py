"""The camera worker: a process that watches a table and reports to the server through its HTTP API."""
