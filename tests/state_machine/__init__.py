"""The program over HTTP compared with a simple model, with kills, restarts, locks and backups in between."""
