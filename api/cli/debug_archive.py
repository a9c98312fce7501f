"""The debug archive: what a bug report needs, without pictures, tokens or keys."""

from __future__ import annotations

import json
import platform
import sys
import zipfile
from collections.abc import Iterable
from importlib.metadata import distributions
from pathlib import Path
from typing import Any, Final

from companion.hanafuda.errors import BadRequestError
from companion.logs import LOG_FOLDER
from companion.settings import SETTINGS_FILE

__all__ = ["write_archive"]

_LOGS: Final = "server.log*"


def write_archive(path: Path, folder: Path, checks: Iterable[dict[str, Any]]) -> None:
    """Write a ZIP file with the results of ``checks``, versions, settings and logs of data folder ``folder``.

    Secrets are removed from logs before they are written to disk, and settings have none. Raises `BadRequestError` if the
    file cannot be written.
    """
    system = {
        "python": sys.version,
        "platform": platform.platform(),
        "machine": platform.machine(),
        "packages": {each.metadata["Name"]: each.version for each in distributions()},
    }
    try:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("checks.json", json.dumps(list(checks), ensure_ascii=False, indent=1))
            archive.writestr("system.json", json.dumps(system, ensure_ascii=False, indent=1))
            for file in (folder / SETTINGS_FILE, *sorted((folder / LOG_FOLDER).glob(_LOGS))):
                if file.is_file():
                    archive.write(file, file.relative_to(folder))
    except OSError as error:
        raise BadRequestError(
            f"The debug archive {path} cannot be written: {error.strerror or str(error)}. Choose another path with `--archive`."
        ) from error
