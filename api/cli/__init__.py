"""Commands that run the server or prepare it."""
