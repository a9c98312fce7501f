"""The pages for devices and for the tags of a deck's cards."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, Response

from api.pages.page_routes import Shell, add_page_headers, page

__all__ = ["blueprint"]

_SHELL: Final = Shell(entry="devices/app.js", sheets=("base", "sheet", "devices", "tags"))

blueprint = Blueprint("devices_pages", __name__)
blueprint.after_request(add_page_headers)


@blueprint.get("/devices")
def devices_page() -> Response:
    """Show the devices and their status; test, add and change them."""
    return page("devices", shell=_SHELL)


@blueprint.get("/decks/<deck>/tags")
def tags_page(deck: str) -> Response:
    """Pair the tags of a deck's cards: tap the card, scan its tag."""
    return page("tags", deck=deck, shell=_SHELL)
