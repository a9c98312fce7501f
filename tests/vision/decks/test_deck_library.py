"""The known decks, and which of them is on the table."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from companion.store import DocumentStore, LogReadError, open_documents
from tests.message_text import raises_text
from tests.vision.drawn_decks import PixelRecognizer, a_deck, drawn, seen, uncovered
from vision.decks.deck_choice import GENERIC, KnownDecks
from vision.decks.deck_errors import DeckFileError, DeckNameError, DeckTakenError, UnknownDeckError
from vision.decks.deck_library import DeckLibrary
from vision.decks.deck_profile import DeckProfile
from vision.networks.class_ids import HANAFUDA_CLASSES, UNKNOWN


@pytest.fixture
def library(tmp_path: Path) -> DeckLibrary:
    """Return a library with one shipped deck, ``ours``, in an otherwise empty folder."""
    replace(a_deck(seed=20), name="ours").save(tmp_path / "shipped" / "decks" / "ours.deck")
    return DeckLibrary(open_documents(tmp_path / "enrolled"), open_documents(tmp_path / "shipped"))


def called(name: str, seed: int = 1, **deck: object) -> DeckProfile:
    return replace(a_deck(seed=seed, **deck), name=name)


def test_an_enrolled_deck_is_known_and_can_be_removed(library: DeckLibrary):
    path = library.add(called("mine"))
    assert list(library.known) == ["ours", "mine"]
    assert not library.known["mine"].shipped
    assert library.forget("mine") == path
    assert list(library.known) == ["ours"]


def test_enrolling_a_deck_again_replaces_it(library: DeckLibrary):
    library.add(called("Mine"))
    library.add(called("mine", seed=2))
    assert list(library.known) == ["ours", "mine"]
    assert len(list(Path(library.known["mine"].location).parent.iterdir())) == 1


@pytest.fixture(params=["files", "rows"])
def documents(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], DocumentStore]:
    """Return what opens the documents of one server process: those of a folder, or of a database that others use, too."""
    if request.param == "files":
        files = open_documents(tmp_path)
        return lambda: files
    pytest.importorskip("psycopg")
    from companion.store.documents import DocumentRows  # noqa: PLC0415  # optional

    url = request.getfixturevalue("postgres_url")
    return lambda: DocumentRows(url)


@pytest.mark.parametrize("other", ["club", "Club"])
def test_of_two_people_who_store_a_name_at_the_same_time_no_one_is_overwritten(
    documents: Callable[[], DocumentStore], monkeypatch: pytest.MonkeyPatch, other: str
):
    both, to_bytes = threading.Barrier(2), DeckProfile.to_bytes

    def to_bytes_of_both(profile: DeckProfile) -> bytes:
        both.wait(60)  # both have found that the name is free
        return to_bytes(profile)

    def store(profile: DeckProfile) -> str | None:
        try:
            DeckLibrary(documents()).add(profile, instead=False)
        except DeckTakenError:
            return None
        return profile.source

    monkeypatch.setattr(DeckProfile, "to_bytes", to_bytes_of_both)
    with ThreadPoolExecutor(2) as threads:
        profiles = replace(called("club"), source="Aya"), replace(called(other), source="Bo")
        stored = [source for source in threads.map(store, profiles) if source]
    kept = [
        deck.profile and deck.profile.source
        for deck in DeckLibrary(documents()).known.values()
        if not deck.shipped
    ]
    assert kept == stored  # its sender got the answer that it is stored
    assert len(stored) == 1 or (other == "Club" and not stored)


@pytest.mark.parametrize("name", ["ours", "OURS"])
def test_shipped_decks_keep_their_names(library: DeckLibrary, name: str):
    with raises_text(DeckNameError, match="comes with the program"):
        library.add(called(name))
    if name == "ours":
        with raises_text(DeckNameError, match="built in"):
            library.forget(name)


def test_known_decks_stay_known_while_the_database_is_away(
    library: DeckLibrary, monkeypatch: pytest.MonkeyPatch
):
    library.add(called("mine"))
    known = library.known

    def away(kind: str) -> dict[str, str]:
        raise LogReadError("the database does not answer")

    monkeypatch.setattr(library._enrolled, "versions", away)
    assert library.known == known
    with pytest.raises(LogReadError):
        _ = DeckLibrary(library._enrolled).known
    monkeypatch.undo()
    library.forget("mine")
    assert list(library.known) == ["ours"]


def test_a_file_added_by_another_program_is_known_at_once_by_its_name(library: DeckLibrary, tmp_path: Path):
    assert list(library.known) == ["ours"]
    called("gift").save(tmp_path / "enrolled" / "decks" / "from-anna.deck")
    assert library.known["from-anna"].profile is not None
    assert library.profile("from-anna").name == "from-anna"


def test_a_damaged_file_is_reported_and_has_no_other_effect(library: DeckLibrary, tmp_path: Path):
    (tmp_path / "enrolled" / "decks").mkdir(parents=True)
    (tmp_path / "enrolled" / "decks" / "broken.deck").write_bytes(b"PK")
    decks = KnownDecks(library, PixelRecognizer())
    assert library.known["broken"].problem
    with pytest.raises(DeckFileError):
        library.profile("broken")
    with raises_text(UnknownDeckError, match="'broken' cannot be used"):
        decks.check("broken")
    decks.check("ours")


def test_the_error_for_an_unknown_deck_lists_the_known_decks(library: DeckLibrary):
    with raises_text(UnknownDeckError, match=r"no deck 'tarot' here; known decks: hanafuda.*, ours"):
        KnownDecks(library, PixelRecognizer()).check("tarot")
    with raises_text(UnknownDeckError, match="no deck 'tarot'"):
        library.forget("tarot")


def test_without_a_writable_folder_nothing_is_saved(tmp_path: Path):
    with raises_text(DeckNameError, match="no folder"):
        DeckLibrary(None, open_documents(tmp_path)).add(called("mine"))


def test_another_recognizer_uses_decks_with_pictures_only(library: DeckLibrary, tmp_path: Path):
    library.add(called("mine"))
    called("bare").without_pictures().save(tmp_path / "enrolled" / "decks" / "bare.deck")
    other = KnownDecks(library, PixelRecognizer("newer", seed=9))
    other.check("mine")
    with raises_text(UnknownDeckError, match="other weights"):
        other.check("bare")


def test_the_deck_on_the_table_is_chosen(library: DeckLibrary):
    library.add(called("mine", seed=1))
    library.add(called("other", seed=2))
    decks = KnownDecks(library, PixelRecognizer())
    for name, seed in (("ours", 20), ("mine", 1), ("other", 2)):
        cards = seen(uncovered(drawn(seed, 8)))
        chosen, named = decks.classify(cards, np.ones(8, np.float32))
        assert chosen == name
        assert named.posterior.argmax(axis=1).tolist() == list(range(8))


def test_without_a_known_deck_the_traditional_patterns_are_used(library: DeckLibrary):
    cards = seen(uncovered(drawn(55, 6)))
    cards.own[:, 3], cards.own[:, UNKNOWN] = 0.9, 0.05
    decks = KnownDecks(library, PixelRecognizer())
    chosen, named = decks.classify(cards, np.ones(6, np.float32))
    assert chosen == GENERIC
    assert named.classes == HANAFUDA_CLASSES
    assert (named.posterior.argmax(axis=1) == 3).all()


def test_a_requested_pack_uses_its_nearest_deck(library: DeckLibrary):
    library.add(called("mine", seed=1, pack="kabufuda"))
    decks = KnownDecks(library, PixelRecognizer())
    cards = seen(uncovered(drawn(1, 8)))
    assert decks.classify(cards, np.ones(8, np.float32), "kabufuda")[0] == "mine"
    assert decks.classify(cards, np.ones(8, np.float32), "mekurifuda")[0] == "ours"
    assert decks.classify(cards, np.ones(8, np.float32), "ours")[0] == "ours"


def test_the_unknown_probability_of_shipped_hanafuda_decks_comes_from_the_recognizer(
    library: DeckLibrary, tmp_path: Path
):
    """For enrolled decks it comes from the pictures; the recognizer knows no other patterns."""
    known = replace(called("known", seed=3), trust=1.0)
    known.without_pictures().save(tmp_path / "shipped" / "decks" / "known.deck")
    replace(called("odd", seed=4), trust=0.5).without_pictures().save(
        tmp_path / "shipped" / "decks" / "odd.deck"
    )
    library.add(replace(called("mine", seed=5), trust=1.0))
    cards = seen(uncovered(drawn(3, 3)))
    cards.own[:, UNKNOWN] = 0.05, 0.19, 0.3
    decks = KnownDecks(library, PixelRecognizer())
    assert decks.possible_false_positives("known", cards).tolist() == [False, False, True]
    for name in ("odd", "mine", GENERIC):
        assert not decks.possible_false_positives(name, cards).any()


def test_without_cards_there_is_no_deck(library: DeckLibrary):
    nothing = seen(np.zeros((0, 96, 64, 4), np.uint8))
    chosen, named = KnownDecks(library, PixelRecognizer()).classify(nothing, np.zeros(0, np.float32))
    assert chosen == GENERIC
    assert len(named.posterior) == 0


def test_uncertain_cards_of_another_pack_are_classified_by_the_deck_on_the_table(library: DeckLibrary):
    cards = seen(uncovered(drawn(20, 8)))
    decks = KnownDecks(library, PixelRecognizer())
    named = decks.named(cards, decks.provisional(cards, np.ones(8, np.float32)))
    assert named.posterior.argmax(axis=1).tolist() == list(range(8))
    assert named.classes != HANAFUDA_CLASSES


@pytest.mark.parametrize(("plain", "generic"), [(8, True), (5, True), (4, False), (0, False)])
def test_uncertain_traditional_cards_are_classified_by_their_patterns(
    library: DeckLibrary, plain: int, generic: bool
):
    cards = seen(uncovered(drawn(20, 8)))
    cards.own[:plain, 3], cards.own[:plain, UNKNOWN] = 0.9, 0.05
    decks = KnownDecks(library, PixelRecognizer())
    named = decks.named(cards, decks.provisional(cards, np.ones(8, np.float32)))
    assert (named.classes == HANAFUDA_CLASSES) is generic


def test_uncertain_hanafuda_are_classified_by_the_patterns_for_every_requested_deck(library: DeckLibrary):
    library.add(called("blossoms", seed=3, pack="hanafuda"))
    cards = seen(uncovered(drawn(3, 8)))
    decks = KnownDecks(library, PixelRecognizer())
    for deck in ("blossoms", None):
        assert decks.provisional(cards, np.ones(8, np.float32), deck) == GENERIC
    with pytest.raises(UnknownDeckError):
        decks.provisional(cards, np.ones(8, np.float32), "tarot")
