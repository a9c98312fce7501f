"""Where a camera finds the cards of Kingo: a stock in the middle, and hands that are laid down at the showdown."""

from __future__ import annotations

from companion.hanafuda.description import Camera

__all__ = ["CAMERA"]

CAMERA = Camera(
    layout="around-stock",
    scanned="hand",
    zones=lambda played: {},
    referee="companion.referee.kingo_referee:KingoReferee",
)
