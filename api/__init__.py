"""The Flask application of hanafuda-companion: JSON under ``/api/`` and the pages for phones."""

from api.app import create_app

__all__ = ["create_app"]
