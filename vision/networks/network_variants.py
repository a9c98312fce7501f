"""Selects the fastest variant of a network on this machine: fp32 or int8, and the number of threads.

An int8 network is several times faster than fp32 on processors with byte multiplication (VNNI, ARM dot
products) and may be slower on others; more threads than free cores cost time. Both depend only on the
machine, so the variants are timed at the first start (some tenths of a second) and the result is cached in
the user's cache folder.
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

#: Maximum number of threads per network; the small layers gain nothing from more.
_MAX_THREADS: Final = 4
#: Timed runs per variant. The minimum counts, because other programs can only make a run slower.
_RUNS: Final = 3
#: A single thread is preferred only if it is faster by this factor: the machine may be busy only for a
#: moment.
_SINGLE_THREAD_GAIN: Final = 1.15
#: Load per processor below which the machine is idle enough to compare thread counts.
_MAX_IDLE_LOAD: Final = 0.7
_FILE: Final = "networks.json"


@dataclass(frozen=True, slots=True)
class NetworkVariant:
    """A variant of a network: its ``file`` in the folder of weights and its number of ``threads``."""

    file: str
    threads: int

    def __str__(self) -> str:
        precision = "int8" if self.file.endswith("-int8.onnx") else "fp32"
        return f"{precision}, {self.threads} thread{'s' if self.threads > 1 else ''}"


def available_cores() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def exact_variant(network: str) -> NetworkVariant:
    """Return the fp32 variant of ``network``, with one thread per available core up to `_MAX_THREADS`."""
    return NetworkVariant(f"{network}.onnx", min(_MAX_THREADS, available_cores()))


def network_files(folder: Path, network: str) -> list[str]:
    """Return the names of the files in ``folder`` that hold ``network``: fp32, and int8 if it is present."""
    return [name for name in (f"{network}.onnx", f"{network}-int8.onnx") if (folder / name).is_file()]


def fastest_variant(
    folder: Path,
    network: str,
    run: Callable[[NetworkVariant], Callable[[], object]],
    cache: Path | None = None,
) -> NetworkVariant:
    """Return the fastest variant of ``network``.

    ``run`` prepares a variant and returns a function that runs it once. The result is cached in the folder
    ``cache`` by weights, ONNX Runtime version, and processor. If the cache cannot be read or written, or the
    machine is busy, the variants are timed again at the next start.
    """
    path = (cache or user_cache_path("hanafuda-companion")) / _FILE
    key = f"{network} {_fingerprint(folder, network_files(folder, network))}"
    cached = _read(path)
    variant = _parse_variant(cached.get(key), folder)
    if variant is None:
        idle = not _busy()
        variant = _time(network_files(folder, network), run, threads=idle)
        if not idle:
            return variant
        # Drop entries of other weights and versions.
        kept = {k: v for k, v in cached.items() if not k.startswith(f"{network} ")}
        _write(path, {**kept, key: asdict(variant)})
    return variant


def _busy() -> bool:
    """Return whether the machine's load is too high to compare thread counts."""
    return hasattr(os, "getloadavg") and os.getloadavg()[0] > _MAX_IDLE_LOAD * available_cores()


def _time(
    names: Iterable[str], run: Callable[[NetworkVariant], Callable[[], object]], threads: bool
) -> NetworkVariant:
    """Time the variants and return the fastest; different thread counts are compared only if ``threads``."""
    max_threads = min(_MAX_THREADS, available_cores())
    best = _best({NetworkVariant(name, max_threads): 1.0 for name in names}, run)
    if max_threads == 1 or not threads:
        return best
    return _best({best: 1.0, NetworkVariant(best.file, 1): _SINGLE_THREAD_GAIN}, run)


def _best(
    handicaps: Mapping[NetworkVariant, float], run: Callable[[NetworkVariant], Callable[[], object]]
) -> NetworkVariant:
    """Time each variant several times in turn and return the one with the smallest product of time and
    handicap.
    """
    if len(handicaps) == 1:
        return next(iter(handicaps))
    ready = {variant: run(variant) for variant in handicaps}
    took = dict.fromkeys(handicaps, float("inf"))
    for number in range(_RUNS + 1):
        for variant, once in ready.items():
            began = time.perf_counter()
            once()
            if number:  # the first run of a session also prepares it
                took[variant] = min(took[variant], time.perf_counter() - began)
    return min(took, key=lambda variant: took[variant] * handicaps[variant])


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
    """Return a text that identifies the processor: on Linux its model and instruction set extensions."""
    if not cpuinfo.is_file():
        return platform.processor()
    fields = ("model name", "Model", "flags", "Features", "CPU part")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines()
    return " ".join(sorted({line for line in lines if line.startswith(fields)}))


def _parse_variant(cached: Any, folder: Path) -> NetworkVariant | None:
    """Return the cached variant, or None if the entry is invalid or its file is missing from ``folder``."""
    match cached:
        case {"file": str(file), "threads": int(threads)} if (
            1 <= threads <= _MAX_THREADS and (folder / Path(file).name).is_file()
        ):
            return NetworkVariant(Path(file).name, threads)
    return None


def _read(path: Path) -> dict[str, Any]:
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return read if isinstance(read, dict) else {}


def _write(path: Path, variants: Mapping[str, Any]) -> None:
    part = path.with_suffix(f".{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps(variants, indent=1) + "\n", encoding="utf-8")
        part.replace(path)  # in one step: another process may be reading
    except OSError:
        return  # timed again at the next start
