"""The server of the browser tests, in a process of its own so that it can be stopped and restarted.

Its scanner is ``real``, ``broken``, or the JSON file of a table (`browser.table`) whose cards the scanner double reads
in every picture.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from apiflask import APIFlask
from flask import Response, request

from api.context import MAX_STREAMS, context
from api.page_shell import file_address, page_files
from api.serving.server import Server
from companion.quality_messages import QualityFinding
from companion.table.events import NewEvent
from tests.api.api_helpers import make_app
from vision.photograph.scan_result import ScannedCard, ScanResult


class TableScanner:
    """A double that reads the same table in every picture."""

    def __init__(self, table: Path) -> None:
        self.table = json.loads(table.read_text(encoding="utf-8"))

    def scan(self, bgr: np.ndarray, deck: str | None = None, focal: float | None = None) -> ScanResult:
        cards = tuple(
            ScannedCard(
                name,
                0.97,
                tuple(map(tuple, quad)),
                1.0,
                ((name or "maple-deer", 0.97), ("plum-warbler", 0.02)),
            )
            for name, quad in self.table["cards"]
        )
        quality = tuple(QualityFinding(code, {"cards": []}) for code in self.table.get("quality", ()))
        return ScanResult(
            self.table["width"], self.table["height"], "hanafuda", cards, {"total": 1.0}, quality
        )


class BrokenScanner:
    """A double that fails on every picture."""

    def scan(self, bgr: np.ndarray, deck: str | None = None, focal: float | None = None) -> ScanResult:
        raise RuntimeError("the double was told to break")


def scanner(kind: str) -> TableScanner | BrokenScanner | None:
    """Return the requested double; None for the real scanner."""
    if kind == "real":
        return None
    return BrokenScanner() if kind == "broken" else TableScanner(Path(kind))


def with_referee(app: APIFlask) -> APIFlask:
    """Let the tests report what only a referee may: questions and problems; and serve a page with all components, ``/kit``."""

    @app.post("/double/<table_id>")
    def output(table_id: str) -> Response:
        events = [NewEvent(reported["kind"], reported["data"]) for reported in request.get_json()["events"]]
        context().tables.report(table_id, events, actor="referee", source="camera")
        return Response(status=204)

    @app.get("/kit")
    def components() -> Response:
        page = Path(__file__).with_name("kit.html").read_text(encoding="utf-8")
        for sheet in ("base", "kit"):
            page = page.replace(sheet.upper(), file_address(f"css/{sheet}.css"))
        return Response(page, headers={"Content-Security-Policy": "default-src 'self'"}, mimetype="text/html")

    return app


def serve_pages(
    data: Path, port: int, kind: str, store_url: str | None = None, addition: bytes = b""
) -> None:
    """Serve a data folder, or a database, on a port of this machine until the process is ended.

    ``addition`` is appended to a style sheet, and so makes another version of the pages.
    """
    page_files()["css/base.css"] += addition
    app = with_referee(make_app(data, scanner(kind), store_url=store_url))
    Server(app, "127.0.0.1", port, most_streams=MAX_STREAMS).run()
