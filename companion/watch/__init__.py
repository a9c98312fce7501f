"""Watching a table: observations in, events of the table out."""
