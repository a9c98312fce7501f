"""The process that decodes and reads uploaded pictures for the server."""
