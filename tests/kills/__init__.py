"""Kills of the real server at random moments under load."""
