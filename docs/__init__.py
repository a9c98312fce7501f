"""The documentation, and the generator of parts of it (`python -m docs.generate`)."""
