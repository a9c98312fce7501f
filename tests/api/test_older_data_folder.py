"""A data folder of a version whose server read and wrote the files of tags and of the printer itself."""

from __future__ import annotations

from pathlib import Path

from tests.api.api_helpers import ScannerDouble, context_of, make_app
from tests.vision.drawn_decks import a_deck

FILES = {
    "devices.json": '{\n "revision": 1,\n "devices": [\n  {\n   "name": "tray-1",\n   "driver": "rdm6300",\n'
    '   "port": "/dev/ttyUSB0",\n   "options": {},\n   "table": null,\n   "seat": null,\n   "place": "captured-1",\n'
    '   "buttons": {},\n   "on": true\n  }\n ]\n}\n',
    "layouts/k7p2qd.json": '{"zones": [{"zone": "field", "polygon": [[0, 0], [1, 0], [1, 1]]}]}',
    "printer.json": '{\n "port": "socket://10.0.0.5:9100",\n "paper": 58,\n "lang": "ja",\n "baud": 9600\n}\n',
    "tags/granny.json": '{\n "tags": {\n  "AA01": "pine-crane"\n }\n}\n',
}


def test_a_folder_of_an_older_version_keeps_its_documents(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    a_deck().save(tmp_path / "decks" / "granny.deck")
    app = make_app(tmp_path, ScannerDouble())
    context, client = context_of(app), app.test_client()

    assert [device.name for device in context.devices.all] == ["tray-1"]
    assert context.devices.revision == 1
    assert context.layouts.get("k7p2qd") == {
        "zones": [{"zone": "field", "polygon": [[0, 0], [1, 0], [1, 1]]}]
    }
    assert context.tags.of("granny") == {"AA01": "pine-crane"}
    assert [deck["name"] for deck in client.get("/api/decks").json["decks"] if deck["own"]] == ["granny"]
    printer = client.get("/api/printer").json
    assert (printer["port"], printer["paper"], printer["lang"]) == ("socket://10.0.0.5:9100", 58, "ja")

    context.tags.pair("granny", "AA02", "plum-ribbon")
    context.devices.put([], expect=1)
    for name in FILES:  # an older version can still use the folder
        assert (tmp_path / name).exists()
