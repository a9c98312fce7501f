"""Reading ``truth.json`` in each of its forms, and the errors for invalid ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from hanafuda_training.benchmarks.ground_truth import BadTruthError, read_folders, same

QUAD = [[10, 10], [43, 10], [43, 64], [10, 64]]
CARD = {"card": "pine-crane", "quad": QUAD, "visible": 0.6}


def write(folder: Path, truth: Any, *pictures: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in pictures:
        (folder / name).write_bytes(b"")
    (folder / "truth.json").write_text(
        truth if isinstance(truth, str) else json.dumps(truth), encoding="utf-8"
    )
    return folder


def test_a_list_of_pictures_of_rendered_scenes(tmp_path: Path) -> None:
    cards = [{"zone": "field", **CARD}, {"zone": "stock", "card": "back", "quad": QUAD, "visible": 1}]
    entry = {"width": 1920, "height": 1080, "table": "wood", "cards": cards}
    write(tmp_path, [{"image": "a.jpg", **entry}, {"image": "b.jpg", **entry}], "a.jpg", "b.jpg")
    (folder,) = read_folders(tmp_path)
    assert [picture.path for picture in folder.pictures] == [tmp_path / "a.jpg", tmp_path / "b.jpg"]
    crane, back = folder.pictures[0].cards
    assert (crane.card, crane.visible, back.card, back.visible) == ("pine-crane", 0.6, "back", 1.0)
    assert crane.quad is not None
    assert crane.quad.tolist() == QUAD


def test_photographs_with_cards_given_by_a_point(tmp_path: Path) -> None:
    cards = [
        {"card": "07-?", "quad": None, "centre": [100.5, 55], "partial": False},
        {"card": "clover-boar", "quad": QUAD, "centre": [26, 37], "partial": True},
    ]
    write(tmp_path, [{"image": "heap.jpg", "cards": cards}], "heap.jpg")
    some, boar = read_folders(tmp_path)[0].pictures[0].cards
    assert (some.card, some.quad, some.center, some.visible) == ("07-?", None, (100.5, 55.0), None)
    assert boar.quad is not None


def test_frames_with_motion_are_omitted(tmp_path: Path) -> None:
    frames = [{"image": f"{k}.jpg", "cards": [CARD], "turn": k, "settled": k != 1} for k in range(3)]
    write(tmp_path, frames, "0.jpg", "1.jpg", "2.jpg")
    (folder,) = read_folders(tmp_path)
    assert [picture.path.name for picture in folder.pictures] == ["0.jpg", "2.jpg"]
    assert folder.moving == 1


def test_a_single_picture_needs_no_name(tmp_path: Path) -> None:
    write(tmp_path, {"cards": [CARD]}, "whatever.JPG")
    assert read_folders(tmp_path)[0].pictures[0].path.name == "whatever.JPG"


def test_unknown_cards_and_cards_of_other_packs(tmp_path: Path) -> None:
    cards = [{**CARD, "card": name} for name in (None, "clubs-3", "kabu-4-a", "onifuda")]
    write(tmp_path, {"image": "a.png", "cards": cards}, "a.png")
    read = read_folders(tmp_path)[0].pictures[0].cards
    assert [card.card for card in read] == [None, "clubs-3", "kabu-4-a", "onifuda"]


def test_subfolders_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b/deep", "a"):
        write(tmp_path / name, [{"image": "p.jpg", "cards": [CARD]}], "p.jpg")
    assert [folder.path.name for folder in read_folders(tmp_path)] == ["a", "deep"]


@pytest.mark.parametrize(
    ("count", "most", "names"),
    [(3, 5, "012"), (9, 3, "036"), (9, 1, "0"), (10, 4, "0257")],
)
def test_a_limit_takes_pictures_from_the_whole_folder(
    tmp_path: Path, count: int, most: int, names: str
) -> None:
    files = [f"{k}.jpg" for k in range(count)]
    write(tmp_path, [{"image": name, "cards": [CARD]} for name in files], *files)
    limited = read_folders(tmp_path)[0].limited(most)
    assert "".join(picture.path.stem for picture in limited.pictures) == names


def picture(**card: Any) -> list[dict[str, Any]]:
    return [{"image": "a.jpg", "cards": [{**CARD, **card}]}]


@pytest.mark.parametrize(
    ("truth", "says"),
    [
        ("{", "truth.json is not JSON"),
        ("3", "must contain a list"),
        ([3], "must contain a list"),
        ([], "lists no picture without motion"),
        ([{"image": "a.jpg", "cards": [CARD], "settled": False}], "lists no picture without motion"),
        ([{"image": "b.jpg", "cards": []}], "'b.jpg', but there is no such file"),
        ([{"image": 3, "cards": []}], "3, but there is no such file"),
        ([{"image": "a.jpg"}], "a.jpg has no list of cards"),
        ([{"image": "a.jpg", "cards": ["pine-crane"]}], "card 1 must be an object"),
        ([{"image": "a.jpg", "cards": [{"quad": QUAD}]}], "card 1 must be an object"),
        (picture(card="pine-crain"), "'pine-crain', which is not a card id"),
        (picture(card="13-?"), "'13-?', which is not a card id"),
        (picture(card=["pine-crane"]), "which is not a card id"),
        (picture(quad=QUAD[:3]), "neither a quad"),
        (picture(quad=[[1, 2], [3]]), "neither a quad"),
        (picture(quad=[[1, 2]] * 3 + [[1, float("nan")]]), "neither a quad"),
        (picture(visible=60), "visible fraction 60; it must be between"),
        (picture(visible="half"), "visible fraction 'half'"),
    ],
)
def test_the_error_for_an_invalid_truth_contains_the_value(tmp_path: Path, truth: Any, says: str) -> None:
    write(tmp_path, truth, "a.jpg")
    with pytest.raises(BadTruthError) as caught:
        read_folders(tmp_path)
    assert says in str(caught.value)
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize("pictures", [(), ("a.jpg", "b.png")])
def test_a_picture_without_a_name_must_be_the_only_one(tmp_path: Path, pictures: tuple[str, ...]) -> None:
    write(tmp_path, {"cards": [CARD]}, *pictures)
    with pytest.raises(
        BadTruthError, match=f"has no image, and the folder contains {len(pictures)} pictures"
    ):
        read_folders(tmp_path)


def test_a_missing_folder_a_file_and_a_missing_truth(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(b"")
    with pytest.raises(BadTruthError, match=r"nowhere does not exist"):
        read_folders(tmp_path / "nowhere")
    with pytest.raises(BadTruthError, match=r"a\.jpg is a file"):
        read_folders(tmp_path / "a.jpg")
    with pytest.raises(BadTruthError, match=r"there is no truth\.json in"):
        read_folders(tmp_path)


@pytest.mark.parametrize(
    ("result", "card", "right"),
    [
        ("pine-crane", "pine-crane", True),
        ("pine-crane", "pine-ribbon", False),
        ("pine-chaff-1", "pine-chaff-2", True),
        ("pine-chaff-1", "plum-chaff-1", False),
        ("paulownia-yellow", "paulownia-chaff-1", False),
        ("clover-boar", "07-?", True),
        ("clover-chaff-2", "07-?", True),
        ("iris-bridge", "07-?", False),
        ("clubs-7", "07-?", False),
        ("clubs-7", "clubs-7", True),
        ("clubs-7", "cups-7", False),
        ("kabu-7-a", "kabu-7-d", True),
        ("kabu-1-a", "kabu-10-a", False),
        ("kabu-7-a", "clubs-7", False),
        ("back", "back", True),
        ("back", "pine-crane", False),
        ("pine-crane", "back", False),
        ("back", "07-?", False),
        (None, "pine-crane", False),
        (None, None, False),
        ("pine-crane", None, False),
    ],
)
def test_comparison_of_twins_and_of_cards_with_known_month(
    result: str | None, card: str | None, right: bool
) -> None:
    assert same(result, card) is right
