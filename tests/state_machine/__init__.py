"""The program over HTTP against a plain model, with kills, restarts, locks and backups in between."""
