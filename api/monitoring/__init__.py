"""Health, metrics, the request log, and checks that run while the server does."""
