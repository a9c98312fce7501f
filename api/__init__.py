"""The Flask application of hanafuda-companion: JSON under ``/api/`` and the pages for phones (`api.app.create_app`)."""
