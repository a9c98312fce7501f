"""Clients for `companion bench load`: phones that follow a table, and clients that misbehave, each in a process of its own."""
