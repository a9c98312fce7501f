"""Uploaded pictures: checked, scanned and resized in a separate process, of this server or of a scan worker."""
