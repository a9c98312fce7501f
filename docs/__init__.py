"""The documentation, and what writes the parts of it that are generated (`python -m docs.generate`)."""
