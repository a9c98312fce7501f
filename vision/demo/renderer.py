"""Renders the moments of the demo; the table layer is cached and only changes are drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final
from zlib import crc32

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.demo.face_sheet import faces
from vision.demo.hand_sprites import HandSprite, draw_hand
from vision.demo.stage import Hand, Lying, Moment, Spot
from vision.demo.view_settings import View
from vision.render.card_drawing import CardPose, draw_card, print_face, random_print
from vision.render.card_stacks import draw_stack
from vision.render.distractors import MAKERS_BY_NAME, Distractor, draw_distractor
from vision.render.hand_drawing import FOREIGN_ID
from vision.render.lighting import apply_lighting
from vision.render.scene_factors import TRAINING_FACTORS, NamedGenerators, SceneFactors
from vision.render.scenes import visible_fractions
from vision.render.sensor import simulate_sensor
from vision.render.tabletops import draw_tabletop, random_textures

__all__ = ["Renderer"]

Image = NDArray[np.uint8]
Quad = NDArray[np.float64]

_CORNERS: Final = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
#: Height of a held card above the table, mm.
_HELD: Final = 22.0
#: Objects on the table that are not cards of the deck.
_THINGS: Final = {*MAKERS_BY_NAME, "paper"}
#: Number of noise fields, used in turn.
_NOISES: Final = 5


def _factors(mess: float) -> SceneFactors:
    """Return the strengths of lighting, print and sensor effects; cards are undamaged, and the lens is free of distortion."""
    return replace(
        TRAINING_FACTORS, wear=0.0, frames=0.0, inks=0.0, fields=0.0, mirrors=0.0, ink=0.5 * mess, sheen=0.0, seams=0.0, lamps=0.25 + 0.5 * mess,
        shadows=mess, glare=1.2 * mess, resize=0.6 * mess, blur=0.6 * mess, motion=0.0, moire=0.0,
        exposure=0.6 * mess, sharpening=mess, noise=0.0, cloths=0.4 + 0.6 * mess,
    )  # fmt: skip


def _paper() -> Distractor:
    """Return a sheet of paper that covers a row of captured cards."""
    return Distractor(np.full((96, 140, 3), 226, np.uint8), 140.0, 96.0, 0.3)


@dataclass
class _Layer:
    """The table with cards, and the id map."""

    cards: tuple[Lying, ...]
    image: Image
    ids: Image
    quads: list[Quad]


class Renderer:
    """Draws moments of one table; a seed determines table, camera, lighting and hands.

    ``mess`` 0 is a tidy table in even light, 1 a living room: patterned tabletops, lamps, glare, noise.
    """

    def __init__(self, seed: int, size: tuple[int, int] = (1280, 720), mess: float = 0.3) -> None:
        self.size = size
        self._seed, self._factors = seed, _factors(mess)
        rng = np.random.default_rng((seed, 0))
        self.view = View.drawn(rng, mess)
        self.noise = float(1.2 + mess * rng.uniform(0, 4))
        self._texture = random_textures(rng, 1, unpatterned=rng.random() >= mess)
        self._look = replace(
            random_print(rng, self._factors), size=(33.0, 54.0), corner=0.05, thickness=0.7, wear=0.0
        )
        cv2.setRNGSeed(int(rng.integers(2**31)))
        shape = (size[1], size[0], 3)
        self._noises = [
            cv2.randn(np.empty(shape, np.int16), np.zeros(3), np.full(3, self.noise)) for _ in range(_NOISES)
        ]
        self._frame = 0
        self._bare: dict[int, Image] = {}
        self._lit: dict[tuple[int, int], tuple[NDArray[np.float32], Image]] = {}
        self._hands: dict[int, HandSprite] = {}
        self._art: dict[tuple[str, int], Image] = {}
        self._layer: tuple[int, _Layer] | None = None
        self._still: tuple[Any, Image, list[dict[str, Any]]] | None = None

    def draw(self, moment: Moment, share: float) -> tuple[Image, list[dict[str, Any]]]:
        """Return the picture (height x width x 3 uint8 BGR) after a ``share`` (0-1) of a moment, and its cards.

        Cards are as in ``truth.json``: ``zone``, ``quad`` (4 corners in px, clockwise from the card's own top left), ``visible``
        (0-1) and ``card``.
        """
        layer = self._laid(moment.view, moment.cards)
        still = (moment.view, moment.lamp, moment.cards)
        if moment.hand is None and self._still is not None and self._still[0] == still:
            return self._noisy(self._still[1]), self._still[2]
        image, ids = layer.image.copy(), layer.ids.copy()
        if moment.hand is not None:
            hand = moment.hand
            tip = hand.tip(share)
            for number, card in enumerate(hand.holding):
                turn = float(np.degrees(hand.bearing)) - 90.0
                held = Lying(card, tip[0] + 9.0 * number, tip[1], turn + 8.0 * number, "", lift=_HELD)
                self._put(moment.view, image, ids, held, 254)
            self._hand(hand).lay(image, ids, self._px(moment.view, tip))
        image, truth = self._photograph(image, moment), self._truth(layer, ids)
        if moment.hand is None:
            self._still = still, image, truth
        return self._noisy(image), truth

    def _camera_of(self, view: int) -> Any:
        """Return the camera after it was moved ``view`` times."""
        rng = np.random.default_rng((self._seed, 1, view))
        where = self.view
        if view:
            where = replace(
                where,
                roll=where.roll + float(rng.choice((-1, 1)) * rng.uniform(2, 4)),
                at=(where.at[0] + float(rng.uniform(-30, 30)), where.at[1] + float(rng.uniform(-12, 12))),
            )
        return where.camera(self.size)

    def _px(self, view: int, at: Spot) -> tuple[float, float]:
        spot = self._camera_of(view).project(np.array([(*at, 0.0)]))
        assert spot is not None  # the camera is above the whole table
        return float(spot[0, 0]), float(spot[0, 1])

    def _hand(self, hand: Hand) -> HandSprite:
        if hand.seat not in self._hands:
            scale = 1 / self._camera_of(0).mm_per_px()
            self._hands[hand.seat] = draw_hand(self._seed, hand.seat, hand.bearing, self.size, scale)
        return self._hands[hand.seat]

    def _table(self, view: int) -> Image:
        if view not in self._bare:
            rng = np.random.default_rng((self._seed, 2))
            camera = self._camera_of(view)
            self._bare[view] = draw_tabletop(rng, self._texture, camera, self.size, self._factors.cloths)
        return self._bare[view]

    def _laid(self, view: int, cards: tuple[Lying, ...]) -> _Layer:
        """Return the table with cards; if cards were only added, only those are drawn."""
        if (
            self._layer
            and self._layer[0] == view
            and cards[: len(self._layer[1].cards)] == self._layer[1].cards
        ):
            layer = self._layer[1]
        else:
            bare = self._table(view)
            layer = _Layer((), bare.copy(), np.zeros(bare.shape[:2], np.uint8), [])
        for number in range(len(layer.cards), len(cards)):
            layer.quads.append(self._put(view, layer.image, layer.ids, cards[number], number + 1))
        layer.cards = cards
        self._layer = (view, layer)
        return layer

    def _put(self, view: int, image: Image, ids: Image, lying: Lying, number: int) -> Quad:
        """Draw a card, in place; return its corners, px."""
        look, camera = self._look, self._camera_of(view)
        turn = np.radians(lying.turn)
        if lying.card in _THINGS:
            rng = np.random.default_rng((self._seed, 6))
            thing = MAKERS_BY_NAME[lying.card](rng, ()) if lying.card in MAKERS_BY_NAME else _paper()
            draw_distractor(rng, image, ids, camera, thing, lying.at, float(turn), FOREIGN_ID)
            return np.zeros((4, 2))
        cos, sin = np.cos(turn), np.sin(turn)
        flat = _CORNERS * look.size @ np.array([[cos, sin], [-sin, cos]]) + lying.at
        corners = np.column_stack((flat, np.full(4, lying.lift)))
        face = faces()[lying.card]
        if lying.layers > 1:
            rng = np.random.default_rng((self._seed, 3))
            draw_stack(rng, image, ids, camera, corners, lying.layers - 1, face, look)
            corners[:, 2] += (lying.layers - 1) * look.thickness
        lower, quad = camera.project(corners), camera.project(corners + np.array((0.0, 0.0, look.thickness)))
        assert lower is not None  # the camera is above the whole table
        assert quad is not None
        span = float(np.linalg.norm(quad[1] - quad[0]))
        gap = min(lying.lift, 4.0)
        drop = (lower - quad).mean(axis=0) * (1 + gap / look.thickness * 0.3)
        lies = CardPose(quad, span / look.size[0], drop, gap, None, 1.0)
        draw_card(image, ids, self._printed(lying.card, span), lies, number, look)
        return np.asarray(quad, np.float64)

    def _printed(self, card: str, span: float) -> Image:
        face = faces()[card]
        size = face.at(span).shape[1]
        if (card, size) not in self._art:
            dice = NamedGenerators(np.random.default_rng((self._seed, crc32(card.encode()))))
            self._art[card, size] = print_face(dice, face, self._look, span, 0.0)
        return self._art[card, size]

    def _photograph(self, image: Image, moment: Moment) -> Image:
        gain, glare = self._lamp(moment.view, moment.lamp)
        image = np.asarray(cv2.add(cv2.multiply(image, gain, dtype=cv2.CV_8U), glare), np.uint8)
        return simulate_sensor(NamedGenerators(np.random.default_rng((self._seed, 5))), self._factors, image)

    def _noisy(self, image: Image) -> Image:
        """Return a picture with sensor noise that differs from frame to frame."""
        self._frame += 1
        noise = self._noises[self._frame % _NOISES]
        return np.asarray(cv2.add(image, noise, dtype=cv2.CV_8U), np.uint8)

    def _lamp(self, view: int, lamp: int) -> tuple[NDArray[np.float32], Image]:
        """Return the factor and the offset (reflections) of the lighting after ``lamp`` switches."""
        if (view, lamp) not in self._lit:
            dice = NamedGenerators(np.random.default_rng((self._seed, 4, lamp)))
            shape = (self.size[1], self.size[0], 3)
            scale = 33 / self._camera_of(view).mm_per_px()
            factors = replace(self._factors, lamps=max(self._factors.lamps, 0.8)) if lamp else self._factors
            glare = apply_lighting(dice, factors, np.zeros(shape, np.uint8), scale)
            lit = apply_lighting(dice, replace(factors, glare=0.0), np.full(shape, 100, np.uint8), scale)
            gain = np.asarray(lit / np.float32(100), np.float32)
            # Automatic exposure compensates most of a change of brightness.
            gain *= np.float32(float(gain.mean()) ** -0.7)
            self._lit[view, lamp] = gain, glare
        return self._lit[view, lamp]

    def _truth(self, layer: _Layer, ids: Image) -> list[dict[str, Any]]:
        seen = visible_fractions(ids, np.array(layer.quads, np.float32).reshape(-1, 4, 2))
        return [
            {
                "zone": lying.zone,
                "quad": [[round(float(x), 1), round(float(y), 1)] for x, y in quad],
                "visible": round(float(share), 3),
                "card": lying.card,
            }
            for lying, quad, share in zip(layer.cards, layer.quads, seen, strict=True)
            if lying.card not in _THINGS
        ]
