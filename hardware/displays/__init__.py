"""Character displays: what they show of a table, and how each is told."""
