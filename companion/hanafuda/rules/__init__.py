"""House rules as data: named options with a default, a text and a source; and presets."""

from companion.hanafuda.rules.options import Option, Text
from companion.hanafuda.rules.presets import PRESETS, named
from companion.hanafuda.rules.record import BadRuleValueError, Rules
from companion.hanafuda.rules.requested import UnknownPresetError, UnknownRuleError, WrongGameError, resolve
from companion.hanafuda.rules.share import BadShareCodeError, NewerShareCodeError

__all__ = [
    "PRESETS",
    "BadRuleValueError",
    "BadShareCodeError",
    "NewerShareCodeError",
    "Option",
    "Rules",
    "Text",
    "UnknownPresetError",
    "UnknownRuleError",
    "WrongGameError",
    "named",
    "resolve",
]
