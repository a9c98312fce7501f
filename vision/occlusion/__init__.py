"""Occlusion: which card covers which, how much of each is visible, and detections of the same card merged."""
