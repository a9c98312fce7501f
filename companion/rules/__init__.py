"""House rules as data: named options with a default, a sentence and a source; and the presets."""

from companion.rules.kakkuri import KakkuriRules
from companion.rules.kekoro import KekoroRules
from companion.rules.kingo import KingoRules
from companion.rules.kingo_bank import KingoBankRules
from companion.rules.koikoi import KoiKoiRules
from companion.rules.options import Option, Text
from companion.rules.presets import PRESET_TEXTS, PRESETS, RECORDS, named
from companion.rules.record import BadRuleValueError, Rules
from companion.rules.requested import UnknownPresetError, UnknownRuleError, WrongGameError, resolve
from companion.rules.share import BadShareCodeError, NewerShareCodeError

__all__ = [
    "PRESETS",
    "PRESET_TEXTS",
    "RECORDS",
    "BadRuleValueError",
    "BadShareCodeError",
    "KakkuriRules",
    "KekoroRules",
    "KingoBankRules",
    "KingoRules",
    "KoiKoiRules",
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
