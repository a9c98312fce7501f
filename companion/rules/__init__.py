"""House rules as data: named options with a default, a sentence and a source; and the presets."""

from companion.rules.koikoi import OPTIONS, SECTIONS, BadRuleValueError, KoiKoiRules
from companion.rules.options import Option, Text
from companion.rules.presets import PRESET_TEXTS, PRESETS, UnknownPresetError, UnknownRuleError, resolve

__all__ = [
    "OPTIONS",
    "PRESETS",
    "PRESET_TEXTS",
    "SECTIONS",
    "BadRuleValueError",
    "KoiKoiRules",
    "Option",
    "Text",
    "UnknownPresetError",
    "UnknownRuleError",
    "resolve",
]
