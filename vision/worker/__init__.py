"""The camera worker: the watcher as a process of its own, a client of the API at one table."""
