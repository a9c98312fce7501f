"""Which form of a network is the fastest here: fp32 or int8, and with how many threads; timed once and remembered.

An int8 network is several times faster than fp32 where the processor multiplies bytes (VNNI, dot products on ARM), and
may be slower where it does not. More threads than cores that are free cost time. Both depend on the machine alone, so
the first start tries what there is on it, which takes some tenths of a second, and writes the answer to the user's cache.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from platformdirs import user_cache_path

#: Most threads a network is given; past this the small layers gain nothing.
_MOST_THREADS: Final = 4
#: How often each form is timed; the best counts, for nothing but other programs makes a run slower than another.
_RUNS: Final = 3
#: One thread is taken for all only where it is this much faster: a machine busy for a moment is not busy for ever.
_PLAINLY: Final = 1.15
#: A machine with less than this load for each processor has time for the comparison.
_IDLE: Final = 0.7
_FILE: Final = "networks.json"


@dataclass(frozen=True, slots=True)
class NetworkVariant:
    """A form of a network: the ``file`` in the folder of the weights, and the number of ``threads`` it runs with."""

    file: str
    threads: int

    def __str__(self) -> str:
        precision = "int8" if self.file.endswith("-int8.onnx") else "fp32"
        return f"{precision}, {self.threads} thread{'s' if self.threads > 1 else ''}"


def available_cores() -> int:
    """Return the number of processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def exact_variant(network: str) -> NetworkVariant:
    """Return the form of ``network`` that loses nothing: fp32, with as many threads as there are processors for it."""
    return NetworkVariant(f"{network}.onnx", min(_MOST_THREADS, available_cores()))


def network_files(folder: Path, network: str) -> list[str]:
    """Return the files of a network that ``folder`` has: fp32, and int8 where it is shipped."""
    return [name for name in (f"{network}.onnx", f"{network}-int8.onnx") if (folder / name).is_file()]


def fastest_variant(
    folder: Path,
    network: str,
    run: Callable[[NetworkVariant], Callable[[], object]],
    cache: Path | None = None,
) -> NetworkVariant:
    """Return the fastest form of ``network``; ``run`` readies a form and returns what runs it once.

    Remembered in ``cache``, a folder, by the weights, the version of ONNX Runtime and the processor. Where the memory
    cannot be read or written, or the machine is busy with other things, the forms are timed again at the next start.
    """
    path = (cache or user_cache_path("hanafuda-companion")) / _FILE
    key = f"{network} {_fingerprint(folder, network_files(folder, network))}"
    remembered = _read(path)
    form = _form(remembered.get(key), folder)
    if form is None:
        idle = not _busy()
        form = _time(network_files(folder, network), run, threads=idle)
        if not idle:
            return form
        # The forms of other weights and of other versions are of no more use.
        kept = {k: v for k, v in remembered.items() if not k.startswith(f"{network} ")}
        _write(path, {**kept, key: asdict(form)})
    return form


def _busy() -> bool:
    """Return whether other programs keep the processors, so that threads cannot be compared."""
    return hasattr(os, "getloadavg") and os.getloadavg()[0] > _IDLE * available_cores()


def _time(
    names: Iterable[str], run: Callable[[NetworkVariant], Callable[[], object]], threads: bool
) -> NetworkVariant:
    """Return the fastest form; all threads are taken for the best number of them unless ``threads`` are to be timed."""
    most = min(_MOST_THREADS, available_cores())
    best = _best({NetworkVariant(name, most): 1.0 for name in names}, run)
    if most == 1 or not threads:
        return best
    return _best({best: 1.0, NetworkVariant(best.file, 1): _PLAINLY}, run)


def _best(
    handicaps: Mapping[NetworkVariant, float], run: Callable[[NetworkVariant], Callable[[], object]]
) -> NetworkVariant:
    """Time each form in turn, several times over, and return that of the least time times handicap."""
    if len(handicaps) == 1:
        return next(iter(handicaps))
    ready = {form: run(form) for form in handicaps}
    took = dict.fromkeys(handicaps, float("inf"))
    for number in range(_RUNS + 1):
        for form, once in ready.items():
            began = time.perf_counter()
            once()
            if number:  # the first run of a session also prepares it
                took[form] = min(took[form], time.perf_counter() - began)
    return min(took, key=lambda form: took[form] * handicaps[form])


def _fingerprint(folder: Path, names: Iterable[str]) -> str:
    import onnxruntime  # noqa: PLC0415  # as late as in vision.networks.onnx_sessions

    digest = hashlib.sha256()
    for name in names:
        digest.update((folder / name).read_bytes())
    digest.update(
        f"{onnxruntime.__version__} {available_cores()} {platform.machine()} {_processor()}".encode()
    )
    return digest.hexdigest()[:24]


def _processor(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """Return what tells this processor from others: on Linux its name and what it can do."""
    if not cpuinfo.is_file():
        return platform.processor()
    told = ("model name", "Model", "flags", "Features", "CPU part")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines()
    return " ".join(sorted({line for line in lines if line.startswith(told)}))


def _form(remembered: Any, folder: Path) -> NetworkVariant | None:
    """Return the form that was remembered, None where what stands there is none of this folder's."""
    match remembered:
        case {"file": str(file), "threads": int(threads)} if (
            1 <= threads <= _MOST_THREADS and (folder / Path(file).name).is_file()
        ):
            return NetworkVariant(Path(file).name, threads)
    return None


def _read(path: Path) -> dict[str, Any]:
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return read if isinstance(read, dict) else {}


def _write(path: Path, forms: Mapping[str, Any]) -> None:
    part = path.with_suffix(f".{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps(forms, indent=1) + "\n", encoding="utf-8")
        part.replace(path)  # in one step: another process may be reading
    except OSError:
        return  # timed again at the next start
