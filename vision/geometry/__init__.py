"""Geometry: the plane of the table, views from above, table coordinates in mm, and zones."""
