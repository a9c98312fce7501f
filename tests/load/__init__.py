"""Clients for ``companion bench load``: phones that follow a table and misbehaving clients, each kind in its own
process."""
