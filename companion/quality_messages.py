"""What is wrong with a photograph and what to do, in sentences for the person at the table, English and Japanese."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from companion.hanafuda.messages import Message
from companion.hanafuda.rules import Text

__all__ = ["QUALITY_MESSAGES", "QualityFinding", "quality_message"]

QUALITY_MESSAGES: Final[Mapping[str, Message]] = {
    "photo-blurred": Text(
        "The photo is blurred. Hold the phone still with both hands, or rest it on something, and take it again.",
        "写真がぶれています。両手でしっかり持つか、何かに載せて撮り直してください。",
    ),
    "photo-dark": Text(
        "The photo is too dark. Switch on a light or move closer to one, and take it again.",
        "写真が暗すぎます。明かりをつけるか、明るい所で撮り直してください。",
    ),
    "photo-glare": Text(
        "Light is reflected on {cards} unrecognized card(s). Move the phone or the lamp a little, and take the photo again.",
        "読めない札{cards}枚に光が反射しています。スマホか照明の位置を少し変えて撮り直してください。",
    ),
    "photo-cards-small": Text(
        "Unrecognized cards are only {px} pixels wide; they need 28. Move closer, or take two photos.",
        "読めない札の幅が{px}ピクセルしかありません（28必要です）。近づくか、二枚に分けて撮ってください。",
    ),
    "photo-oblique": Text(
        "The photo was taken {tilt}° from straight above, so distant cards are hardly visible. Hold the phone higher over the table.",
        "真上から{tilt}°傾いているため、遠い札がよく写っていません。もっと上から撮ってください。",
    ),
}
"""By code, with places for the params."""


def quality_message(code: str, params: Mapping[str, float]) -> Message:
    """Return the message of a finding in both languages."""
    text = QUALITY_MESSAGES[code]
    return Text(text.en.format(**params), text.ja.format(**params))


@dataclass(frozen=True, slots=True)
class QualityFinding:
    """One reason why cards were not recognized: a stable ``code`` and the figures of its message."""

    code: str
    params: Mapping[str, float]

    def to_json(self) -> dict[str, Any]:
        """Return it as the contract has messages: code, params, and the text in both languages."""
        return {
            "code": self.code,
            "params": dict(self.params),
            "message": quality_message(self.code, self.params).to_dict(),
        }
