"""Simulated rounds as a camera would see them: card faces, hands, lighting and untidy tables, drawn with OpenCV.

``python -m vision.demo --seed 7 --out DIR`` writes one in the format of a recorded table.
"""

from vision.demo.demo_source import DemoSource, source
from vision.demo.round_frames import DemoFrame, render, write
from vision.demo.stage import Manner

__all__ = ["DemoFrame", "DemoSource", "Manner", "render", "source", "write"]
