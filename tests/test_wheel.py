"""The wheel that users install: everything that runs, nothing that trains or tests."""

from __future__ import annotations

import tomllib
import zipfile
from collections.abc import Mapping
from email.parser import Parser
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from companion.faces import FACES, drawing_of
from companion.messages import LANGUAGES

ROOT = Path(__file__).parents[1]
MAX_BYTES = 14_000_000


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built as by ``pip install .``."""
    folder = tmp_path_factory.mktemp("wheel")
    return Path(next(iter(WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"]))))


@pytest.fixture(scope="module")
def sizes(wheel: Path) -> Mapping[str, int]:
    """The size of each file in the wheel, bytes."""
    with zipfile.ZipFile(wheel) as files:
        return {each.filename: each.file_size for each in files.infolist()}


def test_the_wheel_is_small(wheel: Path) -> None:
    assert wheel.stat().st_size <= MAX_BYTES


def test_the_wheel_has_the_program_and_nothing_else(sizes: Mapping[str, int]) -> None:
    tops = {name.partition("/")[0] for name in sizes if ".dist-info/" not in name}
    assert tops == {"companion", "vision", "models", "api", "hardware"}
    parts = {part for name in sizes for part in Path(name).parts}
    assert not parts & {"training", "hanafuda_training", "render", "lab", "tests", "__pycache__"}


def test_every_module_and_data_file_of_the_checkout_is_in_the_wheel(sizes: Mapping[str, int]) -> None:
    present = {
        path.relative_to(ROOT).as_posix()
        for top in ("companion", "vision", "api", "hardware")
        for path in (ROOT / top).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert not present - set(sizes)


@pytest.mark.parametrize(
    "name",
    [
        "companion/messages/administration.ftl",
        *(f"companion/messages/{language}.ftl" for language in LANGUAGES),
        *(f"companion/faces/{name}.svg" for name in sorted(set(map(drawing_of, FACES)))),
        "models/detector-int8.onnx",
        "models/recognizer-int8.onnx",
        "models/calibration.json",
        "models/decks/nintendo.deck",
        "vision/demo/evening.zip",
    ],
)
def test_the_wheel_has_the_data_that_the_program_reads(name: str, sizes: Mapping[str, int]) -> None:
    assert sizes[name] > 0


def test_the_wheel_declares_the_command_and_no_training_dependency(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as files:
        info = next(name for name in files.namelist() if name.endswith("/METADATA"))
        requires = Parser().parsestr(files.read(info).decode()).get_all("Requires-Dist") or []
        scripts = files.read(info.replace("METADATA", "entry_points.txt")).decode()
    assert "companion = companion.cli:main" in scripts
    assert not [each for each in requires if each.startswith("torch")]


def test_the_training_distribution_needs_the_program() -> None:
    text = (ROOT / "models" / "training" / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    assert "hanafuda-companion" in project["dependencies"]
    for command in project["entry-points"]["companion.benchmarks"].values():
        module = command.partition(":")[0].replace(".", "/")
        assert (ROOT / "models" / "training" / f"{module}.py").exists()
