"""HTTPS at home in Chromium, from an address outside of the loopback network: for a phone that trusts the root
certificate."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from playwright.sync_api import Browser, BrowserContext

from companion.net.addresses import urls

from .conftest import CHROMIUM, free_port

START_S = 120
FEATURES = """async () => ({
    secure: isSecureContext,
    camera: typeof navigator.mediaDevices?.getUserMedia,
    wake: await navigator.wakeLock?.request("screen").then(() => "held", (error) => error.name),
})"""


class Home:
    """`companion https`, then `companion serve`, as processes."""

    def __init__(self, data: Path) -> None:
        self.plain_port, self.port = free_port(), free_port()
        self.plain, *_ = urls(port=self.plain_port)
        self.secure, *_ = urls(port=self.port, scheme="https")
        command = [sys.executable, "-m", "companion.cli"]
        made = subprocess.run(
            [*command, "https", "--data", str(data), "--port", str(self.plain_port), "--json"],
            capture_output=True,
            check=True,
            encoding="utf-8",
        )
        self.install = json.loads(made.stdout)["install"]
        options = ["--port", str(self.plain_port), "--https-port", str(self.port), "--no-devices", "--json"]
        self.process = subprocess.Popen(
            [*command, "serve", "--data", str(data), *options], stdout=subprocess.PIPE, encoding="utf-8"
        )
        assert self.process.stdout is not None
        self.reported = json.loads(self.process.stdout.readline())
        server = x509.load_pem_x509_certificate((data / "tls" / "server.pem").read_bytes())
        key = server.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        self.key_hash = base64.b64encode(hashlib.sha256(key).digest()).decode()

    def stop(self) -> None:
        self.process.terminate()
        self.process.communicate(timeout=START_S)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    if "localhost" in urls()[0]:
        pytest.skip("this machine has no network")
    running = Home(tmp_path_factory.mktemp("home") / "data")
    yield running
    running.stop()


@pytest.fixture(scope="module")
def phone(browser: Browser, home: Home) -> Iterator[BrowserContext]:
    """A browser that trusts the server's key, like one with the root certificate."""
    executable = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if not executable:
        pytest.skip("no Chromium that can keep the screen on (Debian: apt-get install chromium)")
    trusting = browser.browser_type.launch(
        executable_path=executable,
        args=["--no-sandbox", f"--ignore-certificate-errors-spki-list={home.key_hash}"],
    )
    yield trusting.new_context(locale="en-GB")
    trusting.close()


def test_serve_lists_both_addresses(home: Home) -> None:
    assert {home.plain, home.secure} <= set(home.reported["serving"])


def test_a_phone_with_the_root_has_camera_wake_lock_and_secure_cookies(
    home: Home, phone: BrowserContext
) -> None:
    page = phone.new_page()
    page.goto(home.plain)
    assert page.evaluate("[isSecureContext, typeof navigator.mediaDevices, typeof navigator.wakeLock]") == [
        False,
        "undefined",
        "undefined",
    ]
    page.goto(home.install)
    page.get_by_role("link", name="https://").click()
    page.wait_for_url(f"{home.secure}**")
    assert page.evaluate(FEATURES) == {"secure": True, "camera": "function", "wake": "held"}
    manifest = page.locator('link[rel="manifest"]').get_attribute("href")
    assert (
        json.loads(
            phone.request.get(f"{home.secure.rstrip('/')}{manifest}", ignore_https_errors=True).text()
        )["display"]
        == "standalone"
    )
    # The link that `companion serve` printed, opened over HTTPS.
    link = str(home.reported["host"]).replace(home.plain, home.secure)
    page.goto(link)
    page.get_by_text("This phone is a host now").wait_for()
    (cookie,) = [each for each in phone.cookies() if "pairing" in str(each.get("name"))]
    assert (cookie["name"], cookie["secure"], cookie["httpOnly"]) == ("__Host-pairing", True, True)
    page.close()


def test_a_browser_without_the_root_does_not_go_on(home: Home, browser: Browser) -> None:
    page = browser.new_page()
    with pytest.raises(Exception, match="ERR_CERT_AUTHORITY_INVALID"):
        page.goto(home.secure)
    page.close()
