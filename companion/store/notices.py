"""Notices about the data folder: what happened to the log, kept until a host dismisses them.

They are in a file beside the database, because the database may be what they are about.
"""

from __future__ import annotations

import json
import logging
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from companion.files import write_json
from companion.hanafuda.messages import Message
from companion.hanafuda.rules import Text
from companion.store.errors import FaultReason

__all__ = ["NOTICES_FILE", "Notice", "Notices", "fault_notice"]

NOTICES_FILE: Final = "notices.json"
_MAX_NOTICES: Final = 20
"""Older ones go; so many at once would hide each other anyway."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that everybody at the table should know about the log."""

    code: str
    params: Mapping[str, Any]
    id: str | None = None
    """What a host dismisses it by; None while its cause lasts."""
    time: str | None = None

    @property
    def message(self) -> Message:
        """The sentence for people."""
        return _MESSAGES[self.code](self.params)

    def to_dict(self) -> dict[str, Any]:
        """Return the notice as the API reports it."""
        return {
            "id": self.id,
            "code": self.code,
            "params": dict(self.params),
            "time": self.time,
            "message": self.message.to_dict(),
        }


class Notices:
    """The notices of a data folder; any thread may use it."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NOTICES_FILE
        self._lock = threading.Lock()
        self._notices = _read(self._path)

    def all(self) -> tuple[Notice, ...]:
        """Return the notices, oldest first."""
        return self._notices

    def add(self, code: str, **params: Any) -> None:
        """Add a notice; on a disk that cannot be written it lasts until the program ends."""
        time = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        notice = Notice(code, params, secrets.token_hex(4), time)
        _log.warning("%s", notice.message.en)
        with self._lock:
            same = [each for each in self._notices if (each.code, dict(each.params)) != (code, params)]
            self._keep((*same[1 - _MAX_NOTICES :], notice))

    def dismiss(self, notice_id: str) -> None:
        """Remove a notice; nothing happens where it is gone already."""
        with self._lock:
            self._keep(tuple(each for each in self._notices if each.id != notice_id))

    def _keep(self, notices: tuple[Notice, ...]) -> None:
        self._notices = notices
        try:
            write_json(self._path, [asdict(each) for each in notices])
        except OSError as error:
            _log.warning("cannot write %s: %s", self._path, error)


def fault_notice(reason: FaultReason) -> Notice:
    """Return the notice for a fault that lasts."""
    return Notice(f"log-{reason}", {})


def _read(path: Path) -> tuple[Notice, ...]:
    try:
        notices = [Notice(**each) for each in json.loads(path.read_text(encoding="utf-8"))]
        return tuple(each for each in notices if each.code in _MESSAGES)
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, TypeError) as error:
        _log.warning("cannot read %s: %s", path, error)
        return ()


def _constant(en: str, ja: str) -> Callable[[Mapping[str, Any]], Message]:
    return lambda _: Text(en, ja)


def _salvaged(params: Mapping[str, Any]) -> Message:
    lost = ", ".join(f"{name}: {count}" for name, count in params["lost"].items())
    cut = ", ".join(f"{table} ({seq})" for table, seq in params["cut"].items())
    en = [f"The log was damaged. What could be read was kept; the damaged file is {params['file']}."]
    ja = [f"記録が壊れていました。読めた分は残しました。壊れたファイル：{params['file']}"]
    if cut:
        en.append(f"Tables that end early (after event): {cut}.")
        ja.append(f"途中までしか残っていない卓（最後の番号）：{cut}")
    if lost:
        en.append(f"Entries that could not be read: {lost}.")
        ja.append(f"読めなかった件数：{lost}")
    return Text(" ".join(en), " ".join(ja))


def _restored(params: Mapping[str, Any]) -> Message:
    en, ja = _CAUSES[params["cause"]]
    return Text(
        f"{en} The backup {params['backup']} was restored; later entries are missing.{_left_en(params)}",
        f"{ja}バックアップ{params['backup']}から復元しました。その後の記録はありません。{_left_ja(params)}",
    )


def _emptied(params: Mapping[str, Any]) -> Message:
    en, ja = _CAUSES[params["cause"]]
    return Text(
        f"{en} There is no backup, so the log starts empty.{_left_en(params)}",
        f"{ja}バックアップがないため、記録は空から始まります。{_left_ja(params)}",
    )


def _left_en(params: Mapping[str, Any]) -> str:
    return f" What was left of it: {', '.join(params['files'])}." if params["files"] else ""


def _left_ja(params: Mapping[str, Any]) -> str:
    return f"残っていたファイル：{'、'.join(params['files'])}" if params["files"] else ""


_CAUSES: Final = {
    "missing": ("The database of the log was deleted.", "記録のデータベースが削除されていました。"),
    "unreadable": ("The database of the log cannot be read.", "記録のデータベースを読み込めません。"),
}

_MESSAGES: Final[Mapping[str, Callable[[Mapping[str, Any]], Message]]] = {
    "log-repaired": _constant(
        "The log had damaged indexes. They were rebuilt, and nothing is missing.",
        "記録の索引が壊れていたため作り直しました。失われた記録はありません。",
    ),
    "log-salvaged": _salvaged,
    "log-restored": _restored,
    "log-emptied": _emptied,
    "log-reopened": _constant(
        "Somebody deleted the database while the program was running. It was written again, and nothing is missing.",
        "実行中にデータベースが削除されたため書き直しました。失われた記録はありません。",
    ),
    "log-unchecked": _constant(
        "The log is too large to check at the start; `companion log backup` checks it.",
        "記録が大きいため、起動時に検査しきれませんでした。「companion log backup」で検査できます。",
    ),
    "backup-failed": lambda params: Text(
        f"The nightly backup failed: {params['error']}",
        f"夜間のバックアップに失敗しました：{params['error']}",
    ),
    "log-busy": _constant(
        "Another program is using the database, so nothing can be saved right now. Close that program.",
        "ほかのプログラムがデータベースを使っているため、今は保存できません。そのプログラムを閉じてください。",
    ),
    "log-full": _constant(
        "The disk is full, so nothing can be saved. Make room; saving then goes on by itself.",
        "ディスクがいっぱいで保存できません。空きを作れば、自動的に再開します。",
    ),
    "log-read-only": _constant(
        "The disk or the data folder is read-only, so nothing can be saved.",
        "ディスクまたはデータフォルダーが読み取り専用のため、保存できません。",
    ),
    "log-replaced": _constant(
        "The database was replaced by another file while the program was running. Nothing is saved until the server is"
        " started again.",
        "実行中にデータベースが別のファイルに置き換えられました。サーバーを再起動するまで保存できません。",
    ),
    "log-damaged": _constant(
        "The database is damaged. Start the server again: it repairs what it can.",
        "データベースが壊れています。サーバーを再起動すると、できる限り修復します。",
    ),
    "log-failed": _constant(
        "The log cannot be saved. Check the disk.", "記録を保存できません。ディスクを確認してください。"
    ),
}
