"""House rules as data: named options with a default, a text and a source; and presets."""

from .options import Option
from .presets import PRESETS, named
from .record import BadRuleValueError, Rules
from .requested import UnknownPresetError, UnknownRuleError, WrongGameError, resolve
from .share import BadShareCodeError, NewerShareCodeError

__all__ = [
    "PRESETS",
    "BadRuleValueError",
    "BadShareCodeError",
    "NewerShareCodeError",
    "Option",
    "Rules",
    "UnknownPresetError",
    "UnknownRuleError",
    "WrongGameError",
    "named",
    "resolve",
]
