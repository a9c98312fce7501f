/** The bars above every page: the program was updated, and, outside of a table, there is no connection. Also the service worker. */
import { boot } from "./boot.js";
import { t } from "./i18n.js";
import { html, render } from "./view.js";

const CALM_MS = 4_000; // after the page has loaded, before the service worker is installed, so that it does not slow the page down
const FAILURES = 2; // a single failed request is not displayed
const UNATTENDED = new Set(["display", "overlay"]); // pages that nobody touches
const RELOADED = "hanafuda-companion.reloaded"; // storage key of the version for which this tab was reloaded

const place = document.createElement("div");
place.className = "connection";

let failures = 0;
let updated = false;

function show() {
  if (!place.isConnected) document.body.insertBefore(place, document.getElementById("app"));
  const away = failures >= FAILURES && !boot.table; // a table has its own banner
  render(
    html`${updated &&
      html`<section class="notice panel log-notice cluster" role="status" data-bar="updated">
        <p>${t("app-updated")}</p>
        <div class="buttons"><button type="button" class="button primary" onClick=${() => location.reload()}>${t("app-reload")}</button></div>
      </section>`}
      ${away && html`<section class="notice panel log-notice cluster" role="status" data-bar="away"><p><b>${t("live-offline")}</b> ${t("app-away")}</p></section>`}`,
    place,
  );
}

/** Reload a page that nobody touches, once for each version. */
function reloadUnattended(version) {
  if (!UNATTENDED.has(boot.page) || sessionStorage.getItem(RELOADED) === version) return;
  sessionStorage.setItem(RELOADED, version);
  location.reload();
}

/** Take note of an answer of the server. @param {Response|null} answer null: none came */
export function noteAnswer(answer) {
  const before = [failures >= FAILURES, updated].join();
  failures = answer === null ? failures + 1 : 0;
  const version = answer?.headers.get("App-Version");
  if (version && version !== boot.version) {
    updated = true;
    reloadUnattended(version);
  }
  if (before !== [failures >= FAILURES, updated].join()) show();
}

/** Install the service worker, with which pages open without a connection; browsers allow it over HTTPS and on localhost. */
export function installWorker() {
  setTimeout(() => navigator.serviceWorker?.register("/sw.js").catch(() => {}), CALM_MS); // refused, for example in a private window
}
