"""The simulated device of each driver in `hardware.driver_registry`, under the same name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from hardware.simulators.simulated_box import SimulatedBox
from hardware.simulators.simulated_device import SimulatedDevice
from hardware.simulators.simulated_displays import (
    SimulatedCrystalfontz,
    SimulatedMatrixOrbital,
    SimulatedSerLcd,
)
from hardware.simulators.simulated_readers import (
    SimulatedAcg,
    SimulatedGm65,
    SimulatedLineScanner,
    SimulatedPn532,
    SimulatedR200,
    SimulatedRdm6300,
)

SIMULATORS: Final[Mapping[str, Callable[[], SimulatedDevice]]] = {
    "rdm6300": SimulatedRdm6300,
    "pn532": SimulatedPn532,
    "acg": SimulatedAcg,
    "r200": SimulatedR200,
    "gm65": SimulatedGm65,
    "line-scanner": SimulatedLineScanner,
    "button-box": SimulatedBox,
    "serlcd": SimulatedSerLcd,
    "matrix-orbital": SimulatedMatrixOrbital,
    "crystalfontz": SimulatedCrystalfontz,
}
