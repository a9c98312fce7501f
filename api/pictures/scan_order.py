"""The order to scan one picture: its file name, the expected deck, and the rules to score it with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from companion.hanafuda.cards import BACK, HANAFUDA
from companion.hanafuda.rules import Rules, resolve
from companion.store.scan_queue import ScanDraft
from vision.photograph.scan_result import ScanResult
from vision.pictures.picture_files import PictureFile

__all__ = ["ScanOrder"]

_HANAFUDA: Final = frozenset((*(card.id for card in HANAFUDA), BACK, None))


@dataclass(frozen=True, slots=True)
class ScanOrder:
    """One picture that somebody wants to have scanned."""

    image: str
    """The name of its file."""
    deck: str | None
    """None: detected."""
    rules: Rules | None
    """None: not scored."""
    actor: str

    def draft(self, result: ScanResult, file: PictureFile) -> ScanDraft:
        """Return what is stored; cards of other packs than hanafuda are not scored, because no game scores piles of them."""
        scored = self.rules is not None and _HANAFUDA.issuperset(each.card for each in result.cards)
        return ScanDraft(
            picture=file.data,
            media_type=file.media_type,
            image=self.image,
            reading=result.to_json(),
            settings={"rules": self.rules} if scored else {},
            actor=self.actor,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the order as JSON."""
        rules = self.rules and {
            "game": self.rules.game,
            "name": self.rules.name,
            "options": self.rules.to_dict(),
        }
        return {"image": self.image, "deck": self.deck, "rules": rules, "actor": self.actor}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> ScanOrder:
        """Return the order that `to_json` wrote."""
        stored = document["rules"]
        rules = stored and replace(resolve(stored["options"], stored["game"]), name=stored["name"])
        return cls(document["image"], document["deck"], rules, document["actor"])
