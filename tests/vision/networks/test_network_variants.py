"""The choice of a network variant, with a fake clock."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from vision.networks import network_variants
from vision.networks.network_variants import NetworkVariant, exact_variant, fastest_variant

INT8, FP32 = "eye-int8.onnx", "eye.onnx"


class Machine:
    """A fake machine with a given run time for each variant and a given number of processors busy with other programs."""

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
def test_the_fastest_variant_is_chosen(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, took: dict, form: NetworkVariant
):
    assert fastest_variant(weights, "eye", Machine(monkeypatch, took).run, tmp_path) == form


QUICK = {(FP32, 2): 9.0, (INT8, 2): 4.0, (INT8, 1): 6.0}
SLOW = {(FP32, 2): 4.0, (INT8, 2): 9.0, (FP32, 1): 6.0}


def test_the_choice_is_saved_until_the_models_change(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    fastest_variant(weights, "eye", Machine(monkeypatch, QUICK).run, tmp_path)
    again = Machine(monkeypatch, SLOW)
    assert fastest_variant(weights, "eye", again.run, tmp_path) == NetworkVariant(INT8, 2)
    assert again.runs == 0
    (weights / INT8).write_bytes(b"trained anew")
    assert fastest_variant(weights, "eye", again.run, tmp_path) == NetworkVariant(FP32, 2)
    assert len(json.loads((tmp_path / "networks.json").read_text())) == 1


def test_the_choices_of_several_networks_are_saved(
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
    "corrupt",
    [
        lambda text: "",
        lambda text: text[:-9],
        lambda text: "[]",
        lambda text: text.replace(INT8, "gone.onnx"),
        lambda text: text.replace(INT8, "../../etc/passwd"),
        lambda text: text.replace('"threads": 2', '"threads": 0'),
        lambda text: text.replace('"threads": 2', '"threads": "two"'),
        lambda text: text.replace('"file"', '"form"'),
    ],
    ids=["empty", "cut", "a list", "no such file", "another file", "no thread", "a word", "a missing key"],
)
def test_an_invalid_file_of_choices_is_ignored(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, corrupt: Callable[[str], str]
):
    machine = Machine(monkeypatch, QUICK)
    fastest_variant(weights, "eye", machine.run, tmp_path)
    path = tmp_path / "networks.json"
    path.write_text(corrupt(path.read_text()))
    machine.runs = 0
    assert fastest_variant(weights, "eye", machine.run, tmp_path) == NetworkVariant(INT8, 2)
    assert machine.runs > 0


def test_an_unwritable_file_of_choices_is_no_error(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "file").write_text("no folder")
    machine = Machine(monkeypatch, QUICK)
    for _ in range(2):
        assert fastest_variant(weights, "eye", machine.run, tmp_path / "file" / "cache") == NetworkVariant(
            INT8, 2
        )


def test_a_choice_on_a_busy_machine_is_not_saved(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    busy = Machine(monkeypatch, {(FP32, 2): 9, (INT8, 2): 4, (INT8, 1): 1}, load=5)
    assert fastest_variant(weights, "eye", busy.run, tmp_path) == NetworkVariant(INT8, 2)
    assert not (tmp_path / "networks.json").exists()


def test_a_single_variant_on_one_processor_is_not_timed(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (weights / INT8).unlink()
    machine = Machine(monkeypatch, {})
    monkeypatch.setattr(network_variants, "available_cores", lambda: 1)
    assert fastest_variant(weights, "eye", machine.run, tmp_path) == NetworkVariant(FP32, 1)


def test_the_exact_variant_is_not_timed(monkeypatch: pytest.MonkeyPatch):
    for count, threads in ((1, 1), (2, 2), (32, 4)):
        monkeypatch.setattr(network_variants, "available_cores", lambda count=count: count)
        assert exact_variant("eye") == NetworkVariant(FP32, threads)
