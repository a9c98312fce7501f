"""Drivers of tag readers and code scanners."""
