/** The banner on every page about the log: that nothing can be saved right now, or what was repaired. */
import { request } from "./api.js";
import { t } from "./i18n.js";
import { html, render } from "./view.js";

const ASK_MS = 1_000; // a full disk is to be known within a second
const SELDOM_MS = 30_000; // where the table's stream says when something changed

const place = document.createElement("div");
place.className = "log-notices";

const Banner = ({ notices, mayDismiss }) =>
  notices.map(
    ({ id, code, message }) =>
      html`<section key=${id ?? code} class="notice log-notice" role="alert" data-notice=${code}>
        <p>${message}</p>
        ${id && mayDismiss && html`<div class="buttons"><button type="button" class="button quiet" onClick=${() => dismiss(id)}>${t("problem-dismiss")}</button></div>`}
      </section>`,
  );

let displayed = "[]";

/** Ask the server what everybody should know, and show it. A server that is away is another banner's business. */
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

/** Keep the banner up to date. @param {boolean} streamed whether a stream calls `refreshNotices` when something changes */
export function watchNotices(streamed = false) {
  if (!place.isConnected) document.body.insertBefore(place, document.getElementById("app"));
  clearInterval(timer);
  timer = setInterval(() => document.hidden || refreshNotices(), streamed ? SELDOM_MS : ASK_MS);
  refreshNotices();
}
