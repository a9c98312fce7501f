"""Devices at the table (none yet)."""
