"""All drivers by name: what each is for, in words, and its double."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from companion.hanafuda.errors import BadRequestError, did_you_mean, nearest, shown
from hardware.buttons.button_box import ButtonBox
from hardware.displays.crystalfontz import Crystalfontz
from hardware.displays.matrix_orbital import MatrixOrbital
from hardware.displays.serlcd import SerLcd
from hardware.driver import Driver
from hardware.readers.acg import Acg
from hardware.readers.gm65 import Gm65
from hardware.readers.line_scanner import LineScanner
from hardware.readers.pn532 import Pn532
from hardware.readers.r200 import R200
from hardware.readers.rdm6300 import Rdm6300
from hardware.simulators.simulated_box import SimulatedBox
from hardware.simulators.simulated_device import SimulatedDevice
from hardware.simulators.simulated_displays import (
    SimulatedCrystalfontz,
    SimulatedMatrixOrbital,
    SimulatedSerLcd,
)
from hardware.simulators.simulated_scanners import SimulatedGm65, SimulatedLineScanner
from hardware.simulators.simulated_tag_readers import (
    SimulatedAcg,
    SimulatedPn532,
    SimulatedR200,
    SimulatedRdm6300,
)
from hardware.words import Said

__all__ = ["DRIVERS", "Capability", "DriverEntry", "UnknownDriverError", "find_driver"]

Capability = Literal["tags", "codes", "buttons", "lights", "display"]


class UnknownDriverError(BadRequestError):
    """Raised for a driver's name that is not there."""

    code = "unknown-driver"

    def __init__(self, name: object, names: Iterable[str]) -> None:
        names = list(names)
        hint = did_you_mean(nearest(name, names)) or f"; there are {', '.join(names)}"
        super().__init__(f"there is no driver {shown(name)}{hint}")


@dataclass(frozen=True, slots=True)
class DriverEntry:
    """A driver and what belongs to it; ``hardware/README.md`` has its wiring and its checklist under its name."""

    name: str
    make: Callable[..., Driver]
    """The driver's class; what it takes by name (the size of a display, say) are its options."""
    does: tuple[Capability, ...]
    says: Said
    simulator: Callable[[], SimulatedDevice]

    def to_dict(self) -> dict[str, Any]:
        """Return the driver as JSON tells it."""
        return {"driver": self.name, "does": list(self.does), "says": self.says.to_dict()}


_ENTRIES: Final = (
    DriverEntry(
        "rdm6300",
        Rdm6300,
        ("tags",),
        Said(
            "RDM6300: reads one 125 kHz tag (EM4100) at a time",
            "RDM6300: 125 kHz タグ（EM4100）を一枚ずつ読み取る",
            "RDM6300: 125 kHz 태그(EM4100)를 한 장씩 읽습니다",
        ),
        SimulatedRdm6300,
    ),
    DriverEntry(
        "pn532",
        Pn532,
        ("tags",),
        Said(
            "PN532 on its UART (HSU): reads up to two NFC tags",
            "PN532（HSU）: NFC タグを二枚まで読み取る",
            "PN532(HSU): NFC 태그를 두 장까지 읽습니다",
        ),
        SimulatedPn532,
    ),
    DriverEntry(
        "acg",
        Acg,
        ("tags",),
        Said(
            "ACG multi-tag reader: reads a whole pile of tags (ISO 15693)",
            "ACG マルチタグリーダー: 札の山のタグ（ISO 15693）をまとめて読み取る",
            "ACG 멀티 태그 리더: 패 더미의 태그(ISO 15693)를 한꺼번에 읽습니다",
        ),
        SimulatedAcg,
    ),
    DriverEntry(
        "r200",
        R200,
        ("tags",),
        Said(
            "UHF module of the R200 kind: reads many tags, also from a distance",
            "R200 系 UHF モジュール: 離れたタグもまとめて読み取る",
            "R200 계열 UHF 모듈: 떨어진 태그도 한꺼번에 읽습니다",
        ),
        SimulatedR200,
    ),
    DriverEntry(
        "gm65",
        Gm65,
        ("codes",),
        Said(
            "GM65 or GM8xx: reads barcodes and QR codes held before it",
            "GM65・GM8xx: かざしたバーコードや QR コードを読み取る",
            "GM65/GM8xx: 앞에 댄 바코드와 QR 코드를 읽습니다",
        ),
        SimulatedGm65,
    ),
    DriverEntry(
        "line-scanner",
        LineScanner,
        ("codes",),
        Said(
            "Barcode or QR scanner that sends lines of text (Zebra, Honeywell and others)",
            "読み取った文字を一行ずつ送るスキャナー（Zebra、Honeywell など）",
            "읽은 내용을 한 줄씩 보내는 스캐너(Zebra, Honeywell 등)",
        ),
        SimulatedLineScanner,
    ),
    DriverEntry(
        "button-box",
        ButtonBox,
        ("buttons", "lights", "display", "tags"),
        Said(
            "Our own button box: buttons, lights, and a reader and display if wired",
            "自作ボタンボックス: ボタンとランプ、つないであればリーダーと表示器も",
            "자작 버튼 상자: 버튼과 램프, 연결되어 있으면 리더와 표시기도",
        ),
        SimulatedBox,
    ),
    DriverEntry(
        "serlcd",
        SerLcd,
        ("display",),
        Said(
            "SparkFun SerLCD or OpenLCD: shows 16 x 2 or 20 x 4 characters",
            "SparkFun SerLCD・OpenLCD: 16×2 または 20×4 文字の表示器",
            "SparkFun SerLCD/OpenLCD: 16×2 또는 20×4 문자 표시기",
        ),
        SimulatedSerLcd,
    ),
    DriverEntry(
        "matrix-orbital",
        MatrixOrbital,
        ("display",),
        Said(
            "Matrix Orbital LK or GLK: shows 20 x 4 or 16 x 2 characters",
            "Matrix Orbital LK・GLK: 20×4 または 16×2 文字の表示器",
            "Matrix Orbital LK/GLK: 20×4 또는 16×2 문자 표시기",
        ),
        SimulatedMatrixOrbital,
    ),
    DriverEntry(
        "crystalfontz",
        Crystalfontz,
        ("display", "buttons", "lights"),
        Said(
            "Crystalfontz CFA-631, 633, 635 or 835: display, keys and lights in one box",
            "Crystalfontz CFA-631・633・635・835: 表示器とキーとランプが一体の箱",
            "Crystalfontz CFA-631/633/635/835: 표시기, 키, 램프가 하나인 상자",
        ),
        SimulatedCrystalfontz,
    ),
)

DRIVERS: Final[Mapping[str, DriverEntry]] = {each.name: each for each in _ENTRIES}
"""Every driver, by name."""


def find_driver(name: str) -> DriverEntry:
    """Return a driver by name; `UnknownDriverError` names those nearest."""
    if name not in DRIVERS:
        raise UnknownDriverError(name, DRIVERS)
    return DRIVERS[name]
