"""Renders the moments of the demo; the picture of the table with its cards is cached, and only changes are drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from zlib import crc32

import cv2
import numpy as np
from numpy.typing import NDArray

from hanafuda_training.render.camera import SceneCamera, distort_image, distort_points
from hanafuda_training.render.card_drawing import CardPose, draw_card, print_face, random_print
from hanafuda_training.render.card_stacks import draw_stack
from hanafuda_training.render.deck_art import Face
from hanafuda_training.render.distractors import MAKERS_BY_NAME, Distractor, draw_distractor
from hanafuda_training.render.hand_drawing import FOREIGN_ID
from hanafuda_training.render.lighting import apply_lighting
from hanafuda_training.render.scene_factors import TRAINING_FACTORS, NamedGenerators, SceneFactors
from hanafuda_training.render.scenes import visible_fractions
from hanafuda_training.render.sensor import simulate_sensor
from hanafuda_training.render.tabletops import TEXTURES, draw_tabletop, random_textures
from hanafuda_training.rounds.face_sheet import faces
from hanafuda_training.rounds.hand_sprites import HandSprite, draw_hand
from hanafuda_training.rounds.stage import HandMovement, Moment, PlacedCard, Spot
from hanafuda_training.rounds.view_settings import View

__all__ = ["Renderer"]

Image = NDArray[np.uint8]
Quad = NDArray[np.float64]

_CORNERS: Final = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
#: Height above the table of a card in a hand, mm.
_LIFT: Final = 22.0
#: Objects on the table that are not cards of the deck.
_OBJECTS: Final = {*MAKERS_BY_NAME, "paper", "glare"}
#: Radius of a reflection that hides a card, mm, and its softness as a fraction of the radius.
_GLARE: Final = 34.0
_GLARE_SOFTNESS: Final = 0.28
#: Length over which the direction of an arm in the picture is measured, from the table's center, mm.
_ARM: Final = 180.0
#: Number of precomputed noise fields, which the frames use in turn.
_NOISE_FIELDS: Final = 5


def _factors(mess: float) -> SceneFactors:
    """Return the strengths of lighting, print and sensor effects; cards are undamaged and the lens has no distortion."""
    return replace(
        TRAINING_FACTORS, wear=0.0, frames=0.0, inks=0.0, fields=0.0, mirrors=0.0, ink=0.5 * mess, sheen=0.0, seams=0.0, lamps=0.25 + 0.5 * mess,
        shadows=mess, glare=1.2 * mess, resize=0.6 * mess, blur=0.6 * mess, motion=0.0, moire=0.0,
        exposure=0.6 * mess, sharpening=mess, noise=0.0, cloths=0.4 + 0.6 * mess,
    )  # fmt: skip


def _make_paper() -> Distractor:
    """Return a sheet of paper (140 x 96 mm) large enough to cover a row of captured cards."""
    return Distractor(np.full((96, 140, 3), 226, np.uint8), 140.0, 96.0, 0.3)


def _add_glare(image: Image, camera: SceneCamera, at: Spot) -> None:
    """Add a reflection that hides a card at ``at`` (mm), in place."""
    angles = np.linspace(0, 2 * np.pi, 25)[:-1]
    ring = np.column_stack((np.cos(angles), np.sin(angles), np.zeros(24))) * _GLARE + (*at, 0.0)
    px = camera.project(ring)
    assert px is not None  # the camera is above the whole table
    glare = np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(glare, px.round().astype(np.int32), 255)
    glare = np.asarray(
        cv2.GaussianBlur(glare, (0, 0), _GLARE * _GLARE_SOFTNESS / camera.mm_per_px()), np.uint8
    )
    image[:] = cv2.add(image, cv2.merge((glare, glare, glare)))


@dataclass
class _Layer:
    """The table with its cards: the picture, its id map (height x width), and the corners of each card (4 x 2 px)."""

    cards: tuple[PlacedCard, ...]
    image: Image
    ids: Image
    quads: list[Quad]


class Renderer:
    """Draws the moments of one table; ``seed`` determines tabletop, camera, lighting and hands.

    ``size``: width and height of the pictures, px. ``mess``: from 0 (tidy, evenly lit) to 1 (a living room: patterned
    tabletops, lamps, glare, noise). ``noise``: standard deviation of the sensor noise, of 255; random if omitted.
    ``deck``: the faces by card id, and the ``back``; the project's own if omitted. ``tabletop``: a kind of texture
    (`hanafuda_training.render.tabletops.TEXTURES`), random if omitted. ``view``: where the camera is, random if omitted.
    ``lens``: distortion as in `hanafuda_training.render.camera.distort_points`.
    """

    def __init__(
        self,
        seed: int,
        size: tuple[int, int] = (1280, 720),
        mess: float = 0.3,
        noise: float | None = None,
        *,
        deck: Mapping[str, Face] | None = None,
        tabletop: str | None = None,
        view: View | None = None,
        lens: float = 0.0,
    ) -> None:
        self.size, self._lens = size, lens
        self._faces = faces() if deck is None else deck
        self._seed, self._factors = seed, _factors(mess)
        rng = np.random.default_rng((seed, 0))
        drawn_view = View.drawn(rng, mess)
        self.view = drawn_view if view is None else view
        random_noise = float(1.2 + mess * rng.uniform(0, 4))
        self.noise = random_noise if noise is None else noise
        random_texture = random_textures(rng, 1, unpatterned=rng.random() >= mess)
        self._texture = random_texture if tabletop is None else [TEXTURES[tabletop](rng)]
        self._print = replace(
            random_print(rng, self._factors), size=(33.0, 54.0), corner=0.05, thickness=0.7, wear=0.0
        )
        cv2.setRNGSeed(int(rng.integers(2**31)))
        shape = (size[1], size[0], 3)
        self._noises = [
            cv2.randn(np.empty(shape, np.int16), np.zeros(3), np.full(3, self.noise))
            for _ in range(_NOISE_FIELDS)
        ]
        self._frame = 0
        self._tabletops: dict[int, Image] = {}
        self._lighting: dict[tuple[int, int], tuple[NDArray[np.float32], Image]] = {}
        self._hands: dict[int, HandSprite] = {}
        self._printed_faces: dict[tuple[str, int], Image] = {}
        self._layer: tuple[int, _Layer] | None = None
        self._last_still: tuple[Any, Image, list[dict[str, Any]]] | None = None

    def draw(self, moment: Moment, progress: float) -> tuple[Image, list[dict[str, Any]]]:
        """Return the picture (height x width x 3 uint8 BGR) at ``progress`` (0-1) of a moment, and its cards.

        Each card is an entry of ``truth.json``: ``zone``, ``quad`` (4 corners in px, clockwise from the card's own top left),
        ``visible`` (visible fraction, 0-1) and ``card``.
        """
        layer = self._draw_cards(moment.view, moment.cards)
        still = (moment.view, moment.lamp, moment.cards)
        if moment.hand is None and self._last_still is not None and self._last_still[0] == still:
            return self._noisy(self._last_still[1]), self._last_still[2]
        image, ids = layer.image.copy(), layer.ids.copy()
        if moment.hand is not None:
            hand = moment.hand
            tip = hand.tip(progress)
            for number, card in enumerate(hand.holding):
                turn = float(np.degrees(hand.bearing)) - 90.0
                pose = PlacedCard(card, tip[0] + 9.0 * number, tip[1], turn + 8.0 * number, "", lift=_LIFT)
                self._draw_pose(moment.view, image, ids, pose, 254)
            self._hand(hand).lay(image, ids, self._to_px(moment.view, tip))
        image, ids = distort_image(image, ids, self._lens)
        image, truth = self._photograph(image, moment), self._truth(layer, ids)
        if moment.hand is None:
            self._last_still = still, image, truth
        return self._noisy(image), truth

    def _camera_of(self, view: int) -> Any:
        """Return the camera after it was moved ``view`` times."""
        rng = np.random.default_rng((self._seed, 1, view))
        placement = self.view
        if view:
            placement = replace(
                placement,
                roll=placement.roll + float(rng.choice((-1, 1)) * rng.uniform(2, 4)),
                at=(
                    placement.at[0] + float(rng.uniform(-30, 30)),
                    placement.at[1] + float(rng.uniform(-12, 12)),
                ),
            )
        return placement.camera(self.size)

    def _to_px(self, view: int, position: Spot) -> tuple[float, float]:
        px = self._camera_of(view).project(np.array([(*position, 0.0)]))
        assert px is not None  # the camera is above the whole table
        return float(px[0, 0]), float(px[0, 1])

    def _hand(self, hand: HandMovement) -> HandSprite:
        if hand.seat not in self._hands:
            direction = self._direction_in_picture(hand.bearing)
            scale = 1 / self._camera_of(0).mm_per_px()
            self._hands[hand.seat] = draw_hand(self._seed, hand.seat, direction, self.size, scale)
        return self._hands[hand.seat]

    def _direction_in_picture(self, bearing: float) -> float:
        """Return the direction in which an arm from ``bearing`` is in the picture; both in radians."""
        px = self._camera_of(0).project(
            np.array([(0.0, 0.0, 0.0), (_ARM * np.cos(bearing), _ARM * np.sin(bearing), 0.0)])
        )
        assert px is not None  # the camera is above the whole table
        return float(np.arctan2(px[1, 1] - px[0, 1], px[1, 0] - px[0, 0]))

    def _tabletop(self, view: int) -> Image:
        if view not in self._tabletops:
            rng = np.random.default_rng((self._seed, 2))
            camera = self._camera_of(view)
            self._tabletops[view] = draw_tabletop(rng, self._texture, camera, self.size, self._factors.cloths)
        return self._tabletops[view]

    def _draw_cards(self, view: int, cards: tuple[PlacedCard, ...]) -> _Layer:
        """Return the table with cards; if cards were only added since the last call, only those are drawn."""
        if (
            self._layer
            and self._layer[0] == view
            and cards[: len(self._layer[1].cards)] == self._layer[1].cards
        ):
            layer = self._layer[1]
        else:
            tabletop = self._tabletop(view)
            layer = _Layer((), tabletop.copy(), np.zeros(tabletop.shape[:2], np.uint8), [])
        for number in range(len(layer.cards), len(cards)):
            layer.quads.append(self._draw_pose(view, layer.image, layer.ids, cards[number], number + 1))
        layer.cards = cards
        self._layer = (view, layer)
        return layer

    def _draw_pose(self, view: int, image: Image, ids: Image, pose: PlacedCard, number: int) -> Quad:
        """Draw a card or foreign object in place, with ``number`` in the id map; return its corners (4 x 2 px), zeros for an object."""
        printed, camera = self._print, self._camera_of(view)
        turn = np.radians(pose.turn)
        if pose.card == "glare":
            _add_glare(image, camera, pose.at)
            return np.zeros((4, 2))
        if pose.card in _OBJECTS:
            rng = np.random.default_rng((self._seed, 6))
            distractor = MAKERS_BY_NAME[pose.card](rng, ()) if pose.card in MAKERS_BY_NAME else _make_paper()
            draw_distractor(rng, image, ids, camera, distractor, pose.at, float(turn), FOREIGN_ID)
            return np.zeros((4, 2))
        cos, sin = np.cos(turn), np.sin(turn)
        plane = _CORNERS * printed.size @ np.array([[cos, sin], [-sin, cos]]) + pose.at
        corners = np.column_stack((plane, np.full(4, pose.lift)))
        drawn = "back" if pose.face_down else pose.card
        face = self._faces[drawn]
        if pose.layers > 1:
            rng = np.random.default_rng((self._seed, 3))
            draw_stack(rng, image, ids, camera, corners, pose.layers - 1, face, printed)
            corners[:, 2] += (pose.layers - 1) * printed.thickness
        lower, quad = (
            camera.project(corners),
            camera.project(corners + np.array((0.0, 0.0, printed.thickness))),
        )
        assert lower is not None  # the camera is above the whole table
        assert quad is not None
        span = float(np.linalg.norm(quad[1] - quad[0]))
        gap = min(pose.lift, 4.0)
        drop = (lower - quad).mean(axis=0) * (1 + gap / printed.thickness * 0.3)
        card_pose = CardPose(quad, span / printed.size[0], drop, gap, None, 1.0)
        draw_card(image, ids, self._printed(drawn, span), card_pose, number, printed)
        return np.asarray(quad, np.float64)

    def _printed(self, card: str, span: float) -> Image:
        face = self._faces[card]
        size = face.at(span).shape[1]
        if (card, size) not in self._printed_faces:
            dice = NamedGenerators(np.random.default_rng((self._seed, crc32(card.encode()))))
            self._printed_faces[card, size] = print_face(dice, face, self._print, span, 0.0)
        return self._printed_faces[card, size]

    def _photograph(self, image: Image, moment: Moment) -> Image:
        gain, glare = self._lamp(moment.view, moment.lamp)
        image = np.asarray(cv2.add(cv2.multiply(image, gain, dtype=cv2.CV_8U), glare), np.uint8)
        return simulate_sensor(NamedGenerators(np.random.default_rng((self._seed, 5))), self._factors, image)

    def _noisy(self, image: Image) -> Image:
        """Return the picture with sensor noise that differs from frame to frame."""
        self._frame += 1
        noise = self._noises[self._frame % _NOISE_FIELDS]
        return np.asarray(cv2.add(image, noise, dtype=cv2.CV_8U), np.uint8)

    def _lamp(self, view: int, lamp: int) -> tuple[NDArray[np.float32], Image]:
        """Return the lighting after ``lamp`` switches: a factor per pixel, and the reflections to add."""
        if (view, lamp) not in self._lighting:
            dice = NamedGenerators(np.random.default_rng((self._seed, 4, lamp)))
            shape = (self.size[1], self.size[0], 3)
            scale = 33 / self._camera_of(view).mm_per_px()
            factors = replace(self._factors, lamps=max(self._factors.lamps, 0.8)) if lamp else self._factors
            glare = apply_lighting(dice, factors, np.zeros(shape, np.uint8), scale)
            lit = apply_lighting(dice, replace(factors, glare=0.0), np.full(shape, 100, np.uint8), scale)
            gain = np.asarray(lit / np.float32(100), np.float32)
            # The camera's automatic exposure compensates for most of a change in brightness.
            gain *= np.float32(float(gain.mean()) ** -0.7)
            self._lighting[view, lamp] = gain, glare
        return self._lighting[view, lamp]

    def _truth(self, layer: _Layer, ids: Image) -> list[dict[str, Any]]:
        quads = distort_points(np.array(layer.quads, np.float32).reshape(-1, 4, 2), self._lens, *self.size)
        visible = visible_fractions(ids, quads)
        return [
            {
                "zone": pose.zone,
                "quad": [[round(float(x), 1), round(float(y), 1)] for x, y in quad],
                "visible": round(float(fraction), 3),
                "card": "back" if pose.face_down else pose.card,
            }
            for pose, quad, fraction in zip(layer.cards, quads, visible, strict=True)
            if pose.card not in _OBJECTS
        ]
