"""Imaging effects of the camera on a lit scene; JPEG artifacts are added when the scene is stored."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hanafuda_training.render.scene_factors import NamedGenerators, SceneFactors

Image = NDArray[np.uint8]
Rng = np.random.Generator


def simulate_sensor(dice: NamedGenerators, factors: SceneFactors, image: Image) -> Image:
    """Apply resolution loss, defocus, motion blur, moiré, exposure, sharpening and noise."""
    rng = dice.of("resize")
    if rng.random() < 0.25 * factors.resize:
        image = _lose_resolution(rng, image)
    rng = dice.of("blur")
    if rng.random() < 0.5 * factors.blur:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), factors.blur * rng.uniform(0.3, 1.5)), np.uint8)
    rng = dice.of("motion")
    if rng.random() < 0.1 * factors.motion:
        image = _motion_blur(rng, image)
    rng = dice.of("moire")
    if rng.random() < 0.05 * factors.moire:
        image = _add_moire(rng, image)
    if factors.exposure:
        image = _apply_exposure(dice.of("exposure"), image, factors.exposure)
    rng = dice.of("sharpening")
    if rng.random() < 0.25 * factors.sharpening:
        soft = cv2.GaussianBlur(image, (0, 0), 1.2)
        amount = rng.uniform(0.3, 1.5) * factors.sharpening
        image = np.asarray(cv2.addWeighted(image, 1 + amount, soft, -amount, 0), np.uint8)
    rng = dice.of("noise")
    if rng.random() < 0.7 * factors.noise:
        noise = np.empty(image.shape, np.int16)
        cv2.setRNGSeed(int(rng.integers(2**31)))
        cv2.randn(noise, np.zeros(3), np.full(3, factors.noise * rng.uniform(0.5, 9)))
        if rng.random() < 0.3:  # spatially correlated noise of small sensors
            noise = np.asarray(cv2.blur(noise, (3, 3)), np.int16) * 2
        image = np.asarray(cv2.add(image, noise, dtype=cv2.CV_8U), np.uint8)
    return image


def _lose_resolution(rng: Rng, image: Image) -> Image:
    """Scale the picture down and up again, like an enlarged 480p webcam picture."""
    height, width = image.shape[:2]
    factor = rng.uniform(0.45, 0.95)
    down = (cv2.INTER_AREA, cv2.INTER_LINEAR, cv2.INTER_NEAREST)[rng.choice(3, p=(0.6, 0.3, 0.1))]
    up = (cv2.INTER_LINEAR, cv2.INTER_CUBIC)[rng.integers(2)]
    small = cv2.resize(image, (int(width * factor), int(height * factor)), interpolation=down)
    return np.asarray(cv2.resize(small, (width, height), interpolation=up), np.uint8)


def _motion_blur(rng: Rng, image: Image) -> Image:
    length = int(rng.integers(2, 7))
    kernel = np.zeros((7, 7), np.float32)
    angle = rng.uniform(0, np.pi)
    step = np.array((np.cos(angle), np.sin(angle))) * length / 2
    cv2.line(kernel, (3 - step).round().astype(int).tolist(), (3 + step).round().astype(int).tolist(), 1.0)
    return np.asarray(cv2.filter2D(image, -1, kernel / kernel.sum()), np.uint8)


def _add_moire(rng: Rng, image: Image) -> Image:
    """Add faint curved stripes, shifted between the color channels."""
    height, width = image.shape[:2]
    angle, period = rng.uniform(0, 2 * np.pi), rng.uniform(3, 30)
    xs = np.arange(width, dtype=np.float32)[None, :] * np.float32(np.cos(angle) / period)
    ys = np.arange(height, dtype=np.float32)[:, None] * np.float32(np.sin(angle) / period)
    curvature = np.float32(rng.normal(0, 1)) * (xs / width * period) * (ys / height * period)
    phase = 2 * np.pi * (xs + ys + curvature)
    depth = np.float32(rng.uniform(3, 14))
    stripes = [(depth * np.sin(phase + shift)).astype(np.int16) for shift in rng.uniform(0, 2.5, 3)]
    return np.asarray(cv2.add(image, cv2.merge(stripes), dtype=cv2.CV_8U), np.uint8)


def _apply_exposure(rng: Rng, image: Image, strength: float) -> Image:
    """Apply gamma, gain, offset and a white balance of ±15 % as a curve for each channel."""
    gamma = np.exp(rng.normal(0, 0.18) * strength)
    gain = 1 + strength * rng.uniform(-0.15, 0.25)
    lift = strength * rng.uniform(-12, 14)
    balance = 1 + strength * (rng.uniform(-0.15, 0.15, 3) if rng.random() < 0.4 else np.zeros(3))
    ramp = (np.arange(256) / 255) ** gamma * gain * 255 + lift
    curve = np.clip(ramp[:, None] * balance, 0, 255).astype(np.uint8).reshape(256, 1, 3)
    return np.asarray(cv2.LUT(image, curve), np.uint8)
