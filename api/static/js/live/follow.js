/** A page of a live table: waits for the first state, and reports if the table does not exist. */
import { t } from "../i18n.js";
import { Notice } from "../notice.js";
import { html } from "../view.js";
import { useLive } from "./store.js";
import { useWake } from "./wake.js";

/** @param {{page: (now: import("./store.js").Now) => any}} props */
export function Follow({ page }) {
  const now = useLive();
  useWake();
  if (now.state) return page(now);
  if (now.lost) {
    return html`<${Notice} problem=${now.lost} title=${t("live-no-table")}>
      <a class="button primary" href="/tables">${t("live-to-tables")}</a>
    <//>`;
  }
  return html`<p class="loading" role="status">${t("app-loading")}</p>`;
}
