"""Which form of a network is taken, on a clock that the tests turn."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from vision.networks import network_variants
from vision.networks.network_variants import NetworkVariant, exact_variant, fastest_variant

INT8, FP32 = "eye-int8.onnx", "eye.onnx"


class Machine:
    """A machine on which each form takes its own time, and other programs keep so many processors busy."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, took: dict[tuple[str, int], float], load: float = 0.0
    ) -> None:
        self.took, self.now, self.runs = took, 0.0, 0
        monkeypatch.setattr(network_variants.time, "perf_counter", lambda: self.now)
        monkeypatch.setattr(network_variants, "available_cores", lambda: 2)
        monkeypatch.setattr(network_variants.os, "getloadavg", lambda: (load, 0, 0), raising=False)

    def run(self, form: NetworkVariant) -> Callable[[], object]:
        def once() -> None:
            self.runs += 1
            self.now += self.took[form.file, form.threads]

        return once


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    folder = tmp_path / "weights"
    folder.mkdir()
    (folder / FP32).write_bytes(b"of four bytes each")
    (folder / INT8).write_bytes(b"of one byte each")
    return folder


@pytest.mark.parametrize(
    ("took", "form"),
    [
        ({(FP32, 2): 9, (INT8, 2): 4, (INT8, 1): 6}, NetworkVariant(INT8, 2)),
        ({(FP32, 2): 4, (INT8, 2): 9, (FP32, 1): 6}, NetworkVariant(FP32, 2)),
        ({(FP32, 2): 9, (INT8, 2): 4, (INT8, 1): 3.9}, NetworkVariant(INT8, 2)),
        ({(FP32, 2): 9, (INT8, 2): 4, (INT8, 1): 2}, NetworkVariant(INT8, 1)),
    ],
    ids=["bytes are quick", "bytes are slow", "one thread hardly better", "the second thread only hinders"],
)
def test_the_fastest_form_is_taken(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, took: dict, form: NetworkVariant
):
    assert fastest_variant(weights, "eye", Machine(monkeypatch, took).run, tmp_path) == form


QUICK = {(FP32, 2): 9.0, (INT8, 2): 4.0, (INT8, 1): 6.0}
SLOW = {(FP32, 2): 4.0, (INT8, 2): 9.0, (FP32, 1): 6.0}


def test_the_choice_is_remembered_until_the_weights_are_others(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    fastest_variant(weights, "eye", Machine(monkeypatch, QUICK).run, tmp_path)
    again = Machine(monkeypatch, SLOW)
    assert fastest_variant(weights, "eye", again.run, tmp_path) == NetworkVariant(INT8, 2)
    assert again.runs == 0
    (weights / INT8).write_bytes(b"trained anew")
    assert fastest_variant(weights, "eye", again.run, tmp_path) == NetworkVariant(FP32, 2)
    assert len(json.loads((tmp_path / "networks.json").read_text())) == 1


def test_networks_are_remembered_beside_one_another(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for name in (FP32, INT8):
        (weights / name.replace("eye", "ear")).write_bytes(b"another")
    took = {**SLOW, **{(file.replace("eye", "ear"), n): ms for (file, n), ms in QUICK.items()}}
    machine = Machine(monkeypatch, took)
    assert fastest_variant(weights, "eye", machine.run, tmp_path) == NetworkVariant(FP32, 2)
    assert fastest_variant(weights, "ear", machine.run, tmp_path) == NetworkVariant("ear-int8.onnx", 2)
    machine.runs = 0
    assert fastest_variant(weights, "eye", machine.run, tmp_path) == NetworkVariant(FP32, 2)
    assert machine.runs == 0


@pytest.mark.parametrize(
    "spoilt",
    [
        lambda told: "",
        lambda told: told[:-9],
        lambda told: "[]",
        lambda told: told.replace(INT8, "gone.onnx"),
        lambda told: told.replace(INT8, "../../etc/passwd"),
        lambda told: told.replace('"threads": 2', '"threads": 0'),
        lambda told: told.replace('"threads": 2', '"threads": "two"'),
        lambda told: told.replace('"file"', '"form"'),
    ],
    ids=["empty", "cut", "a list", "no such file", "another file", "no thread", "a word", "a missing key"],
)
def test_a_memory_that_makes_no_sense_is_not_believed(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoilt: Callable[[str], str]
):
    machine = Machine(monkeypatch, QUICK)
    fastest_variant(weights, "eye", machine.run, tmp_path)
    path = tmp_path / "networks.json"
    path.write_text(spoilt(path.read_text()))
    machine.runs = 0
    assert fastest_variant(weights, "eye", machine.run, tmp_path) == NetworkVariant(INT8, 2)
    assert machine.runs > 0


def test_a_memory_that_cannot_be_written_costs_only_the_time(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "file").write_text("no folder")
    machine = Machine(monkeypatch, QUICK)
    for _ in range(2):
        assert fastest_variant(weights, "eye", machine.run, tmp_path / "file" / "cache") == NetworkVariant(
            INT8, 2
        )


def test_a_busy_machine_chooses_among_the_forms_but_remembers_nothing(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    busy = Machine(monkeypatch, {(FP32, 2): 9, (INT8, 2): 4, (INT8, 1): 1}, load=5)
    assert fastest_variant(weights, "eye", busy.run, tmp_path) == NetworkVariant(INT8, 2)
    assert not (tmp_path / "networks.json").exists()


def test_a_network_of_one_form_on_one_processor_needs_no_timing(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (weights / INT8).unlink()
    machine = Machine(monkeypatch, {})
    monkeypatch.setattr(network_variants, "available_cores", lambda: 1)
    assert fastest_variant(weights, "eye", machine.run, tmp_path) == NetworkVariant(FP32, 1)


def test_what_loses_nothing_is_not_timed(monkeypatch: pytest.MonkeyPatch):
    for count, threads in ((1, 1), (2, 2), (32, 4)):
        monkeypatch.setattr(network_variants, "available_cores", lambda count=count: count)
        assert exact_variant("eye") == NetworkVariant(FP32, threads)
