"""Conversion of weights between PyTorch and ONNX. Requires the extra `train`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install -e models/training")
onnx = pytest.importorskip("onnx", reason="onnx is not installed: pip install -e models/training")

from hanafuda_training.render.distractors import CARD_LIKE_ID  # noqa: E402
from hanafuda_training.training import training_schedule  # noqa: E402
from hanafuda_training.training.detector_data import CELLS, CROP, make_truth  # noqa: E402
from hanafuda_training.training.export_networks import export_refiner  # noqa: E402  # after the skips
from hanafuda_training.training.quantization_training import LARGEST, adapt, fold, round_off, unlike  # noqa: E402
from hanafuda_training.training.retrain import SMALL_DETECTOR  # noqa: E402
from hanafuda_training.training.torch_models import DetectorNet, Margin, RecognizerNet, RefinerNet, grown  # noqa: E402
from hanafuda_training.training.training_schedule import Training  # noqa: E402
from hanafuda_training.training.warm_start import from_onnx  # noqa: E402
from vision.networks.class_ids import BACK  # noqa: E402
from vision.networks.onnx_sessions import MODELS  # noqa: E402

IterableDataset = torch.utils.data.IterableDataset
PRECISE = ("maps.1", "share")

# PyTorch is moving to another exporter.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::torch.jit.TracerWarning")


def refiner(seed: int) -> RefinerNet:
    """Return a refiner with random weights and normalizations."""
    torch.manual_seed(seed)
    model = RefinerNet()
    model.train()
    for _ in range(3):
        model(torch.rand(8, 3, 112, 80))
    return model.eval()


def test_a_network_read_from_onnx_gives_the_same_output(tmp_path: Path) -> None:
    model, other = refiner(1), refiner(2)
    export_refiner(model, tmp_path)
    pictures = torch.rand(32, 3, 112, 80)
    from_onnx(other, tmp_path / "refiner.onnx", pictures)
    with torch.no_grad():
        for output, expected in zip(other.eval()(pictures), model(pictures), strict=True):
            np.testing.assert_allclose(output.numpy(), expected.numpy(), atol=0.01)


def test_the_file_of_another_network_is_rejected(tmp_path: Path) -> None:
    export_refiner(refiner(1), tmp_path)
    with pytest.raises(ValueError, match=r"refiner\.onnx"):
        from_onnx(DetectorNet(), tmp_path / "refiner.onnx", torch.rand(1, 3, 64, 64))


def test_the_margin_loss_requires_more_than_the_nearest_class() -> None:
    margin = Margin(3)
    with torch.no_grad():
        margin.centers.copy_(torch.eye(3, 128))
        nearly = torch.nn.functional.normalize(torch.eye(3, 128) + 0.9 * torch.eye(3, 128).roll(1, 0), dim=1)
    right = torch.arange(3)
    plain = torch.nn.functional.cross_entropy(Margin.SCALE * nearly[:, :3], right)
    assert margin(nearly, right) > plain + 1
    assert margin(nearly, (right - 1) % 3) > margin(nearly, right)


def test_training_can_start_from_the_shipped_weights() -> None:
    pictures = torch.rand(2, 3, 96, 96)
    from_onnx(DetectorNet(), SMALL_DETECTOR, pictures)
    from_onnx(DetectorNet(large=True), MODELS / "detector-large.onnx", pictures)
    from_onnx(refiner(1), MODELS / "refiner.onnx", torch.rand(4, 3, 112, 80))


def test_a_grown_detector_starts_with_the_output_of_the_small_one() -> None:
    torch.manual_seed(4)
    small = DetectorNet()
    for _ in range(3):
        small.train()(torch.rand(4, 3, 64, 96))
    large, pictures = grown(small.eval()).eval(), torch.rand(2, 3, 64, 96)
    with torch.no_grad():
        torch.testing.assert_close(large(pictures), small(pictures))
    large.train()(pictures).square().sum().backward()
    new = dict(large.named_parameters()).keys() - dict(small.named_parameters()).keys()
    assert len(new) > 20
    assert any(parameter.grad.any() for name, parameter in large.named_parameters() if name in new)


def test_the_shipped_recognizer_read_from_onnx_gives_the_same_output() -> None:
    crops = np.random.default_rng(5).integers(0, 256, (32, 96, 64, 4), np.uint8)
    model = RecognizerNet()
    from_onnx(model, MODELS / "recognizer.onnx", torch.from_numpy(crops).permute(0, 3, 1, 2).float() / 255)
    session = onnxruntime.InferenceSession(
        str(MODELS / "recognizer.onnx"), providers=["CPUExecutionProvider"]
    )
    expected = session.run(["logits"], {"crops": crops})[0]
    with torch.no_grad():
        output = model.eval()(torch.from_numpy(crops).permute(0, 3, 1, 2).float() / 255)[0]
    np.testing.assert_allclose(output.numpy(), expected, atol=0.05)


def test_missing_a_hardly_visible_card_costs_more() -> None:
    ids = np.zeros((CROP, CROP), np.uint8)
    ids[40:120, 40:90], ids[200:280, 200:215] = 1, 2
    corners = [[(x, y), (x + 50, y), (x + 50, y + 80), (x, y + 80)] for x, y in ((40, 40), (200, 200))]
    (heat, weight), truth, _ = make_truth(
        np.random.default_rng(1), ids, np.array(corners, np.float32), np.array([BACK] * 2, np.uint8)
    )
    peaks = np.argwhere(heat == 1)
    assert len(peaks) == 2
    assert [weight[row, column] for row, column in peaks] == [1, 1.5]
    assert (weight != 1).sum() == 1
    assert len(truth)


def test_objects_similar_to_backs_do_not_affect_the_detector_loss() -> None:
    ids = np.zeros((CROP, CROP), np.uint8)
    ids[40:120, 40:90] = CARD_LIKE_ID
    none = np.zeros((0, 4, 2), np.float32), np.zeros(0, np.uint8)
    (heat, weight), truth, _ = make_truth(np.random.default_rng(1), ids, *none)
    assert not heat.any()
    assert not len(truth)
    expected = np.ones((CELLS, CELLS))
    expected[10:30, 10:22] = 0
    np.testing.assert_array_equal(weight, expected)


class Pictures(IterableDataset[tuple[torch.Tensor, ...]]):  # type: ignore[misc, name-defined]
    """An endless sequence of batches of smooth pictures."""

    def __iter__(self) -> Iterator[tuple[torch.Tensor, ...]]:
        torch.manual_seed(7)
        while True:
            small = torch.rand(8, 3, 14, 10)
            pictures = torch.nn.functional.interpolate(small, (112, 80), mode="bilinear") * 255
            yield (pictures.to(torch.uint8),)


def test_quantization_training_reduces_the_rounding_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A fake clock, so that the number of training steps does not depend on the machine.
    clock_reads = count()
    monkeypatch.setattr(training_schedule.time, "monotonic", lambda: 0.02 * next(clock_reads))
    model = refiner(1)
    export_refiner(model, tmp_path)
    pictures = next(iter(Pictures()))[0].float() / 255
    with torch.no_grad():
        expected = model(pictures)

    def off(path: Path) -> float:
        """Return the deviation of the quantized network at a path from the original."""
        pupil = refiner(2)
        from_onnx(pupil, path, pictures)
        fold(pupil)
        round_off(pupil.eval(), PRECISE)
        with torch.no_grad():
            pupil(pictures)  # which determines the ranges
            return float(unlike(pupil(pictures), expected))

    before = off(tmp_path / "refiner.onnx")
    adapted = adapt(
        tmp_path / "refiner.onnx",
        refiner(2),
        Pictures(),
        PRECISE,
        lambda pupil: Training(pupil, 0.1, 3e-4, tmp_path / "pupil.pt", decay=0.95),
    )
    onnx.save(adapted, tmp_path / "adapted.onnx")
    assert off(tmp_path / "adapted.onnx") < 0.8 * before


@pytest.mark.parametrize("network", ["detector", "refiner", "recognizer"])
def test_sums_of_two_int8_products_do_not_overflow_on_old_processors(network: str) -> None:
    graph = onnx.load(MODELS / f"{network}-int8.onnx").graph
    stored = {each.name: onnx.numpy_helper.to_array(each) for each in graph.initializer}
    largest = [
        int(np.abs(each.astype(int)).max())
        for each in stored.values()
        if each.dtype == np.int8 and each.ndim == 4
    ]
    assert len(largest) > 5
    assert max(largest) <= LARGEST
