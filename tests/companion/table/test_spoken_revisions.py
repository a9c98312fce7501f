"""What a page says of a revision: the net change of each turn once, and nothing of the turns that are the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from companion.messages.catalog import catalog_source
from companion.table import NewEvent, Table
from companion.table.revisions import revision
from tests.companion.messages.javascript import evaluate
from tests.companion.table.fold_helpers import moved, opened, reported

Turn = tuple[tuple[int, str], ...]

FIELD = [
    "pine-ribbon",
    "plum-ribbon",
    "cherry-chaff-1",
    "iris-bridge",
    "peony-ribbon",
    "clover-boar",
    "susuki-geese",
    "maple-deer",
]
FIRST: Turn = ((1, "play pine-crane pine-ribbon"), (1, "draw maple-ribbon maple-deer"))
SECOND: Turn = ((2, "play plum-warbler plum-ribbon"), (2, "draw willow-swallow"))
EXCHANGED: Turn = ((2, "play willow-swallow"), (2, "draw plum-warbler plum-ribbon"))
THIRD: Turn = ((1, "play paulownia-phoenix"), (1, "draw willow-ribbon willow-swallow"))
FOURTH: Turn = ((2, "play cherry-ribbon cherry-chaff-1"), (2, "draw paulownia-chaff-1 paulownia-phoenix"))
SCRIPT = """
globalThis.document = { getElementById: () => ({ textContent: JSON.stringify({
  lang, catalog: `data:text/plain;charset=utf-8,${encodeURIComponent(catalog)}` }) }) };
globalThis.navigator ??= { languages: [lang] };
const { changesSaid, turnChanges } = await import(`${STATIC}/js/live/turn-changes.js`);
const { textOf } = await import(`${STATIC}/js/i18n.js`);
answer = groups.map(([events, before, after]) => {
  const { changes, played } = turnChanges(events, before, after);
  return [...changesSaid(changes), ...played.map(({ says }) => textOf(says))];
});
"""


def reports(turns: Sequence[Turn]) -> list[NewEvent]:
    return [moved(player, words) for turn in turns for player, words in turn]


def watched(turns: Sequence[Turn]) -> Table:
    table = opened("koikoi")
    reported(table, NewEvent("dealt", {"deal": {"field": FIELD}, "dealer": 1}))
    for turn in turns:
        reported(table, *reports([turn]), source="camera")
    return table


def change(table: Table, *events: NewEvent, source: Any = "camera") -> list[Any]:
    """Append a group and return what a page knows of it: its events, and the states before and after."""
    before = table.view()
    appended = reported(table, *events, source=source)
    return [[event.to_json() for event in appended], before, table.view()]


def revised(before: Sequence[Turn], after: Sequence[Turn]) -> list[Any]:
    table = watched(before)
    assert table.live is not None
    return change(table, *revision(table.live, reports(after)))


def spoken(*groups: Any, language: str = "en") -> list[list[str]]:
    return list(evaluate(SCRIPT, groups=groups, lang=language, catalog=catalog_source(language)))


def test_a_page_says_the_net_change_of_a_group_once() -> None:
    played = [FIRST, SECOND, THIRD, FOURTH]
    other_end: Turn = (FOURTH[0], (2, "draw susuki-moon susuki-geese"))
    assert spoken(
        revised(played, [FIRST, EXCHANGED, THIRD, FOURTH]),
        revised(played, [FIRST, EXCHANGED, THIRD, other_end]),
        revised([FIRST, SECOND, THIRD], [FIRST, SECOND, THIRD, FOURTH]),
        revised([FIRST, SECOND], [FIRST, EXCHANGED, THIRD]),
        revised(played, played[:3]),
        revised([FIRST, other_end], [FIRST, SECOND, THIRD, other_end]),
    ) == [
        ["Turn 2 corrected: Ben plays Swallow; draws Bush Warbler and takes Plum Poetry Ribbon"],
        ["Turns 2 and 4 corrected"],
        ["Ben plays Cherry Poetry Ribbon and takes Cherry Chaff; draws Paulownia Chaff and takes Phoenix"],
        [
            "Turn 2 corrected: Ben plays Swallow; draws Bush Warbler and takes Plum Poetry Ribbon",
            "Aiko plays Phoenix; draws Willow Ribbon and takes Swallow",
        ],
        [
            "Turn 4 deleted: Ben plays Cherry Poetry Ribbon and takes Cherry Chaff; draws Paulownia Chaff and takes Phoenix"
        ],
        ["Turns 2 and 3 corrected"],
    ]


def test_a_turn_that_reads_the_same_is_not_announced() -> None:
    table = watched([])
    doubtful = [moved(*FIRST[0]), moved(*FIRST[1], order=0.5)]
    reported(table, *doubtful, *reports([SECOND]), source="camera")
    assert table.live is not None
    settled = revision(table.live, reports([FIRST, SECOND]))
    assert [event.data["of"] for event in settled] == [4]
    wrong_and_back = [
        NewEvent("corrected", {"of": 6, "kind": "moved", "data": moved(2, words).data})
        for words in ("draw willow-ribbon", SECOND[1][1])
    ]
    assert spoken(change(table, *settled), change(table, *wrong_and_back)) == [[], []]


def test_a_missed_turn_of_a_person_is_added() -> None:
    table = watched([FIRST])
    reported(table, moved(1, "play willow-ribbon", unchecked=True), source="camera")
    missed = NewEvent("inserted", {"before": 5, "kind": "moved", "data": moved(2, SECOND[0][1]).data})
    assert spoken(change(table, missed, source="phone")) == [
        ["Turn 2 added: Ben plays Bush Warbler and takes Plum Poetry Ribbon"]
    ]


@pytest.mark.parametrize(
    ("language", "one", "several"),
    [
        ("ja", "2番目の手番を訂正：", "手番を訂正：1と2番目"),
        ("ko", "2번째 차례를 고쳤어요: ", "고친 차례: 1, 2"),
    ],
)
def test_the_sentences_in_other_languages(language: str, one: str, several: str) -> None:
    first: Turn = ((1, "play maple-ribbon maple-deer"), (1, "draw pine-crane pine-ribbon"))
    (single,), both = spoken(
        revised([FIRST, SECOND], [FIRST, EXCHANGED]),
        revised([FIRST, SECOND], [first, EXCHANGED]),
        language=language,
    )
    assert single.startswith(one)
    assert both == [several]
