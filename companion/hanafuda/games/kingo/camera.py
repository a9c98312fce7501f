"""Where a camera finds the cards of Kingo: a draw pile in the middle, and hands shown at the showdown."""

from __future__ import annotations

from ...description import Camera

__all__ = ["CAMERA"]

CAMERA = Camera(
    layout="around-stock",
    scanned="hand",
    zones=lambda played: {},
    referee="companion.referee.kingo_referee:KingoReferee",
)
