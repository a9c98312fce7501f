"""The access policy: which roles may use which route.

`POLICY` has an entry for every endpoint of the application; `create_app` fails if one is missing. The check that runs before
each request, the 401 and 403 answers in the OpenAPI document, docs/access.md, and the tests all come from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from urllib.parse import urlencode

from flask import Flask, redirect, request
from werkzeug.routing import Rule as Route
from werkzeug.wrappers import Response

from api.access.visitors import check_own, check_own_job
from api.access.who import TO_KEEP_SCORE, Who, not_allowed, who
from api.context import context
from companion.hanafuda.messages import Message
from companion.store.pairings import Role


@dataclass(frozen=True, slots=True)
class Rule:
    """Who may use a route."""

    name: str
    """The rule's name in the documentation."""
    about: str
    """Who may use the route, as a sentence for the documentation."""
    roles: frozenset[Role]
    """The roles of paired phones and machines that may use the route."""
    unpaired: bool = False
    """Whether unpaired phones may use it too, unless reading is restricted (`read = "paired"`)."""
    always: bool = False
    """Whether everyone may use it even then; for routes that a phone needs to join."""
    seats: bool = True
    """Whether scorers with a seat, who report only their own moves, may use it."""
    own_drafts: bool = False
    """Whether viewers may use it only for drafts that they scanned themselves."""
    needs: Message = TO_KEEP_SCORE
    """The instruction displayed on an unpaired phone."""

    def allows(self, sender: Who, *, reading_closed: bool) -> bool:
        """Return whether a sender may use the route."""
        if self.always:
            return True
        if not sender.paired:
            return self.unpaired and not reading_closed
        if sender.role == "scorer" and sender.seat is not None and not self.seats:
            return False
        return sender.role in self.roles


_ALL: Final[frozenset[Role]] = frozenset(("viewer", "scorer", "host", "camera", "device"))
_PEOPLE: Final[frozenset[Role]] = frozenset(("scorer", "host"))
_HOST_NEEDS: Final = Message("hint-become-host")
_CLOSED: Final = Message("hint-reading-closed")

ANYONE = Rule("anyone", "Everyone, even if reading is restricted.", _ALL, unpaired=True, always=True)
READER = Rule(
    "reader",
    'Everyone; with `read = "paired"` only paired phones and machines.',
    _ALL,
    unpaired=True,
    needs=_CLOSED,
)
DRAFT = Rule(
    "own draft",
    "Scorers and hosts; viewers for the drafts that they scanned themselves. For others, the scan does not seem to"
    " exist.",
    _PEOPLE | {"viewer"},
    unpaired=True,
    own_drafts=True,
    needs=_CLOSED,
)
PAIRED = Rule("paired", "Paired phones and machines.", _ALL)
SCORER = Rule("scorer", "Scorers and hosts.", _PEOPLE)
TABLE_SCORER = Rule("table scorer", "Scorers without a seat, and hosts.", _PEOPLE, seats=False)
REPORTER = Rule(
    "reporter",
    "Scorers, hosts and devices; the table below lists what each may report.",
    _PEOPLE | {"device"},
)
EQUIPMENT = Rule("equipment", "Scorers, hosts and devices.", _PEOPLE | {"device"})
LAYOUT_READER = Rule("layout reader", "Scorers, hosts, cameras and devices.", _PEOPLE | {"camera", "device"})
HOST = Rule("host", "Hosts.", frozenset(("host",)), needs=_HOST_NEEDS)
CAMERA = Rule("camera", "Cameras and hosts.", frozenset(("host", "camera")), needs=_HOST_NEEDS)
DEVICE = Rule("device", "Devices and hosts.", frozenset(("host", "device")), needs=_HOST_NEEDS)
CAMERA_OR_DEVICE = Rule(
    "camera or device",
    "Cameras, devices and hosts.",
    frozenset(("host", "camera", "device")),
    needs=_HOST_NEEDS,
)

RULES: Final = (
    ANYONE,
    READER,
    DRAFT,
    PAIRED,
    SCORER,
    TABLE_SCORER,
    REPORTER,
    EQUIPMENT,
    LAYOUT_READER,
    CAMERA,
    DEVICE,
    CAMERA_OR_DEVICE,
    HOST,
)
"""The rules, in the order of the documentation."""

POLICY: Final[Mapping[str, Rule]] = {
    # Getting in
    "pages.join": ANYONE,
    "static": ANYONE,
    "certificates.root_certificate": ANYONE,
    "certificates.install_page": ANYONE,
    "pairing.me": ANYONE,
    "pairing.pair": ANYONE,
    "health.server_health": ANYONE,  # only the status if reading is restricted
    "health.readiness": ANYONE,  # load balancers
    "health.dismiss": HOST,
    "pairing.pairings": HOST,
    "pairing.invite": HOST,
    "pairing.withdraw": HOST,
    "pairing.change": HOST,
    "pairing.revoke": HOST,
    "pairing.revoke_all": HOST,
    "pairing.change_me": PAIRED,
    # The app: files that the service worker keeps
    "pages.shell": ANYONE,
    "pages.page_file": ANYONE,
    "pages.service_worker": ANYONE,
    "pages.manifest": ANYONE,
    "pages.offline": ANYONE,
    # Pages: shells without data of their own
    "pages.texts": ANYONE,
    "pages.home": READER,
    "pages.rules": READER,
    "pages.rules-list": READER,
    "pages.rules-editor": READER,
    "pages.log": READER,
    "pages.night": READER,
    "pages.statistics": READER,
    "pages.players": READER,
    "pages.rounds": READER,
    "pages.replay": READER,
    "pages.disputes": READER,
    "pages.dispute": READER,
    "pages.scan": READER,
    "pages.decks": READER,
    "pages.enroll": SCORER,
    "pages.devices": SCORER,
    "pages.tags": SCORER,
    "pages.lobby": READER,
    "pages.table": READER,
    "pages.seat": READER,
    "pages.display": READER,
    "pages.host": READER,
    "pages.overlay": READER,
    "pages.camera": READER,
    "pages.qr_code": READER,
    # Games and rules
    "games.cards": READER,
    "games.face": READER,
    "games.games": READER,
    "games.samples": READER,
    "games.score": READER,  # computes only
    "rules.rules_list": READER,
    "rules.one": READER,
    "rules.checked": READER,  # computes only
    "rules.save": SCORER,
    "rules.rename": SCORER,
    "rules.forget": SCORER,
    "openapi.spec": READER,
    "metrics.metrics": PAIRED,  # Prometheus sends a token
    # Scans
    "scans.scan": READER,
    "scans.scan_job": DRAFT,
    "scans.one_scan": DRAFT,
    "scans.change_scan": DRAFT,
    "scans.delete_scan": DRAFT,
    "scans.picture": DRAFT,
    "scans.scans": SCORER,
    "scans.scans_json": SCORER,
    "scans.scans_csv": SCORER,
    # Decks
    "decks.decks": READER,
    "decks.enroll": SCORER,
    "decks.enrollment": SCORER,
    "decks.fix": SCORER,
    "decks.drop": SCORER,
    "decks.card": SCORER,
    "decks.keep": SCORER,
    "decks.take_in": SCORER,
    "decks.file": SCORER,
    "decks.forget": SCORER,
    # Live tables
    "tables.tables": READER,
    "tables.table": READER,
    "tables.follow": READER,
    "tables.moves": READER,
    "tables.alternatives": READER,
    "tables.result_form": READER,
    "tables.score_result": READER,
    "tables.records": READER,
    "tables.replay": READER,
    "tables.odds": READER,
    "tables.live_odds": READER,
    "tables.disputes": READER,
    "tables.dispute": READER,
    "tables.yaku": READER,
    "health.health": READER,
    "cameras.camera": READER,
    "tables.open_table": HOST,
    "tables.submit_events": REPORTER,
    "tables.undo": REPORTER,
    "tables.change_rules": HOST,
    "reports.press": REPORTER,
    "cameras.take": TABLE_SCORER,
    "tables.piles": SCORER,
    "cameras.rescan": TABLE_SCORER,
    # Nights
    "nights.nights": READER,
    "nights.night": READER,
    "nights.statistics": READER,
    "nights.choices": READER,
    "nights.rounds": READER,
    "nights.rounds_as_csv": READER,
    "nights.export": SCORER,
    "nights.merge": HOST,
    "nights.close": TABLE_SCORER,
    "nights.reopen": TABLE_SCORER,
    "nights.rematch": SCORER,
    "nights.delete": HOST,
    "nights.restore": HOST,
    # People
    "people.players": READER,
    "people.picture": READER,
    "people.put_player": TABLE_SCORER,
    "people.put_picture": TABLE_SCORER,
    "people.hide": HOST,
    "people.merge": HOST,
    "people.undo": HOST,
    "people.claim": SCORER,  # a host's counts at once, others wait for a host
    "people.confirm": HOST,
    "people.put_circle": HOST,
    "people.remove_circle": HOST,
    # Cameras
    "cameras.observe": CAMERA_OR_DEVICE,
    "cameras.report": CAMERA,
    "phone_cameras.frame": CAMERA,
    "phone_cameras.video": CAMERA,
    "cameras.camera_picture": PAIRED,
    "cameras.picture": PAIRED,
    "cameras.layout": LAYOUT_READER,
    "cameras.put_layout": HOST,
    # Devices
    "reports.scans": DEVICE,
    "devices.devices": EQUIPMENT,
    "devices.put_devices": HOST,
    "devices.report": DEVICE,
    "devices.test": HOST,
    "tags.tags": EQUIPMENT,
    "tags.put_tags": EQUIPMENT,
    "tags.pair": EQUIPMENT,
    "tags.labels": EQUIPMENT,
    "tags.last": EQUIPMENT,
    # The printer
    "printing.printer": SCORER,
    "printing.put_printer": HOST,
    "printing.slip_picture": SCORER,
    "printing.print_slip": HOST,
}
"""Who may use which endpoint."""

_OPTIONAL: Final = frozenset(("metrics.metrics",))
"""Endpoints that exist only with certain settings."""
_PAGES: Final = "pages"
"""The blueprint of pages; unpaired phones that may not see one are redirected to the join page."""


def check_role() -> Response | None:
    """Refuse a request that its sender may not make, before its body is read."""
    if request.endpoint is None:  # no such route: results in 404
        return None
    rule = POLICY.get(request.endpoint, HOST)  # `check_complete` guarantees an entry
    if rule.always:
        return None
    sender = who()
    if not rule.allows(sender, reading_closed=context().settings.read == "paired"):
        if not sender.paired and request.blueprint == _PAGES:
            target = request.full_path.removesuffix("?")
            return redirect(f"/join?{urlencode({'to': target})}", HTTPStatus.SEE_OTHER)
        raise not_allowed(sender, sorted(rule.roles), rule.needs)
    if rule.own_drafts and sender.role == "viewer":
        ids = request.view_args or {}
        if "job_id" in ids:
            check_own_job(str(ids["job_id"]))
        else:
            check_own(str(ids["scan_id"]))
    return None


def check_complete(app: Flask) -> None:
    """Raise `RuntimeError` unless the table has an entry for every endpoint of an application, and no other."""
    registered = {route.endpoint for route in app.url_map.iter_rules()}
    if missing := registered - set(POLICY):
        raise RuntimeError(f"api.access.policy.POLICY has no entry for {', '.join(sorted(missing))}")
    if missing := set(POLICY) - registered - _OPTIONAL:
        raise RuntimeError(
            f"api.access.policy.POLICY names endpoints that do not exist: {', '.join(sorted(missing))}"
        )


def routes(app: Flask) -> Iterator[tuple[str, str, Rule]]:
    """Yield method, path, and rule of every route of an application."""
    for route in app.url_map.iter_rules():
        for method in sorted((route.methods or set()) - {"HEAD", "OPTIONS"}):
            yield method, _path(route), POLICY[route.endpoint]


def _path(route: Route) -> str:
    """Return a route's path in OpenAPI syntax."""
    return re.sub(r"<(?:[^<:>]+:)?([^<>]+)>", r"{\1}", route.rule)
