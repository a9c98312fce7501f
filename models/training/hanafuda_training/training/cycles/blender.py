"""Renders an arranged table with Blender's Cycles: cards, table top, foreign objects, lamps, camera.

Blender uses meters, everything else here mm. Only this module imports `bpy`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import bpy
import numpy as np
from mathutils import Matrix, Vector
from numpy.typing import NDArray

from companion.hanafuda.cards import CARD_MM
from hanafuda_training.render.deck_art import Face
from hanafuda_training.training.cycles.cycles_camera import CyclesCamera
from hanafuda_training.training.cycles.resting_poses import THICKNESS, Pose

Floats = NDArray[np.float64]
Rng = np.random.Generator
Color = tuple[float, float, float]

_MM: Final = 1e-3
#: Irradiance of the table, W/m2, at which white paper is just below white in the picture.
_DAYLIGHT: Final = 2.6
_EDGES: Final[tuple[Color, ...]] = ((0.02, 0.02, 0.02), (0.12, 0.05, 0.03), (0.6, 0.56, 0.48))
#: Colors of lamps, from warm white to daylight, after the white balance of a camera.
_WARM: Final = np.array((1.0, 0.8, 0.58))
_COOL: Final = np.array((0.86, 0.94, 1.0))


def render(
    rng: Rng,
    cards: Sequence[tuple[Face, Pose]],
    rim: Floats,
    camera: CyclesCamera,
    samples: int,
    threads: int,
    path: Path,
) -> str:
    """Render ``cards``, whose outline (n x 2, mm) is ``rim``, into a PNG file; return the material of the
    table.
    """
    bpy.ops.wm.read_factory_settings(use_empty=True)
    top = str(rng.choice(list(_TABLES)))
    _table(rng, top)
    _add_cards(rng, cards, rim)
    _add_objects(rng, np.array([pose.center[:2] for _, pose in cards]))
    _light(rng)
    _set_camera(rng, camera, cards)
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = samples
    scene.cycles.seed = int(rng.integers(2**31))
    scene.cycles.use_adaptive_sampling = True
    scene.cycles.adaptive_threshold, scene.cycles.adaptive_min_samples = 0.05, 4
    scene.cycles.use_denoising = True
    scene.cycles.denoiser = "OPENIMAGEDENOISE"
    # Prefiltering the guides would take twice as long as rendering with so few samples.
    scene.cycles.denoising_prefilter, scene.cycles.denoising_quality = "NONE", "FAST"
    scene.cycles.max_bounces = 3
    scene.cycles.caustics_reflective = scene.cycles.caustics_refractive = False
    scene.render.threads_mode, scene.render.threads = "FIXED", threads
    scene.view_settings.view_transform = str(rng.choice(("Standard", "AgX"), p=(0.6, 0.4)))
    scene.view_settings.exposure = float(rng.normal(0, 0.25))
    scene.render.image_settings.file_format = "PNG"
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    return top


class _Material:
    """A material as a chain of shader nodes ending in a principled surface."""

    def __init__(self, **surface: Any) -> None:
        self.data = bpy.data.materials.new("material")
        self.data.use_nodes = True
        self.tree = self.data.node_tree
        self.surface = self.tree.nodes["Principled BSDF"]
        for name, value in surface.items():
            self.put(self.surface, name, value)

    def put(self, node: Any, name: str, value: Any) -> None:
        """Set an input (its name with underscores) to a number, a color, or another node's output."""
        socket = node.inputs[name.replace("_", " ")]
        if isinstance(value, bpy.types.NodeSocket):
            self.tree.links.new(value, socket)
        elif isinstance(value, tuple):
            socket.default_value = (*value, 1.0) if socket.type == "RGBA" else value
        else:
            socket.default_value = value

    def node(self, kind: str, settings: dict[str, Any] | None = None, **inputs: Any) -> Any:
        """Add a shader node."""
        node = self.tree.nodes.new(f"ShaderNode{kind}")
        for name, value in (settings or {}).items():
            setattr(node, name, value)
        for name, value in inputs.items():
            self.put(node, name, value)
        return node

    def place(self, stretch: Color = (1, 1, 1)) -> Any:
        """Return the object coordinates in meters, scaled by ``stretch``."""
        coordinates = self.node("TexCoord").outputs["Object"]
        return self.node("Mapping", Vector=coordinates, Scale=stretch).outputs["Vector"]

    def ramp(self, value: Any, *stops: tuple[float, Color]) -> Any:
        """Return the color to which a color ramp with these stops maps a value."""
        ramp = self.node("ValToRGB", Fac=value)
        ramp.color_ramp.elements[0].position, ramp.color_ramp.elements[1].position = stops[0][0], stops[-1][0]
        for position, _ in stops[1:-1]:
            ramp.color_ramp.elements.new(position)
        for element, (_, color) in zip(ramp.color_ramp.elements, stops, strict=True):
            element.color = (*color, 1.0)
        return ramp.outputs["Color"]

    def weighed(self, value: Any, weight: float, more: Any) -> Any:
        """Return ``weight * value + more``."""
        node = self.tree.nodes.new("ShaderNodeMath")
        node.operation = "MULTIPLY_ADD"
        self.tree.links.new(value, node.inputs[0])
        node.inputs[1].default_value = weight
        self.tree.links.new(more, node.inputs[2])
        return node.outputs[0]

    def bump(self, height: Any, strength: float, depth: float) -> None:
        """Displace the surface by up to ``depth`` m according to ``height``."""
        bump = self.node("Bump", Height=height, Strength=strength, Distance=depth)
        self.put(self.surface, "Normal", bump.outputs["Normal"])


def _random_color(rng: Rng, *bases: Color) -> Color:
    base = np.array(bases[rng.integers(len(bases))]) * rng.uniform(0.7, 1.3) * rng.uniform(0.9, 1.1, 3)
    red, green, blue = np.clip(base, 0.005, 0.95).tolist()
    return red, green, blue


def _darker(color: Color, factor: float) -> Color:
    return color[0] * factor, color[1] * factor, color[2] * factor


def _wood(rng: Rng) -> _Material:
    base = _random_color(rng, (0.4, 0.19, 0.07), (0.22, 0.1, 0.045), (0.55, 0.36, 0.18), (0.09, 0.045, 0.025))
    material = _Material(Roughness=float(rng.uniform(0.25, 0.6)), Coat_Weight=float(rng.choice((0.0, 0.3))))
    place = material.place((1.0, float(rng.uniform(6, 14)), 1.0))
    rings = material.node(
        "TexNoise", Vector=place, Scale=float(rng.uniform(2, 5)), Detail=4.0, Distortion=1.5
    )
    grain = material.node("TexNoise", Vector=material.place((8.0, 500.0, 1.0)), Scale=1.0, Detail=3.0)
    fibres = material.weighed(grain.outputs["Fac"], 0.25, rings.outputs["Fac"])
    material.put(
        material.surface,
        "Base_Color",
        material.ramp(fibres, (0.4, _darker(base, 0.6)), (0.62, base), (0.85, _darker(base, 1.25))),
    )
    material.bump(grain.outputs["Fac"], 0.2, 0.0004)
    return material


def _felt(rng: Rng) -> _Material:
    base = _random_color(rng, (0.03, 0.16, 0.05), (0.22, 0.025, 0.03), (0.03, 0.06, 0.2), (0.12, 0.12, 0.12))
    material = _Material(Roughness=1.0, Sheen_Weight=float(rng.uniform(0.1, 0.5)), Specular_IOR_Level=0.1)
    fluff = material.node("TexNoise", Vector=material.place(), Scale=1500.0, Detail=3.0).outputs["Fac"]
    material.put(
        material.surface,
        "Base_Color",
        material.ramp(fluff, (0.3, _darker(base, 0.7)), (0.7, _darker(base, 1.3))),
    )
    material.bump(fluff, 0.5, 0.0006)
    return material


def _cloth(rng: Rng) -> _Material:
    first = _random_color(rng, (0.5, 0.08, 0.07), (0.08, 0.12, 0.35), (0.5, 0.4, 0.2), (0.1, 0.25, 0.16))
    second = _random_color(rng, (0.8, 0.76, 0.68), (0.6, 0.55, 0.5), (0.03, 0.03, 0.04))
    material = _Material(Roughness=0.95, Specular_IOR_Level=0.15)
    turn = material.node(
        "VectorRotate", {"rotation_type": "Z_AXIS"}, Vector=material.place(), Angle=float(rng.uniform(0, 3))
    ).outputs["Vector"]
    if rng.random() < 0.6:
        pattern = material.node(
            "TexChecker", Vector=turn, Scale=float(rng.uniform(35, 130)), Color1=first, Color2=second
        ).outputs["Color"]
    else:
        wave = material.node(
            "TexWave", {"wave_type": "BANDS"}, Vector=turn, Scale=float(rng.uniform(6, 25))
        ).outputs["Fac"]
        pattern = material.ramp(wave, (0.45, first), (0.5, second))
    material.put(material.surface, "Base_Color", pattern)
    weave = material.node("TexNoise", Vector=material.place(), Scale=1200.0).outputs["Fac"]
    material.bump(weave, 0.4, 0.0004)
    return material


def _tatami(rng: Rng) -> _Material:
    base = _random_color(rng, (0.42, 0.4, 0.2), (0.5, 0.4, 0.2), (0.33, 0.36, 0.2))
    material = _Material(Roughness=float(rng.uniform(0.5, 0.8)))
    rush = material.node(
        "TexWave",
        {"wave_type": "BANDS"},
        Vector=material.place(),
        Scale=70.0,
        Distortion=0.6,
        Detail_Scale=3.0,
    ).outputs["Fac"]
    shade = material.node("TexNoise", Vector=material.place((300.0, 4.0, 1.0)), Scale=1.0).outputs["Fac"]
    mix = material.node("MixRGB", {"blend_type": "MULTIPLY"}, Fac=0.6)
    material.put(mix, "Color1", material.ramp(shade, (0.3, _darker(base, 0.75)), (0.7, _darker(base, 1.2))))
    material.put(mix, "Color2", material.ramp(rush, (0.0, (0.5, 0.5, 0.5)), (0.5, (1.0, 1.0, 1.0))))
    material.put(material.surface, "Base_Color", mix.outputs["Color"])
    material.bump(rush, 0.5, 0.0006)
    return material


def _marble(rng: Rng) -> _Material:
    base = _random_color(rng, (0.7, 0.68, 0.65), (0.5, 0.48, 0.45), (0.06, 0.065, 0.07))
    vein = _darker(base, 0.45) if base[0] > 0.2 else (0.4, 0.4, 0.38)
    material = _Material(Roughness=float(rng.uniform(0.08, 0.35)))
    cloud = material.node(
        "TexNoise", Vector=material.place(), Scale=float(rng.uniform(3, 8)), Detail=5.0, Distortion=2.5
    ).outputs["Fac"]
    material.put(
        material.surface,
        "Base_Color",
        material.ramp(cloud, (0.42, base), (0.49, vein), (0.53, base), (0.7, _darker(base, 0.85))),
    )
    return material


def _plain(rng: Rng) -> _Material:
    base = _random_color(rng, (0.03, 0.03, 0.03), (0.1, 0.09, 0.085), (0.75, 0.74, 0.7), (0.3, 0.32, 0.34))
    material = _Material(Roughness=float(rng.uniform(0.3, 0.9)))
    cloud = material.node("TexNoise", Vector=material.place(), Scale=9.0, Detail=4.0).outputs["Fac"]
    material.put(
        material.surface,
        "Base_Color",
        material.ramp(cloud, (0.3, _darker(base, 0.85)), (0.7, _darker(base, 1.15))),
    )
    return material


_TABLES: Final[dict[str, Callable[[Rng], _Material]]] = {
    "wood": _wood,
    "felt": _felt,
    "cloth": _cloth,
    "tatami": _tatami,
    "marble": _marble,
    "plain": _plain,
}


def _table(rng: Rng, top: str) -> None:
    bpy.ops.mesh.primitive_plane_add(size=6.0, rotation=(0, 0, rng.uniform(0, 2 * math.pi)))
    bpy.context.object.data.materials.append(_TABLES[top](rng).data)


def _slab(outline: Floats, thickness: float, side: _Material, top: _Material) -> Any:
    """Return an object with a convex outline (n x 2, mm), its upper side at height 0, extending ``thickness``
    mm down.
    """
    count = len(outline)
    mesh = bpy.data.meshes.new("slab")
    points = [(x * _MM, y * _MM, z * _MM) for z in (0.0, -thickness) for x, y in outline]
    walls = [(k, k + count, (k + 1) % count + count, (k + 1) % count) for k in range(count)]
    mesh.from_pydata(points, [], [tuple(range(count)), tuple(range(2 * count - 1, count - 1, -1)), *walls])
    mesh.materials.append(top.data)
    mesh.materials.append(side.data)
    for polygon in mesh.polygons:
        polygon.material_index = 0 if polygon.index == 0 else 1
    layer = mesh.uv_layers.new()
    low, span = outline.min(axis=0), np.ptp(outline, axis=0)
    for loop in mesh.loops:
        layer.data[loop.index].uv = (outline[loop.vertex_index % count] - low) / span
    slab = bpy.data.objects.new("slab", mesh)
    bpy.context.collection.objects.link(slab)
    return slab


def _add_cards(rng: Rng, cards: Sequence[tuple[Face, Pose]], rim: Floats) -> None:
    """Add the cards: one deck, so all have the same paper, edge color, gloss, and ink contrast."""
    edge = _Material(Base_Color=_EDGES[rng.integers(len(_EDGES))], Roughness=0.8)
    gloss = {
        "Roughness": float(rng.uniform(0.35, 0.7)),
        "Coat_Weight": float(rng.uniform(0.1, 0.8)),
        "Coat_Roughness": float(rng.uniform(0.15, 0.4)),
    }
    paper = rng.uniform(0.78, 0.92) * rng.uniform((0.97, 0.94, 0.86), (1.0, 1.0, 1.0))
    gamma, black_level = float(np.exp(rng.normal(0, 0.1))), rng.uniform(0.0, 0.06)
    emboss = float(rng.uniform(0, 0.25))
    printed: dict[int, _Material] = {}
    for face, pose in cards:
        if id(face) not in printed:
            printed[id(face)] = _printed(face, paper, gamma, black_level, emboss, gloss)
        card = _slab(rim, THICKNESS, edge, printed[id(face)])
        matrix = np.eye(4)
        matrix[:3, :3] = pose.axes.T
        matrix[:3, 3] = pose.center * _MM
        card.matrix_world = Matrix(matrix.tolist())


def _printed(
    face: Face, paper: Floats, gamma: float, black_level: float, emboss: float, gloss: dict[str, float]
) -> _Material:
    art = (face.art[-1][::-1, :, ::-1] / 255.0) ** gamma * (1 - black_level) + black_level
    pixels = np.ones((*art.shape[:2], 4), np.float32)
    pixels[..., :3] = art * paper
    image = bpy.data.images.new("art", art.shape[1], art.shape[0])
    image.pixels.foreach_set(pixels.ravel())
    image.update()
    material = _Material(**gloss)
    texture = material.node("TexImage", {"image": image, "extension": "EXTEND"})
    material.put(material.surface, "Base_Color", texture.outputs["Color"])
    grain = material.node("TexNoise", Vector=material.place(), Scale=2500.0).outputs["Fac"]
    material.bump(grain, emboss, 0.0001)
    return material


def _add_objects(rng: Rng, occupied: Floats) -> None:
    """Add up to three low objects beside the cards: a phone, a book, a box of cards, coins."""
    for _ in range(rng.integers(0, 4)):
        kind = rng.integers(4)
        if kind == 3:
            angle = np.linspace(0, 2 * np.pi, 32, endpoint=False)
            radius = rng.uniform(9, 14)
            shape, height = np.column_stack((np.cos(angle), np.sin(angle))) * radius, 1.8
            surface = {"Metallic": 1.0, "Roughness": 0.3}
            base = _random_color(rng, (0.7, 0.68, 0.62), (0.6, 0.4, 0.2))
        else:
            width, depth, height = ((72, 150, 8), (120, 175, 14), (60, 40, 18))[kind]
            shape = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)]) * (width / 2, depth / 2)
            surface = {"Roughness": (0.08, 0.6, 0.4)[kind]}
            base = _random_color(rng, (0.02, 0.02, 0.02), (0.6, 0.1, 0.1), (0.7, 0.7, 0.66), (0.1, 0.2, 0.4))
        radius = np.linalg.norm(shape, axis=1).max()
        position = rng.uniform((-380, -300), (380, 300))
        if np.linalg.norm(occupied - position, axis=1).min() < radius + np.hypot(*CARD_MM) / 2 + 1.5 * height:
            continue
        material = _Material(Base_Color=base, **surface)
        item = _slab(shape, height, material, material)
        item.matrix_world = Matrix.Translation((*(position * _MM), height * _MM)) @ Matrix.Rotation(
            rng.uniform(0, 6.28), 4, "Z"
        )


def _light(rng: Rng) -> None:
    """Light the table with lamps, a window, or the sun, sometimes with straight shadow edges."""
    source = rng.choice(("lamps", "window", "sun"))
    ambient = {
        "lamps": rng.uniform(0.05, 0.35),
        "window": rng.uniform(0.1, 0.3),
        "sun": rng.uniform(0.25, 0.5),
    }
    world = bpy.data.worlds.new("room")
    bpy.context.scene.world = world
    world.use_nodes = True
    background = world.node_tree.nodes["Background"]
    background.inputs["Color"].default_value = (*_tint(rng), 1.0)
    background.inputs["Strength"].default_value = ambient[str(source)] * _DAYLIGHT / math.pi
    direct = (1 - ambient[str(source)]) * _DAYLIGHT
    if source == "lamps":
        for fraction in rng.dirichlet(np.full(rng.integers(1, 4), 2.0)):
            distance, angle = rng.uniform(0.1, 1.2), rng.uniform(0, 2 * math.pi)
            position = (distance * math.cos(angle), distance * math.sin(angle), rng.uniform(0.9, 2.0))
            _lamp(rng, position, rng.uniform(0.04, 0.5), 1.0, direct * fraction)
    elif source == "window":
        angle, distance = rng.uniform(0, 2 * math.pi), rng.uniform(1.2, 2.2)
        position = (distance * math.cos(angle), distance * math.sin(angle), rng.uniform(0.8, 1.6))
        _lamp(rng, position, rng.uniform(0.6, 1.1), rng.uniform(0.8, 1.6), direct)
    else:
        sun = bpy.data.lights.new("sun", "SUN")
        sun.color, sun.angle = _tint(rng), math.radians(rng.uniform(0.5, 4))
        height, angle = math.radians(rng.uniform(30, 70)), rng.uniform(0, 2 * math.pi)
        towards = Vector(
            (math.cos(angle) * math.cos(height), math.sin(angle) * math.cos(height), math.sin(height))
        )
        sun.energy = direct / math.sin(height)
        _link(sun, towards * 3, Vector())
        if rng.random() < 0.7:
            _screen(rng, towards)


def _tint(rng: Rng) -> Color:
    red, green, blue = (_WARM + (_COOL - _WARM) * rng.uniform(0, 1)).tolist()
    return red, green, blue


def _lamp(rng: Rng, position: Color, width: float, aspect: float, irradiance: float) -> None:
    """Add an area lamp ``width`` m wide at ``position`` (m), aimed at the center of the table, with this irradiance
    there (W/m2).
    """
    lamp = bpy.data.lights.new("lamp", "AREA")
    lamp.shape, lamp.size, lamp.size_y = "RECTANGLE", width, width * aspect
    lamp.color = _tint(rng)
    distance = math.hypot(*position)
    lamp.energy = (
        irradiance * math.pi * distance**2 / (position[2] / distance)
    )  # a flat lamp follows Lambert's law
    _link(lamp, Vector(position), Vector((rng.uniform(-0.1, 0.1), rng.uniform(-0.1, 0.1), 0)))


def _screen(rng: Rng, towards: Vector) -> None:
    """Put an object with a straight edge in front of the sun, so that its shadow's edge falls among the
    cards.
    """
    bpy.ops.mesh.primitive_plane_add(size=1.0)
    screen = bpy.context.object
    side = towards.orthogonal().normalized()
    side.rotate(Matrix.Rotation(rng.uniform(0, 2 * math.pi), 3, towards))
    screen.matrix_world = (
        Matrix.Translation(towards * 1.5 + side * (0.5 + rng.uniform(-0.15, 0.1)))
        @ towards.to_track_quat("Z", "Y").to_matrix().to_4x4()
    )
    screen.visible_camera = screen.visible_diffuse = screen.visible_glossy = False


def _link(light: Any, position: Vector, target: Vector) -> None:
    light_object = bpy.data.objects.new("light", light)
    light_object.location = position
    light_object.rotation_mode = "QUATERNION"
    light_object.rotation_quaternion = (target - position).to_track_quat("-Z", "Y")
    bpy.context.collection.objects.link(light_object)


def _set_camera(rng: Rng, camera: CyclesCamera, cards: Sequence[tuple[Face, Pose]]) -> None:
    """Set the camera's pose, picture size, and depth of field (aperture of .5-2.5 mm)."""
    lens = bpy.data.cameras.new("camera")
    lens.sensor_fit = "HORIZONTAL"
    lens.angle = 2 * math.atan(camera.width / 2 / camera.focal)
    lens.clip_start = 0.01
    lens.dof.use_dof = True
    center = np.mean([pose.center for _, pose in cards], axis=0)
    lens.dof.focus_distance = float((center - camera.place) @ camera.axes[2]) * _MM
    lens.dof.aperture_fstop = lens.lens / rng.uniform(0.5, 2.5)
    camera_object = bpy.data.objects.new("camera", lens)
    matrix = np.eye(4)
    matrix[:3, :3] = (camera.axes * [[1], [-1], [-1]]).T  # Blender's cameras look along -z, y up
    matrix[:3, 3] = camera.place * _MM
    camera_object.matrix_world = Matrix(matrix.tolist())
    bpy.context.collection.objects.link(camera_object)
    scene = bpy.context.scene
    scene.camera = camera_object
    scene.render.resolution_x, scene.render.resolution_y = camera.width, camera.height
    scene.render.resolution_percentage = 100
