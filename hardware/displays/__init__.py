"""Character displays: the layout of a table's state in rows, and the drivers."""
