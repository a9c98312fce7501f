"""The drawings of mekurifuda, kabufuda and western cards are those that their script writes."""

from companion.faces import FACES_DIR, drawing_of
from companion.hanafuda.cards import DECKS
from hanafuda_training.render.pack_faces import drawings


def test_the_files_are_the_drawings_of_the_script() -> None:
    drawn = dict(drawings())
    packs = ("mekurifuda", "kabufuda", "western")
    assert set(drawn) == {FACES_DIR / f"{drawing_of(card.id)}.svg" for pack in packs for card in DECKS[pack]}
    assert [path.name for path, svg in drawn.items() if path.read_text(encoding="utf-8") != svg] == []
