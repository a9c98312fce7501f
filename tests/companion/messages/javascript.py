"""Runs the pages' modules in the Node.js of Playwright."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from playwright._impl._driver import compute_driver_executable

STATIC = Path(__file__).parents[3] / "api" / "static"


def evaluate(script: str, **values: Any) -> Any:
    """Run a module that assigns ``answer``; ``values`` are its constants, ``STATIC`` the folder of the pages' files."""
    constants = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in values.items())
    source = (
        f"const STATIC = {json.dumps(STATIC.as_uri())};\n{constants}let answer;\n{script}\n"
        "process.stdout.write(JSON.stringify(answer));"
    )
    node, _ = compute_driver_executable()
    done = subprocess.run(
        [node, "--input-type=module"], input=source, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
