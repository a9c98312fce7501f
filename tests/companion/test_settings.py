"""The settings file and environment variables: what they mean, and the sentence for every mistake in either."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from companion.cli import main
from companion.hanafuda.errors import BadRequestError
from companion.net.client import Client
from companion.redaction import redacted
from companion.settings import SETTINGS_FILE, Settings, SettingsError
from companion.store import is_url, place_name
from hardware.mqtt.broker import BrokerAddress
from tests.message_text import raises_text
from vision.worker.client import TableClient


def test_a_folder_without_a_file_has_the_defaults(tmp_path: Path) -> None:
    settings = Settings.load(tmp_path)
    assert (settings.read, settings.proxies, settings.hosts) == ("everyone", 0, ())


def test_the_environment_overrides_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / SETTINGS_FILE).write_text('read = "paired"\nproxies = 1\nhosts = ["hanafuda.example"]\n')
    monkeypatch.setenv("COMPANION_PROXIES", "2")
    settings = Settings.load(tmp_path)
    assert (settings.read, settings.proxies, settings.hosts) == ("paired", 2, ("hanafuda.example",))


def test_environment_variables_are_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"HOSTS": '["a.b", "c"]', "MDNS": "false", "METRICS": "1", "PROXIES": ""}.items():
        monkeypatch.setenv(f"COMPANION_{name}", value)
    monkeypatch.setenv("COMPANION_PORT", "tcp://10.0.0.3:8420")  # Kubernetes, for a service of this name
    settings = Settings.load(tmp_path)
    assert (settings.hosts, settings.mdns, settings.metrics) == (("a.b", "c"), False, True)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('read = "nobody"', r'read = "nobody" is not allowed: it must be "everyone" or "paired"'),
        ("proxies = -1", "proxies = -1 is not allowed: it must be a whole number from 0 to 10"),
        ("proxies = true", "proxies = true is not allowed"),
        ("[proxies]\nx = [1]", r'proxies = {"x": \[1\]} is not allowed'),
        ("proxies = 0x" + "f" * 9_000, "proxies = .* is not allowed"),
        ("mdns = 1979-05-27", "mdns = .* must be true or false"),
        ('hosts = ["http://a.b"]', "without scheme and port"),
        ('hosts = ["a.b:8443"]', "without scheme and port"),
        ('hosts = "a.b"', 'hosts = "a.b" is not allowed: it must be a list of names'),
        ('hosts = ["a", {password = "S3CRET"}]', "hosts = .* is not allowed"),
        ('store = "postgresq://u:S3CRET@host"', "store = .*@host.*postgresql://USER@HOST/NAME"),
        ('store = "host=db password=S3CRET"', "store = .*password.*postgresql://USER@HOST/NAME"),
        ("metricks = true", r"metricks is not a setting; did you mean metrics\?"),
        ("colour = 1", "colour is not a setting; there are read, proxies, hosts, mdns, store, metrics"),
        ("read = 1\nproxies = 11", "read = 1 .*; .*proxies = 11"),
        ("read = ", "cannot read"),
        ("hosts = " + "[" * 9_000, "cannot read.*nested"),
        ("a." * 50_000 + "b = 1", "cannot read.*larger than"),
    ],
)
def test_a_mistake_in_the_file_is_named(tmp_path: Path, text: str, names: str) -> None:
    (tmp_path / SETTINGS_FILE).write_text(text)
    with raises_text(SettingsError, match=names) as raised:
        Settings.load(tmp_path)
    assert str(tmp_path / SETTINGS_FILE) in str(raised.value)
    assert "S3CRET" not in str(raised.value)
    assert len(str(raised.value)) < 400


@pytest.mark.parametrize(
    ("name", "value", "names"),
    [
        ("COMPANION_HOSTS", "a.b", 'COMPANION_HOSTS = "a.b" is not allowed: it must be a list of names'),
        ("COMPANION_HOSTS", "[" * 100_000, "COMPANION_HOSTS = .* is not allowed"),
        ("COMPANION_PROXIES", "9" * 6_000, "COMPANION_PROXIES = .* is not allowed"),
        ("COMPANION_STORE", "mysql://u:S3CRET@h/x", "COMPANION_STORE = .*@h/x.*postgresql://USER@HOST/NAME"),
        ("COMPANION_PROXY", "1", "COMPANION_PROXY is not a setting; did you mean COMPANION_PROXIES"),
    ],
)
def test_a_mistake_in_the_environment_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, names: str
) -> None:
    monkeypatch.setenv(name, value)
    with raises_text(SettingsError, match=f"environment variable {names}") as raised:
        Settings.load(tmp_path)
    assert "S3CRET" not in str(raised.value)


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(main, list(arguments), prog_name="companion")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.mark.parametrize("source", ["file", "environment"])
@pytest.mark.parametrize(
    "command",
    [
        "serve",
        "invite",
        "rules list",
        "rules save mine koikoi-hu",
        "decks list",
        "log nights",
        "log export",
        "log backup",
        "print",
        "watch 0",
    ],
)
def test_each_command_that_reads_settings_reports_a_mistake_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, source: str
) -> None:
    if source == "file":
        (tmp_path / SETTINGS_FILE).write_text('store = "postgresq://u:S3CRET@host"')
    else:
        monkeypatch.setenv("COMPANION_STORE", "postgresq://u:S3CRET@host")
    result = run(*command.split(), "--data", str(tmp_path))
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1), result.output
    assert "must be the address of a PostgreSQL database" in result.stderr
    assert "S3CRET" not in result.stderr
    assert {each.name for each in tmp_path.iterdir()} <= {SETTINGS_FILE}  # no log elsewhere


@pytest.mark.parametrize("source", ["file", "environment"])
def test_https_and_the_scan_worker_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str) -> None:
    if source == "file":
        (tmp_path / SETTINGS_FILE).write_text("hosts = 1")
    else:
        monkeypatch.setenv("COMPANION_HOSTS", "a.b")
    assert run("https", "--data", str(tmp_path)).exit_code == 2
    monkeypatch.setenv("COMPANION_STORE", "mysql://h/x")
    result = run("scan-worker")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "COMPANION_STORE" in result.stderr


@pytest.mark.parametrize(
    "command",
    ["log copy {bad} there", "log copy here {bad}", "log nights --data {bad}", "serve --data {bad}"],
)
def test_no_folder_is_created_for_a_misspelled_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if "copy here" in command:
        assert run("rules", "save", "mine", "koikoi-hu", "--data", "here").exit_code == 0
    before = set(tmp_path.iterdir())
    result = run(*command.format(bad="postgresq://u:S3CRET@host").split())
    assert result.exit_code == 2
    assert "neither a data folder nor the address of a PostgreSQL database" in result.stderr
    assert "S3CRET" not in result.output
    assert set(tmp_path.iterdir()) == before


KEYS = st.sampled_from([*Settings.model_fields, "Read", "a b"]) | st.text(max_size=8)
SCALARS = (
    st.integers(-(2**70), 2**70)
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12)
    | st.sampled_from(["everyone", "paired", "postgresql://a@b/c", "postgresq://a:b@c"])
)


def toml(value: Any) -> str:
    """Return a value as TOML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value, ensure_ascii=not isinstance(value, str))


DOCUMENTS = st.dictionaries(
    KEYS,
    st.recursive(
        SCALARS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
        max_leaves=6,
    ),
    max_size=4,
).map(
    lambda table: "\n".join(f"{json.dumps(key)} = {toml(value)}" for key, value in table.items()).encode(
        "utf-8", "replace"
    )
)
VARIABLES = st.dictionaries(
    st.sampled_from([f"COMPANION_{key.upper()}" for key in Settings.model_fields])
    | st.from_regex(r"COMPANION_[A-Z_]{1,9}", fullmatch=True),
    st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), max_size=20)
    | SCALARS.map(json.dumps),
    max_size=3,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(DOCUMENTS | st.binary(max_size=60), VARIABLES)
def test_any_file_and_any_environment_are_settings_or_one_error(
    tmp_path: Path, document: bytes, variables: dict[str, str]
) -> None:
    (tmp_path / SETTINGS_FILE).write_bytes(document)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        try:
            Settings.load(tmp_path)
        except SettingsError as error:
            assert SETTINGS_FILE in str(error) or "environment variable COMPANION_" in str(error)  # noqa: PT017


ADDRESSES = st.from_regex(
    r"((https?|mqtts?|postgres(ql)?|rtsp|x)://)?([a-z]*(:[a-z/?#]*)?@)?(\[?[a-f0-9:.]*\]?|[a-z.]*)(:[0-9a-z]*)?(/t/[a-z]*|/.*)?(\?.*)?",
    fullmatch=True,
) | st.text(max_size=20)


@settings(deadline=None)
@given(ADDRESSES, st.text(max_size=8))
@example("http://[", "x")
@example("http://box:99999", "x")
@example("http://box/t/a", "\xe9\n")
def test_any_address_and_token_of_an_option_is_used_or_one_error(address: str, token: str) -> None:
    uses: tuple[Callable[[], object], ...] = (
        lambda: Client(address, token).close(),
        lambda: TableClient(address, token).close(),
        lambda: BrokerAddress.read(address),
        lambda: is_url(address),
        lambda: place_name(address),
        lambda: redacted(address),
    )
    for use in uses:
        with suppress(BadRequestError):
            use()


@given(
    st.sampled_from(["postgresql", "postgres"]),
    st.text("ab/?#@:%", max_size=6),
    st.sampled_from(["", "?host=/tmp", "#x"]),
)
def test_the_name_of_a_place_never_has_its_password(scheme: str, around: str, end: str) -> None:
    assert "S3CRET" not in place_name(f"{scheme}://aki:{around}S3CRET{around}@host/db{end}")
