"""Uploaded pictures: checked, scanned and resized in a separate process."""
