"""House rules as data: named options with a default, a sentence and a source; and the presets."""

from companion.hanafuda.games.kakkuri.rules import KakkuriRules
from companion.hanafuda.games.kekoro.rules import KekoroRules
from companion.hanafuda.games.kingo.rules import KingoRules
from companion.hanafuda.games.kingo.bank_rules import KingoBankRules
from companion.hanafuda.games.koikoi.rules import KoiKoiRules
from companion.hanafuda.rules.options import Option, Text
from companion.hanafuda.rules.presets import PRESET_TEXTS, PRESETS, RECORDS, named
from companion.hanafuda.rules.record import BadRuleValueError, Rules
from companion.hanafuda.rules.requested import UnknownPresetError, UnknownRuleError, WrongGameError, resolve
from companion.hanafuda.rules.share import BadShareCodeError, NewerShareCodeError

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
