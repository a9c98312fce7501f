"""The requests and answers in ``/api/openapi.json`` must not change, whatever describes them.

``openapi.txt`` has a line for each parameter, status, media type and field, see `tests.nets.openapi_lines`. A difference that is
meant (a route that goes) changes that file in the same commit: ``python -m tests.nets.test_net_openapi`` writes it.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.nets.openapi_lines import api_lines
from tests.nets.server import serving
from tests.nets.stored import FOLDER

STORED = FOLDER / "openapi.txt"


def current_lines(folder: Path) -> list[str]:
    with serving(folder) as app:
        return api_lines(app.test_client().get("/api/openapi.json").json)


def test_the_api_takes_and_returns_what_it_did(tmp_path: Path) -> None:
    stored, current = set(STORED.read_text("utf-8").splitlines()), set(current_lines(tmp_path / "data"))
    changes = [f"- {line}" for line in stored - current] + [f"+ {line}" for line in current - stored]
    changes.sort(key=lambda line: line[2:])
    assert not changes, f"{len(changes)} lines differ:\n" + "\n".join(changes)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        STORED.write_text("".join(f"{line}\n" for line in current_lines(Path(temporary))), "utf-8")
