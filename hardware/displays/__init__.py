"""Character displays: the rows that they show of a table, and a driver for each."""
