"""The web server: waitress with a scalable loop, time limits, limits for each address, and TLS."""
