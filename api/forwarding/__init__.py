"""Forwarding: a process passes a request on to the one that has in memory what the request needs."""
