"""Class indices of the recognizer: the 48 hanafuda with twins merged, a card back, and "unknown".

Twins (the two plain chaff cards of a flower) are equal in play and often look the same, so they share a
class.
"""

from __future__ import annotations

from typing import Final

from companion.hanafuda.cards import HANAFUDA, twin


def _merge_twins() -> tuple[tuple[str, ...], ...]:
    classes: list[tuple[str, ...]] = []
    seen: set[str] = set()
    for card in HANAFUDA:
        if card.id in seen:
            continue
        other = twin(card.id)
        classes.append((card.id,) if other is None else (card.id, other))
        seen.update(classes[-1])
    return tuple(classes)


#: Card ids of each hanafuda class, in deck order: one id, or the ids of two twins.
HANAFUDA_CLASSES: Final = _merge_twins()
#: Class index of each card id.
CLASS_OF: Final = {card: index for index, cards in enumerate(HANAFUDA_CLASSES) for card in cards}
#: Class index of a face-down card.
BACK: Final = len(HANAFUDA_CLASSES)
#: Class index of everything else: cards of other packs, blank cards, objects that are not cards.
UNKNOWN: Final = BACK + 1
#: Number of classes.
CLASS_COUNT: Final = UNKNOWN + 1
