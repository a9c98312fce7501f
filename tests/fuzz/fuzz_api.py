"""Send the API what its OpenAPI document allows and what it does not, as nobody, as a scorer and as the host.

    python -m tests.fuzz.fuzz_api --role host --minutes 10

Every answer is checked: no failure of the server (but 503 and 507, which are documented), the documented content type and
shape, and an answer in time. What fails is printed with its request, once for each operation; the exit status is then 1.
"""

from __future__ import annotations

import argparse
import logging
import random
import sys
import tempfile
import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, Literal, get_args

import schemathesis
import structlog
from apiflask import APIFlask
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import HypothesisWarning, Unsatisfiable
from schemathesis import Case, GenerationMode
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

sys.path.append(str(Path(__file__).parents[2]))
from companion.hanafuda.simulation import random_round, record_of
from tests.api.api_helpers import ScannerDouble, context_of, make_app, upload

Role = Literal["nobody", "scorer", "host"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)

SLOW_S: Final = 20.0
"""A slower response is reported, s; generous, because these tests also run on busy machines."""
PHONE: Final = "192.168.7.23"
"""The address of a phone in the network: only its cookie identifies it."""
_DOCUMENTED: Final = frozenset({503, 507})
_CHECKS: Final = [content_type_conformance, response_schema_conformance]
_REAL_SCANNER: Final = ("post", "/api/tables/{table_id}/pictures")
"""The one operation for which the scanner's double is not sufficient."""
_OFTEN: Final = 4
"""One in this number of requests has a random id in the path; all others have ids that exist."""


class Target:
    """An application with data for every operation, and a client for each role."""

    def __init__(self, folder: Path, *, real_scanner: bool) -> None:
        self.real_scanner = real_scanner
        self.app: APIFlask = make_app(folder, None if real_scanner else ScannerDouble())
        self.app.logger.setLevel(logging.CRITICAL)
        here = self.app.test_client()
        self.known: dict[str, list[str]] = {
            "table_id": [self._table(here, game) for game in ("koikoi", "kakkuri", "kingo")],
            "scan_id": [upload(here).json["id"] for _ in range(3)],
            "seq": ["1", "2", "3"],
            "name": ["standard", "ours", "hanafuda", "tray"],
            "deck": ["hanafuda", "kabufuda"],
        }
        here.put("/api/rules/ours", json={"rules": "standard"})
        self._cookies: dict[Role, str] = {}

    @staticmethod
    def _table(client: Any, game: str) -> str:
        played = random_round(game, 5)
        names = [f"P{seat}" for seat in range(1, played.players + 1)]
        opened = client.post("/api/tables", json={"game": game, "players": names})
        assert opened.status_code == 201, opened.json
        table = str(opened.json["id"])
        record = record_of(played)
        data = {
            key: record[key] for key in ("deal", "dealer", "month", *played.situation_keys) if key in record
        }
        moves = [
            {"kind": "moved", "data": {"player": move.player, "words": list(move.words())}}
            for move in played.moves[:5]
        ]
        events = [{"kind": "dealt", "data": data}, *moves]
        reported = client.post(f"/api/tables/{table}/events", json={"events": events})
        assert reported.status_code == 200, reported.json
        return table

    def wsgi(self, role: Role) -> Any:
        """Return a client with a role; a stream ends after its first message."""

        def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
            environ["REMOTE_ADDR"] = PHONE
            if role != "nobody":
                environ["HTTP_COOKIE"] = self._cookie(role)
            streams: list[bool] = []

            def started(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
                streams.extend(
                    name.lower() == "content-type" and "event-stream" in reported
                    for name, reported in headers
                )
                return start_response(status, headers, *rest)

            answer = self.app.wsgi_app(environ, started)
            environ["wsgi.input"].close()  # the test client leaves the temporary file of a large body open
            try:
                # Read here, because the fuzzer does not close what it has read.
                return [next(iter(answer))] if any(streams) else list(answer)
            finally:
                answer.close()  # type: ignore[attr-defined]  # werkzeug's have it

        return application

    def _cookie(self, role: Role) -> str:
        """Return the cookie of a pairing; a new one if the fuzzing has revoked it."""
        cookie = self._cookies.get(role)
        if cookie is None or self._role_of(cookie) != role:
            invited = self.app.test_client().post("/api/pairings", json={"role": role, "name": "fuzz"})
            assert invited.status_code == 201, invited.json
            phone = {"REMOTE_ADDR": PHONE}
            code = {"code": invited.json["code"], "name": "fuzz"}
            paired = self.app.test_client().post("/api/pair", json=code, environ_base=phone)
            assert paired.status_code == 200, paired.json
            self._cookies[role] = cookie = paired.headers["Set-Cookie"].split(";")[0]
        return cookie

    def _role_of(self, cookie: str) -> str:
        answer = self.app.test_client(use_cookies=False).get(
            "/api/me", headers={"Cookie": cookie}, environ_base={"REMOTE_ADDR": PHONE}
        )
        return str(answer.json.get("role"))

    def close(self) -> None:
        """Close what the application has open."""
        context_of(self.app).store.close()


class Fuzzer:
    """The operations of the API, each called in one role."""

    def __init__(self, target: Target, role: Role) -> None:
        self.target = target
        self.role = role
        schema = schemathesis.openapi.from_wsgi("/api/openapi.json", target.wsgi(role))
        operations: list[APIOperation] = [each.ok() for each in schema.get_all_operations()]
        self.operations = [
            each for each in operations if target.real_scanner or (each.method, each.path) != _REAL_SCANNER
        ]
        self.requests = 0

    def check(self, operation: APIOperation, mode: GenerationMode, examples: int, number: int) -> str | None:
        """Send some requests to an operation; return what went wrong, None if nothing did."""
        if not (len(operation.query) or len(operation.body)):
            mode = (
                GenerationMode.POSITIVE
            )  # any text is valid in a path, and the search for another one is slow
        rng = random.Random(number)
        failed: list[str] = []

        @seed(number)
        @settings(
            max_examples=examples,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
            print_blob=False,
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def sent(case: Case) -> None:
            for key in case.path_parameters or {}:
                if key in self.target.known and rng.randrange(_OFTEN):
                    case.path_parameters[key] = rng.choice(self.target.known[key])
            # Not raised: the application has changed since, so Hypothesis could not shrink the request.
            try:
                self._send(case)
            except (AssertionError, Failure, FailureGroup) as error:
                failed.append(
                    f"{operation.method.upper()} {operation.path} ({self.role}): {_description(error)}"
                )

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HypothesisWarning)
            with suppress(Unsatisfiable):  # nothing invalid can be sent there
                sent()
        return failed[0] if failed else None

    def _send(self, case: Case) -> None:
        self.requests += 1
        began = time.monotonic()
        response = case.call()
        took = time.monotonic() - began
        assert took < SLOW_S, f"{_request(case)} took {took:.1f} s"
        assert response.status_code < 500 or response.status_code in _DOCUMENTED, (
            f"{_request(case)} → {response.status_code} {response.text[:300]}"
        )
        case.validate_response(response, checks=_CHECKS)


def _request(case: Case) -> str:
    reported = {
        key: getattr(case, key) for key in ("path_parameters", "query", "headers", "body", "media_type")
    }
    return f"{case.method} {case.path} " + " ".join(
        f"{key}={each!r:.600}" for key, each in reported.items() if each
    )


def _description(error: BaseException) -> str:
    found = error.exceptions if isinstance(error, FailureGroup) else [error]
    return "\n".join(str(each) for each in found)[:3000]


@contextmanager
def fuzzer(role: Role, *, real_scanner: bool) -> Iterator[Fuzzer]:
    """Yield a fuzzer of an application in a temporary folder."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        target = Target(Path(folder) / "data", real_scanner=real_scanner)
        try:
            yield Fuzzer(target, role)
        finally:
            target.close()


def run(role: Role, minutes: float, number: int, *, real_scanner: bool) -> int:
    """Fuzz for some minutes; print the findings and return the number of failed operations."""
    failed: dict[str, str] = {}
    until = time.monotonic() + 60 * minutes
    with fuzzer(role, real_scanner=real_scanner) as fuzzing:
        rng = random.Random(number)
        print(f"{len(fuzzing.operations)} operations as {role}, seed {number}", flush=True)
        while time.monotonic() < until:
            operations = rng.sample(fuzzing.operations, len(fuzzing.operations))
            for operation in operations:
                for mode in GenerationMode:
                    output = fuzzing.check(operation, mode, 20, rng.getrandbits(32))
                    if output and f"{operation.method} {operation.path}" not in failed:
                        failed[f"{operation.method} {operation.path}"] = output
                        print(f"FAILED {output}", flush=True)
                if time.monotonic() > until:
                    break
        print(f"{fuzzing.requests} requests as {role}: {len(failed)} operations failed", flush=True)
    return len(failed)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--role", choices=ROLES, required=True)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--real-scanner", action="store_true", help="Not its double: slower by far.")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    asked = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    logging.disable(logging.ERROR)
    return 1 if run(asked.role, asked.minutes, asked.seed, real_scanner=asked.real_scanner) else 0


if __name__ == "__main__":
    raise SystemExit(main())
