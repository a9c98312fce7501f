"""What the recogniser can say: the 48 hanafuda with twins merged, a back, and "none of these".

Twins (the plain chaff of a flower) are alike in play and often to the eye, so they share one kind.
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


#: Card ids of each hanafuda kind, in deck order: one id, or the two twins.
HANAFUDA_CLASSES: Final = _merge_twins()
#: Index of the kind of a card id.
CLASS_OF: Final = {card: index for index, cards in enumerate(HANAFUDA_CLASSES) for card in cards}
#: Class index of a face-down card.
BACK: Final = len(HANAFUDA_CLASSES)
#: Class index of everything else: other packs, blank cards, things that are no card.
UNKNOWN: Final = BACK + 1
#: Number of classes the recogniser tells apart.
CLASS_COUNT: Final = UNKNOWN + 1
