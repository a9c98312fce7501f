"""Give everything that reads foreign bytes bytes that nobody meant to send.

    python -m tests.fuzz.fuzz_parsers events --minutes 10

Atheris (libFuzzer) chooses the inputs where it is installed, and plain mutations of the seeds where it is not. An input may end
in the errors that the reader documents, and in nothing else; each has a limit of time and of memory. An input that breaks this
is written to the folder of --crashes, and `--input FILE` gives it to the harness again.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import hashlib
import io
import json
import random
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

try:
    import atheris
except ImportError:  # it has no wheel for every system
    atheris = None

SLOW_S: Final = 10.0
"""An input that takes more CPU time is a finding, s; one that hangs ends the run after ten times as long."""
MAX_MB: Final = 2048
"""Memory limit of the process, bytes; a picture of 50 megapixels, the largest allowed, needs 350 MB."""
MAX_INPUT: Final = 2**17
"""Maximum size of an input, bytes: that of a deck file."""

Consume = Callable[[bytes], None]
Mutate = Callable[[bytes, random.Random], bytes]


@dataclass(frozen=True, slots=True)
class Harness:
    """A parser and its seeds."""

    consume: Consume
    """Reads an input; raises where the reader does what it does not document."""
    seeds: Sequence[bytes]
    mutate: Mutate
    """Makes another input of one."""


# --- mutations

_INTEGERS: Final = (
    b"\0",
    b"\xff",
    b"\x7f\xff\xff\xff",
    b"\xff\xff\xff\xff",
    b"\x00\x00\x00\x80",
    b"\xed\xa0\x80",
)


def mutate_bytes(data: bytes, rng: random.Random) -> bytes:
    """Change some bytes: flip, delete, repeat, insert, cut."""
    found = bytearray(data or b"\0")
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        at = rng.randrange(len(found) + 1)
        end = min(len(found), at + rng.choice((1, 2, 4, 16, 256)))
        match rng.randrange(6):
            case 0 if at < len(found):
                found[at] ^= 1 << rng.randrange(8)
            case 1:
                del found[at:end]
            case 2:
                found[at:at] = found[at:end] * rng.choice((1, 2, 30))
            case 3:
                found[at:end] = rng.choice(_INTEGERS)
            case 4:
                found[at:end] = rng.randbytes(end - at)
            case _:
                del found[rng.randrange(len(found) + 1) :]
        found = found or bytearray(b"\0")
    return bytes(found[:MAX_INPUT])


_VALUES: Final[tuple[Any, ...]] = (
    None, True, False, 0, 1, -1, 2, 3, 7, 13, 48, 2**31, 2**53, -(2**63), 0.5, -0.0, 1e308, "", "1", "2", "?", "back", "play",
    "draw", "call", "koikoi", "stop", "win", "pass", "discard", "as", "wager", "show", "pine-crane", "pine-chaff-1", "clubs-1",
    "onifuda", "kabu-1-a", "C1", "\0", "\x1b[2J", "x" * 50, "札" * 9, [], {}, [[]], [None] * 60, {"1": []}, "standard", "undone",
    "corrected", "inserted", "moved", "dealt", "opened", "asked", "unchecked", "others", "laid", "unfinished", "bareta",
)  # fmt: skip


def mutate_json(data: bytes, rng: random.Random) -> bytes:
    """Change a JSON document at some places; other inputs are changed as bytes."""
    if rng.randrange(12) == 0:
        return mutate_bytes(data, rng)
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return mutate_bytes(data, rng)
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        document = _mutated(document, rng)
    return json.dumps(document).encode()[:MAX_INPUT]


def _mutated(value: Any, rng: random.Random) -> Any:
    """Change one place in a document."""
    if value and isinstance(value, dict | list) and rng.randrange(8):
        return _changed_object(value, rng) if isinstance(value, dict) else _changed_list(value, rng)
    return rng.choice(_VALUES)


def _changed_object(value: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    key, other = rng.choice(list(value)), rng.choice(list(value))
    found = dict(value)
    match rng.randrange(12):
        case 0:
            del found[key]
        case 1:
            found[str(rng.choice(_VALUES))] = rng.choice(_VALUES)
        case 2:
            found[key] = found[other]
        case _:
            found[key] = _mutated(found[key], rng)
    return found


def _changed_list(value: list[Any], rng: random.Random) -> list[Any]:
    found, at = list(value), rng.randrange(len(value))
    match rng.randrange(10):
        case 0:
            del found[at]
        case 1:
            found.insert(at, rng.choice(value))
        case 2:
            rng.shuffle(found)
        case 3:
            found.insert(at, rng.choice(_VALUES))
        case _:
            found[at] = _mutated(found[at], rng)
    return found


# --- harnesses


def pictures() -> Harness:
    """Picture files, as uploads and for thumbnails."""
    from PIL import Image  # imported here, so that Atheris can instrument them

    from vision.pictures.picture_decoding import read_picture, smaller_jpeg
    from vision.pictures.picture_files import PictureError, media_type

    def consume(data: bytes) -> None:
        for read in (media_type, read_picture, lambda picture: smaller_jpeg(picture, 64)):
            with contextlib.suppress(PictureError):
                read(data)

    def seeds() -> Iterator[bytes]:
        rng = random.Random(1)
        for mode in ("RGB", "L", "RGBA", "P", "CMYK"):
            picture = Image.frombytes("RGB", (40, 30), rng.randbytes(40 * 30 * 3)).convert(mode)
            exif = Image.Exif()
            exif[0x0112] = 6
            for form, options in (("JPEG", {"progressive": True}), ("JPEG", {}), ("PNG", {}), ("WEBP", {})):
                file = io.BytesIO()
                with contextlib.suppress(OSError):  # not every format has every mode
                    picture.save(file, form, exif=exif, **options)
                    yield file.getvalue()
        yield b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + rng.randbytes(200)

    return Harness(consume, list(seeds()), mutate_bytes)


GAMES: Final = {"koikoi": 2, "kekoro": 2, "kakkuri": 7, "kingo": 3, "kingo-bank": 3}
"""The games, and the numbers of players in the seeds."""


def records() -> Harness:
    """Round records, as `companion replay` and the API read them."""
    from companion.hanafuda.errors import BadRequestError
    from companion.hanafuda.replay import read_lines, replay
    from companion.hanafuda.simulation import random_round, record_of

    def consume(data: bytes) -> None:
        for line in read_lines(data):
            if line.error is None:
                with contextlib.suppress(BadRequestError):
                    json.dumps(replay(line.value).to_dict(), ensure_ascii=False).encode()

    rounds = [random_round(game, seed, players=players) for game, players in GAMES.items() for seed in (1, 2)]
    return Harness(consume, [json.dumps(record_of(each)).encode() for each in rounds], mutate_json)


def codes() -> Harness:
    """Share codes of rules; every second one gets a valid checksum, because otherwise few would be parsed."""
    from companion.hanafuda.errors import BadRequestError
    from companion.hanafuda.rules import PRESETS, share

    def consume(data: bytes) -> None:
        text = data.decode("utf-8", "replace")
        body = text.upper().translate(share._NORMALIZE)
        letters = "".join(each for each in body if each in share._ALPHABET)
        for code in (text, letters + share._check(letters)):
            try:
                rules = share.decode(code)
            except BadRequestError:
                continue
            assert share.decode(share.encode(rules)) == rules, "a code does not keep its rules"

    seeds = [share.encode(rules)[:-3].encode() for rules in PRESETS.values()]
    return Harness(consume, [*seeds, b"https://x.example/R/K123", b"K-1 o0il"], mutate_bytes)


def tokens() -> Harness:
    """Credentials in requests: a cookie, a token, a PIN, the code of a QR code."""
    import logging

    sys.path.append(str(Path(__file__).parents[2]))
    from tests.api.api_helpers import ScannerDouble, make_app

    app = make_app(Path(tempfile.mkdtemp()) / "data", ScannerDouble())
    app.logger.setLevel(logging.CRITICAL)
    here, phone = app.test_client(), {"REMOTE_ADDR": "192.168.7.23"}
    given = {}
    for role in ("scorer", "camera"):
        invited = here.post("/api/pairings", json={"role": role, "name": role}).json
        paired = app.test_client(use_cookies=False).post(
            "/api/pair", json={"code": invited["code"]}, environ_base=phone
        )
        given[role] = paired.json["token"] or paired.headers["Set-Cookie"].partition("=")[2].partition(";")[0]
    open_invitation = here.post("/api/pairings", json={"role": "scorer", "uses": 1}).json
    right = {*given.values(), open_invitation["code"], open_invitation["pin"]}

    def consume(data: bytes) -> None:
        text = data.decode("latin-1")
        if text.strip() in right:
            return
        asked = app.test_client(use_cookies=False)
        for header in (
            {"Cookie": f"pairing={text}"},
            {"Authorization": f"Bearer {text}"},
            {"Authorization": text},
        ):
            with contextlib.suppress(ValueError):  # a line end, which no client can send
                answer = asked.get("/api/me", headers=header, environ_base=phone)
                assert answer.status_code in {200, 400, 401}, (header, answer.status_code, answer.text)
                # Quotes, spaces and escapes of a cookie may be equivalent notations of the valid one.
                if answer.status_code == 200 and answer.json["role"] != "viewer":
                    assert any(each in text for each in right), (header, answer.json)
        for key in ("pin", "code"):
            answer = asked.post("/api/pair", json={key: data.decode("utf-8", "replace")}, environ_base=phone)
            assert 400 <= answer.status_code < 500, (key, answer.status_code, answer.text)

    return Harness(
        consume, [*(each.encode() for each in given.values()), b"ABC234", b"null", b'"\\355"'], mutate_bytes
    )


def decks() -> Harness:
    """Deck files; most inputs are valid archives with changed contents."""
    from vision.decks.deck_errors import DeckFileError
    from vision.decks.deck_profile import DeckProfile

    folder = Path(__file__).parents[2] / "models" / "decks"

    def consume(data: bytes) -> None:
        try:
            profile = DeckProfile.from_bytes(data)
        except DeckFileError:
            return
        again = DeckProfile.from_bytes(profile.to_bytes())
        assert (again.name, again.pack, again.classes) == (profile.name, profile.pack, profile.classes)

    def mutate(data: bytes, rng: random.Random) -> bytes:
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                members = {name: archive.read(name) for name in archive.namelist()[:9]}
        except Exception:  # an archive that was changed before
            return mutate_bytes(data, rng)
        if not members or rng.randrange(4) == 0:
            return mutate_bytes(data, rng)
        name = rng.choice(sorted(members))
        members[name] = (mutate_json if name.endswith(".json") else mutate_bytes)(members[name], rng)
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
            for each, reported in members.items():
                archive.writestr(each, reported)
        return file.getvalue()[:MAX_INPUT]

    smallest = sorted(folder.glob("*.deck"), key=lambda path: path.stat().st_size)[:3]
    return Harness(consume, [path.read_bytes() for path in smallest], mutate)


def events() -> Harness:
    """Event data as in a request that reports events."""
    from pydantic import ValidationError

    from api.routes.tables import EventsIn
    from companion.hanafuda.errors import BadRequestError
    from companion.hanafuda.round import IllegalMoveError
    from companion.hanafuda.simulation import random_round, record_of
    from companion.hanafuda.strict_json import BadJSONError, loads
    from companion.table import NewEvent, Table

    now = "2026-11-21T19:00:00.000Z"

    @cache
    def begun(game: str) -> tuple[Any, ...]:
        """The events of a table where a round has begun, and a question is open."""
        played = random_round(game, 5, players=GAMES[game])
        record = record_of(played)
        names = [f"P{seat}" for seat in range(1, played.players + 1)]
        opened = {"name": "T", "game": game, "rules": None, "players": names, "deck": None}
        table = Table.open(NewEvent("opened", opened), actor="host", source="phone", time=now)
        data = {
            key: record[key] for key in ("deal", "dealer", "month", *played.situation_keys) if key in record
        }
        moves = [
            NewEvent("moved", {"player": move.player, "words": list(move.words())})
            for move in played.moves[:6]
        ]
        output = {"en": "?", "ja": "？"}
        nxt = [{"kind": "moved", "data": dict(moves[-1].data)}]
        asked = {"text": output, "choices": [{"says": output, "p": 0.5, "events": nxt}], "picture": None}
        for new in (NewEvent("dealt", data), *moves[:5], NewEvent("asked", asked)):
            table.append([new], actor="host", source="phone", time=now)
        return tuple(table.events)

    def consume(data: bytes) -> None:
        try:
            document = loads(data)
            game = document.pop("game")
            reported = EventsIn.model_validate(document)
        except (BadJSONError, ValidationError, AttributeError, KeyError, TypeError):
            return
        if not isinstance(game, str) or game not in GAMES:
            return
        table = Table.of(begun(game))
        before = table.seq
        for each in reported.events:
            with contextlib.suppress(BadRequestError, IllegalMoveError):
                table.append([NewEvent(each.kind, each.data)], actor="host", source="phone", time=now)
        if table.seq == before:
            return
        view = json.dumps(table.view(), ensure_ascii=False).encode()
        table.legal_moves()
        for seq in range(before, table.seq + 1):
            table.alternatives(seq)
        for number in range(1, table.round_number + 1):
            json.dumps(table.record(number), ensure_ascii=False).encode()
        assert json.dumps(Table.of(table.events).view(), ensure_ascii=False).encode() == view

    def seeds() -> Iterator[dict[str, Any]]:
        for game in GAMES:
            _, dealt, *moves, asked = begun(game)
            move = {"kind": "moved", "data": dict(moves[0].data)}
            yield {"kind": "undone", "data": {"of": 4}}
            yield {
                "kind": "corrected",
                "data": {"of": 4, **move, "data": {**move["data"], "unchecked": True}},
            }
            yield {"kind": "corrected", "data": {"of": 2, "kind": "dealt", "data": dict(dealt.data)}}
            yield {"kind": "corrected", "data": {"of": 3, "kind": None}}
            yield {
                "kind": "inserted",
                "data": {"before": 3, **move, "data": {**move["data"], "unchecked": True}},
            }
            yield {
                "kind": "moved",
                "data": {**moves[0].data, "unchecked": True, "others": [{"words": ["pass"], "p": 0.5}]},
            }
            yield {"kind": "began", "data": {"dealer": 2}}
            yield {"kind": "seated", "data": {"seat": 1, "name": "Aiko"}}
            yield {"kind": "answered", "data": {"of": asked.seq, "choice": 0}}
            yield {"kind": "abandoned", "data": {}}
            yield {
                "kind": "set",
                "data": {"field": ["pine-crane"], "captured": [[], ["plum-ribbon"]], "to_move": 1},
            }
            yield {"kind": "asked", "data": dict(asked.data)}
            yield {"kind": "dealt", "data": {**dealt.data, "unchecked": True}}

    reported = list(seeds())
    size = len(reported) // len(GAMES)
    listed = [
        {"game": game, "events": reported[at : at + 4]}
        for number, game in enumerate(GAMES)
        for at in range(number * size, (number + 1) * size)
    ]
    return Harness(consume, [json.dumps(each).encode() for each in listed], mutate_json)


HARNESSES: Final[dict[str, Callable[[], Harness]]] = {
    each.__name__: each for each in (pictures, records, codes, tokens, decks, events)
}


# --- runs


def checked(harness: Harness, data: bytes) -> None:
    """Pass an input to a harness; AssertionError for one that takes too long or too much memory."""
    began = time.process_time()
    harness.consume(data)
    took, peak = time.process_time() - began, _peak_mb()
    assert took < SLOW_S, f"an input of {len(data)} bytes took {took:.1f} s"
    assert peak < MAX_MB, f"the process took {peak:.0f} MB"


def _peak_mb() -> float:
    """Return the peak memory of the process, 0 if the system does not report it."""
    try:
        import resource
    except ImportError:
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10


def mutations(harness: Harness, number: int) -> Iterator[bytes]:
    """Yield the seeds, then endless mutations, reproducible from a seed number."""
    yield from harness.seeds
    rng = random.Random(number)
    while True:
        data = rng.choice(harness.seeds)
        for _ in range(rng.choice((1, 1, 1, 2, 5))):
            data = harness.mutate(data, rng)
        yield data


def run(name: str, minutes: float, crashes: Path, number: int) -> int:
    """Try mutations for some minutes, without Atheris; return the number of failing inputs."""
    harness = HARNESSES[name]()
    until, tried, found = time.monotonic() + 60 * minutes, 0, 0
    for data in mutations(harness, number):
        if time.monotonic() > until:
            break
        tried += 1
        faulthandler.dump_traceback_later(10 * SLOW_S, exit=True)
        try:
            checked(harness, data)
        except Exception as error:
            found += 1
            _keep(data, error, crashes / f"{name}-{number}-{tried}")
        faulthandler.cancel_dump_traceback_later()
    print(f"{name}: {tried} inputs, {found} failures", flush=True)
    return found


def _keep(data: bytes, error: Exception, path: Path) -> None:
    path.write_bytes(data)
    print(f"FAILED {path}: {type(error).__name__}: {error!s:.500}", flush=True)


def run_atheris(name: str, minutes: float, crashes: Path, number: int) -> None:
    """Fuzz for some minutes; ends the process, with status 0 if nothing was found."""
    with atheris.instrument_imports(include=["companion", "api", "vision"]):
        harness = HARNESSES[name]()
    corpus = Path(tempfile.mkdtemp())
    for place, data in enumerate(harness.seeds):
        (corpus / str(place)).write_bytes(data)

    def mutator(data: bytes, size: int, chosen: int) -> bytes:
        rng = random.Random(chosen)
        changed = harness.mutate(data, rng) if rng.randrange(4) else atheris.Mutate(data, size)
        return bytes(changed[:size])

    def consume(data: bytes) -> None:
        try:
            checked(harness, data)
        except Exception as error:
            _keep(data, error, crashes / f"{name}-{hashlib.sha256(data).hexdigest()[:12]}")
            raise

    options = [
        f"-max_total_time={max(1, round(60 * minutes))}",
        f"-max_len={MAX_INPUT}",
        f"-timeout={round(10 * SLOW_S)}",
        f"-rss_limit_mb={MAX_MB}",
        f"-artifact_prefix={crashes / name}-",
        f"-seed={number}",
        "-print_final_stats=1",
        "-verbosity=0",
    ]
    atheris.Setup([sys.argv[0], *options, str(corpus)], consume, custom_mutator=mutator)
    atheris.Fuzz()


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=HARNESSES)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--crashes", type=Path, default=Path(tempfile.gettempdir()) / "companion-crashes")
    parser.add_argument("--input", type=Path, help="Give one file to the harness, and show what comes of it.")
    parser.add_argument(
        "--plain", action="store_true", help="Plain mutations, also where Atheris is installed."
    )
    asked = parser.parse_args()
    with contextlib.suppress(ImportError):
        import structlog  # a line per request would take most of the time

        structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    if asked.input is not None:
        HARNESSES[asked.name]().consume(asked.input.read_bytes())
        return 0
    asked.crashes.mkdir(parents=True, exist_ok=True)
    if atheris is None or asked.plain:
        return 1 if run(asked.name, asked.minutes, asked.crashes, asked.seed) else 0
    run_atheris(asked.name, asked.minutes, asked.crashes, asked.seed % 2**31)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
