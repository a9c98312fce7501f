"""Optional steps of the recognition pipeline, which ``companion bench vision`` switches off one by one
(ablation).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PipelineSteps:
    """Which optional steps are executed; all of them by default.

    ``rectify``: read oblique photographs in a rectified view. ``refine_twice``: refine the corrected quad once
    more. ``opposite_sides``: for a card of which only a strip is visible, also try the position in which the strip is
    its opposite side. ``plane``: place covered corners by the fitted table plane. ``order_conflicts``: move a strip
    to the other side where two cards would each cover the other. ``duplicates``: remove duplicate detections and
    detections with nothing on their hidden part. ``mask_order``: resolve uncertain mask cells by the order of the
    cards. ``mask``: give the visibility mask to the recognizer. ``both_ends``: recognize uncertain cards from
    both ends. ``half_gray``: recognize uncertain cards, if half visible, with reduced colors too. ``shifted_crops``:
    recognize uncertain cards from shifted crops too. ``neighbors``: place uncertain cards relative to their
    neighbors, and accept faint detections that are recognized with confidence. ``fragments``: replace fragments
    of cards by the whole card.
    """

    rectify: bool = True
    refine_twice: bool = True
    opposite_sides: bool = True
    plane: bool = True
    order_conflicts: bool = True
    duplicates: bool = True
    mask_order: bool = True
    mask: bool = True
    both_ends: bool = True
    half_gray: bool = True
    shifted_crops: bool = True
    neighbors: bool = True
    fragments: bool = True


#: All optional steps.
ALL_STEPS = PipelineSteps()
