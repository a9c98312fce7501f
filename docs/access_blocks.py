"""The generated blocks about access rights: who may use which route, and who may report which event."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from apiflask import APIFlask

from api.access.policy import RULES, routes
from api.access.reports import REPORTS
from api.app import create_app
from api.context import EXTENSION, Context
from companion.store import scans
from companion.store.scan_records import DRAFT_DAYS, VISITOR_DRAFT_DAYS
from companion.table.events import KINDS

__all__ = ["BLOCKS"]

_WHO = ("viewer", "scorer", "host", "camera", "device")
_YES, _SEAT = "✓", "own"


def access_rules() -> str:
    """Return a table of the rules and the roles that may use their routes."""
    lines = ["| Rule | Not paired | Viewer | Scorer | Host | Camera | Device |  |", "|" + " --- |" * 8]
    for rule in RULES:
        unpaired = (
            "always" if rule.always else "own drafts" if rule.own_drafts else _YES if rule.unpaired else ""
        )
        roles = [_YES if role in rule.roles else "" for role in _WHO]
        if rule.own_drafts:
            roles[0] = unpaired
        if not rule.seats:
            roles[_WHO.index("scorer")] = "without a seat"
        lines.append(f"| {' | '.join((f'**{rule.name}**', unpaired, *roles, rule.about))} |")
    return "\n".join(lines)


def access_routes() -> str:
    """Return a table of the routes of each rule."""
    routes_by_rule: defaultdict[str, list[str]] = defaultdict(list)
    with _application() as app:
        for method, path, rule in routes(app):
            routes_by_rule[rule.name].append(f"`{method} {path}`")
    lines = ["| Rule | Routes |", "| --- | --- |"]
    for rule in RULES:
        ordered = sorted(set(routes_by_rule[rule.name]), key=lambda route: (route.split()[1], route))
        lines.append(f"| **{rule.name}** | {'<br>'.join(ordered)} |")
    return "\n".join(lines)


def access_reports() -> str:
    """Return a table of the event types and the roles that may report them."""
    lines = ["| Event | Scorer with a seat | Scorer | Host | Device |", "| --- | --- | --- | --- | --- |"]
    for kind in KINDS:
        if not any(kind in kinds for kinds in REPORTS.values()):
            continue
        scorer, host, device = (
            _YES if kind in REPORTS[role] else "" for role in ("scorer", "host", "device")
        )
        seat = _SEAT if scorer and kind in {"moved", "dealt", "undone", "corrected", "inserted"} else scorer
        lines.append(f"| `{kind}` | {seat} | {scorer} | {host} | {device} |")
    return "\n".join(lines)


def access_drafts() -> str:
    """Return a table of the storage limits of unpaired phones."""
    mb = 2**20
    rows = [
        ("Drafts of one browser", f"{scans.MAX_PER_VISITOR}"),
        ("Drafts from one address (IPv6: from one /64 network)", f"{scans.MAX_PER_ADDRESS}"),
        ("Pictures from one address", f"{scans.MAX_BYTES_PER_ADDRESS // mb} MB"),
        ("Pictures of all phones that are not paired", f"{scans.MAX_BYTES // mb:,} MB"),
        ("Changes to one draft", f"{scans.MAX_CHANGES}"),
        (
            "A draft is removed after",
            f"{VISITOR_DRAFT_DAYS} day; others after {DRAFT_DAYS} days",
        ),
    ]
    return "\n".join(
        ("| What | Limit |", "| --- | --- |", *(f"| {what} | {limit} |" for what, limit in rows))
    )


@contextmanager
def _application() -> Iterator[APIFlask]:
    """Yield an application with every route, including optional ones."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "settings.toml").write_text("metrics = true\n", encoding="utf-8")
        app = create_app(Context(Path(folder)))
        try:
            yield app
        finally:
            app.extensions[EXTENSION].store.close()


BLOCKS: Mapping[str, Callable[..., str]] = {
    "access-rules": access_rules,
    "access-routes": access_routes,
    "access-reports": access_reports,
    "access-drafts": access_drafts,
}
