"""Readers of tags and codes."""
