/** The log banner of every page: nothing can be saved at the moment, or something was repaired. */
import { request } from "./api.js";
import { t } from "./i18n.js";
import { html, render } from "./view.js";

const ASK_MS = 1_000; // a full disk must be noticed within a second
const SELDOM_MS = 30_000; // if the table's stream reports changes

const place = document.createElement("div");
place.className = "log-notices";

const Banner = ({ notices, mayDismiss }) =>
  notices.map(
    ({ id, code, message }) =>
      html`<section key=${id ?? code} class="notice panel log-notice cluster" role="alert" data-notice=${code}>
        <p>${message}</p>
        ${id && mayDismiss && html`<div class="buttons"><button type="button" class="button quiet" onClick=${() => dismiss(id)}>${t("problem-dismiss")}</button></div>`}
      </section>`,
  );

let displayed = "[]";

/** Fetch the server's notices and display them. A lost connection has its own banner. */
export async function refreshNotices() {
  const health = await request("GET", "/api/health").catch(() => null);
  if (!health?.notices || JSON.stringify(health.notices) === displayed) return;
  displayed = JSON.stringify(health.notices);
  render(html`<${Banner} notices=${health.notices} mayDismiss=${health.may_dismiss} />`, place);
}

async function dismiss(id) {
  await request("DELETE", `/api/health/notices/${encodeURIComponent(id)}`).catch(() => null);
  refreshNotices();
}

let timer = null;

/** Keep the banner up to date. @param {boolean} streamed whether a stream calls `refreshNotices` after each change */
export function watchNotices(streamed = false) {
  if (!place.isConnected) document.body.insertBefore(place, document.getElementById("app"));
  clearInterval(timer);
  timer = setInterval(() => document.hidden || refreshNotices(), streamed ? SELDOM_MS : ASK_MS);
  refreshNotices();
}
