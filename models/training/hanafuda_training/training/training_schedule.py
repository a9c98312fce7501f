"""The parts common to all trainings: options, learning rate by wall time, and a running mean of the weights."""

from __future__ import annotations

import argparse
import copy
import time
from pathlib import Path
from typing import TypeVar

import torch
from torch import nn

_Model = TypeVar("_Model", bound=nn.Module)


def options(description: str | None, *, minutes: float, batch: int, seed: int) -> argparse.ArgumentParser:
    """Return the argument parser of a training with these defaults and a learning rate of 0.002."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--scenes",
        type=Path,
        required=True,
        help="folder of shards made by hanafuda_training.training.generate_scenes",
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=minutes)
    parser.add_argument("--batch", type=int, default=batch)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=seed)
    parser.add_argument("--threads", type=int, default=1, help="use 2 if no other training is running")
    parser.add_argument(
        "--start", type=Path, help="weights to continue from: a .pt file of a training, or an ONNX file"
    )
    return parser


def load(model: _Model, weights: Path | None) -> _Model:
    """Return ``model`` with ``weights`` loaded, or unchanged for None."""
    if weights is not None:
        model.load_state_dict(torch.load(weights, weights_only=True))
    return model


def reduced_precision() -> torch.autocast:
    """Return the context of a forward pass in bfloat16; without AVX-512, where it is ten times slower than
    float32, it changes nothing.
    """
    return torch.autocast("cpu", torch.bfloat16, enabled="AVX512" in torch.backends.cpu.get_cpu_capability())


class Training:
    """Trains ``model``, and the layers in ``beside`` that are needed only in training, for ``minutes`` of
    wall time with AdamW; keeps a running mean of the weights.

    Uses one thread by default: two single-threaded trainings side by side use two cores fully, while
    two-threaded ones stall each other.
    """

    def __init__(
        self,
        model: nn.Module,
        minutes: float,
        rate: float,
        out: Path,
        decay: float = 0.998,
        beside: nn.Module | None = None,
        threads: int = 1,
    ) -> None:
        torch.set_num_threads(threads)
        self.model = model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.mean = copy.deepcopy(model).eval()
        parameters = [*model.parameters(), *(beside.parameters() if beside else ())]
        self.optimizer = torch.optim.AdamW(parameters, lr=rate, weight_decay=1e-2)
        self.seconds, self.rate, self.out, self.decay = minutes * 60, rate, out, decay
        self.started = self._saved = self._printed = time.monotonic()
        self.steps = self.examples = 0
        self._sums: dict[str, float] = {}

    @property
    def elapsed_fraction(self) -> float:
        """Elapsed fraction (0-1) of the time."""
        return min(1.0, (time.monotonic() - self.started) / self.seconds)

    def step(self, loss: torch.Tensor, examples: int, **parts: float) -> bool:
        """Take one optimizer step, print and save at intervals, and return whether time is left."""
        warm_up = min(1.0, (self.steps + 1) / 300)
        for group in self.optimizer.param_groups:
            group["lr"] = (
                self.rate
                * warm_up
                * max(0.01, 0.5 * (1 + torch.cos(torch.tensor(torch.pi * self.elapsed_fraction)).item()))
            )
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
        self.optimizer.step()
        self.steps += 1
        self.examples += examples
        keep = min(self.decay, self.steps / (self.steps + 10))
        with torch.no_grad():
            for mean, now in zip(
                self.mean.state_dict().values(), self.model.state_dict().values(), strict=True
            ):
                if mean.is_floating_point():
                    mean.lerp_(now, 1 - keep)
                else:
                    mean.copy_(now)
        for name, value in parts.items():
            self._sums[name] = 0.99 * self._sums.get(name, value) + 0.01 * value
        now_s = time.monotonic()
        if now_s - self._printed > 30:
            self._printed = now_s
            losses = " ".join(f"{name} {value:.4f}" for name, value in self._sums.items())
            print(f"{(now_s - self.started) / 60:5.1f} min {self.examples:8d} examples {losses}", flush=True)
        if self.elapsed_fraction >= 1 or now_s - self._saved > 180:
            self._saved = now_s
            part = self.out.with_suffix(".part")
            torch.save(self.mean.state_dict(), part)
            part.rename(self.out)
        return self.elapsed_fraction < 1
