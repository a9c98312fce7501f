"""Optional steps of the recognition pipeline, which ``companion bench vision`` switches off one by one
(ablation).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PipelineSteps:
    """Which optional steps are executed; all of them by default.

    ``rectify``: read oblique photographs in a rectified view. ``second_look``: refine the corrected quad once
    more. ``sides``: for a card of which only a strip is visible, also try the position in which the strip is
    its opposite side. ``plane``: place covered corners by the fitted table plane. ``crossings``: move a strip
    to the other side where two cards would each cover the other. ``claims``: remove duplicate detections and
    detections with nothing on their hidden part. ``layers``: resolve uncertain mask cells by the order of the
    cards. ``mask``: give the visibility mask to the recognizer. ``both_ends``: recognize uncertain cards from
    both ends. ``paler``: recognize uncertain cards, if half visible, with reduced colors too. ``again``:
    recognize uncertain cards from shifted crops too. ``neighbors``: place uncertain cards relative to their
    neighbors, and accept faint detections that are recognized with confidence. ``pieces``: replace fragments
    of cards by the whole card.
    """

    rectify: bool = True
    second_look: bool = True
    sides: bool = True
    plane: bool = True
    crossings: bool = True
    claims: bool = True
    layers: bool = True
    mask: bool = True
    both_ends: bool = True
    paler: bool = True
    again: bool = True
    neighbors: bool = True
    pieces: bool = True


#: All optional steps.
ALL_STEPS = PipelineSteps()
