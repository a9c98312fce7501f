"""The networks in PyTorch: detector (small and large), refiner, recognizer, matcher. Small plain
convolutions, trained from scratch.
"""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from vision.networks.class_ids import CLASS_COUNT
from vision.networks.recognizer import EMBEDDING
from vision.pictures.crops import MASK_SIZE, REFINER_MARGIN, REFINER_SIZE, card_frame

#: Output channels of the detector: heat, 2 x 4 corners, doubled angle, visible fraction, face-down, foreign object.
DETECTOR_CHANNELS: Final = 1 + 16 + 2 + 1 + 1 + 1


def _conv(inputs: int, outputs: int, stride: int = 1, size: int = 3) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )


class _Residual(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.one = _conv(channels, channels)
        self.two = nn.Sequential(nn.Conv2d(channels, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(x + self.two(self.one(x)), inplace=True)


def _residuals(channels: int, count: int) -> list[_Residual]:
    return [_Residual(channels) for _ in range(count)]


class DetectorNet(nn.Module):
    """B x 3 x H x W (BGR, 0-1, H and W multiples of 32) → B x 22 x H/4 x W/4.

    Channels: heat logit; corners in units of 32 px from the center of the cell, starting with the short edge
    that is higher (8: x, y of four corners) and with the one that is further left (8); cos and sin of twice
    the angle of the long axis; visible fraction logit; face-down logit; logit that a hand or a foreign object
    covers the table here.

    ``large``: 2.67 instead of 1.04 million weights and 1.7 times the operations, for photographs.
    """

    def __init__(self, *, large: bool = False) -> None:
        super().__init__()
        self.stem = nn.Sequential(_conv(3, 16, 2), _conv(16, 24, 2), _Residual(24))
        self.down8 = nn.Sequential(_conv(24, 48, 2), *_residuals(48, 3 if large else 2))
        self.down16 = nn.Sequential(_conv(48, 96, 2), *_residuals(96, 5 if large else 2))
        self.down32 = nn.Sequential(_conv(96, 128, 2), *_residuals(128, 4 if large else 1))
        self.lift16 = _conv(128, 96, size=1)
        self.join16 = nn.Sequential(_conv(96, 96), *_residuals(96, int(large)))
        self.lift8 = _conv(96, 48, size=1)
        self.join8 = nn.Sequential(_conv(48, 48), *_residuals(48, int(large)))
        self.lift4 = _conv(48, 24, size=1)
        self.join4 = nn.Sequential(_conv(24, 40), _conv(40, 40))
        self.head = nn.Conv2d(40, DETECTOR_CHANNELS, 1)
        nn.init.constant_(self.head.bias[:1], -4.0)  # type: ignore[index]

    def forward(self, x: Tensor) -> Tensor:
        c4 = self.stem(x)
        c8 = self.down8(c4)
        c16 = self.down16(c8)
        c32 = self.down32(c16)
        p16 = self.join16(c16 + F.interpolate(self.lift16(c32), scale_factor=2.0))
        p8 = self.join8(c8 + F.interpolate(self.lift8(p16), scale_factor=2.0))
        p4 = self.join4(c4 + F.interpolate(self.lift4(p8), scale_factor=2.0))
        out: Tensor = self.head(p4)
        return out


def grown(small: DetectorNet) -> DetectorNet:
    """Return a large detector with the same output as ``small``: its additional blocks are initialized as the
    identity.
    """
    large = DetectorNet(large=True)
    weights = small.state_dict()
    large.load_state_dict(weights, strict=False)
    for name, block in large.named_modules():
        if isinstance(block, _Residual) and f"{name}.one.0.weight" not in weights:
            nn.init.zeros_(block.two[1].weight)  # type: ignore[arg-type]
    return large


class RefinerNet(nn.Module):
    """B x 3 x 112 x 80 (BGR, 0-1; the card with its margin) → (B x 10, B x 28 x 20).

    The first output holds the corrections of the four corners (8: x, y; in card widths and heights), the
    visible fraction logit, and the logit that the card is at this position, that is, that its hidden part is
    not on the other side. The second is the logit that each cell shows this card. A corner is the mean
    position of its own heat map (integral regression, Sun et al. 2018): a plain linear layer had hardly
    learned to move corners after 7 minutes.
    """

    places: Tensor
    inner: Tensor
    extent: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(_conv(3, 16, 2), _conv(16, 32, 2), _Residual(32))
        self.down8 = nn.Sequential(_conv(32, 64, 2), _Residual(64))
        self.down16 = nn.Sequential(_conv(64, 96, 2), _Residual(96), _Residual(96))
        self.lift8 = _conv(96, 64, size=1)
        self.join8 = _conv(64, 64)
        self.lift4 = _conv(64, 32, size=1)
        self.maps = nn.Sequential(_conv(32, 32), nn.Conv2d(32, 5, 1))
        self.share = nn.Linear(96, 1)
        self.here = nn.Sequential(_conv(96, 24, size=1), nn.Flatten(), nn.Linear(24 * 7 * 5, 1))
        columns, rows = MASK_SIZE
        ys, xs = torch.meshgrid(
            (torch.arange(rows) + 0.5) / rows, (torch.arange(columns) + 0.5) / columns, indexing="ij"
        )
        self.register_buffer(
            "places", torch.stack((xs.flatten(), ys.flatten()), 1) * torch.tensor(REFINER_SIZE)
        )
        inner = torch.from_numpy(card_frame(REFINER_SIZE, REFINER_MARGIN))
        self.register_buffer("inner", inner)
        self.register_buffer("extent", inner[2] - inner[0])

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        c4 = self.stem(x)
        c8 = self.down8(c4)
        c16 = self.down16(c8)
        p8 = self.join8(c8 + F.interpolate(self.lift8(c16), scale_factor=2.0))
        p4 = c4 + F.interpolate(self.lift4(p8), scale_factor=2.0)
        maps = self.maps(p4).float()
        corners = torch.softmax(maps[:, :4].flatten(2), 2) @ self.places
        corrections = ((corners - self.inner) / self.extent).flatten(1)
        outputs = (corrections, self.share(c16.mean((2, 3))).float(), self.here(c16).float())
        return torch.cat(outputs, 1), maps[:, 4]


class RecognizerNet(nn.Module):
    """B x 4 x 96 x 64 (BGR 0-1 and the visible part 0-1) → (B x (CLASS_COUNT + 1), B x EMBEDDING).

    One logit per class and one for "upright"; and an embedding, not yet normalized. Its angle distinguishes
    cards of any deck, and the two ends of a card.
    """

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _conv(4, 24, 2), _conv(24, 48, 2), _Residual(48), _conv(48, 96, 2), _Residual(96), _conv(96, 128, 2), _Residual(128)
        )  # fmt: skip
        self.embed = nn.Sequential(nn.Linear(128 * 6 * 4, EMBEDDING, bias=False), nn.BatchNorm1d(EMBEDDING))
        self.names = nn.Linear(EMBEDDING, CLASS_COUNT + 1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        embedding: Tensor = self.embed(F.dropout(self.body(x).flatten(1), 0.1, self.training))
        return self.names(F.relu(embedding)), embedding


class MatcherNet(nn.Module):
    """B x 7 x 96 x 64 (BGR and the visible part of a crop, BGR of a picture; 0-1) → B logits that both show
    the same card.

    Crop and picture pass through the network as one image: the most accurate of the architectures for
    comparing patches that Zagoruyko and Komodakis (2015) tried.
    """

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _conv(7, 32, 2), _Residual(32), _conv(32, 64, 2), _Residual(64),
            _conv(64, 96, 2), _Residual(96), _conv(96, 128, 2), _Residual(128),
        )  # fmt: skip
        self.head = nn.Sequential(nn.Linear(256, 64), nn.ReLU(inplace=True), nn.Linear(64, 1))

    def forward(self, x: Tensor) -> Tensor:
        features = self.body(x)
        pooled = torch.cat((features.mean((2, 3)), features.amax((2, 3))), 1)
        out: Tensor = self.head(pooled.float())[:, 0]
        return out


class Margin(nn.Module):
    """Additive angular margin (Deng et al., ArcFace, 2019) over ``classes`` classes: embeddings and targets →
    loss.
    """

    SCALE: Final = 24.0
    ANGLE: Final = 0.25

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.centers = nn.Parameter(torch.randn(classes, EMBEDDING) * 0.1)

    def forward(self, embedding: Tensor, target: Tensor) -> Tensor:
        cosine = F.normalize(embedding, dim=1) @ F.normalize(self.centers, dim=1).T
        rows = torch.arange(len(target))
        angle = torch.acos(cosine[rows, target].clamp(-0.999, 0.999))
        # Beyond pi the cosine would increase again.
        harder = torch.cos((angle + self.ANGLE).clamp(max=torch.pi))
        logits = cosine.index_put((rows, target), harder)
        return F.cross_entropy(self.SCALE * logits, target)
