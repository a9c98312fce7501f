"""The log of nights: list them, show one, close, delete and restore it, and start a rematch."""
