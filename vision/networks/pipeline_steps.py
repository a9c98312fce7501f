"""The steps of a reading that can be left out, to measure what each is worth."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PipelineSteps:
    """Which steps are taken; all of them, except where ``companion bench vision`` leaves one out.

    ``rectify``: photographs taken at an angle are read in a view from above. ``second_look``: the refiner looks again at the corrected quad. ``sides``: a card of which a strip shows is looked for on
    the strip's other side too. ``plane``: covered corners are put where the whole cards say. ``crossings``: a strip is put on
    its other side where two cards would else lie over one another. ``claims``: what was found twice, or lies bare, is
    dropped. ``layers``: where a visible part is unsure, the order of the cards decides. ``mask``: the recogniser is told
    which pixels show the card. ``both_ends``: unsure cards are read from the other end too. ``paler``: and,
    where half of them shows, with paler colours. ``again``: and from a little beside. ``neighbours``: cards still in doubt are looked for where they would lie as those beside them do, and faint
    finds taken that are plainly read. ``pieces``: what is too short is read again as the whole card that it is a piece of.
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
    neighbours: bool = True
    pieces: bool = True


ALL_STEPS = PipelineSteps()
