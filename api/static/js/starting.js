/** Starts a page: displays a loading text, then the content, or the problem with a button to try again. */
import { Problem } from "./api.js";
import { installWorker } from "./connection.js";
import { t } from "./i18n.js";
import { watchNotices } from "./log-notices.js";
import { Notice } from "./notice.js";
import { html, render } from "./view.js";

const root = document.getElementById("app");

/** @param {() => Promise<Object>} content fetches what the page needs and returns its nodes; rejects with a Problem */
export async function start(content) {
  watchNotices();
  installWorker();
  render(html`<p class="loading" role="status">${t("app-loading")}</p>`, root);
  try {
    render(await content(), root);
  } catch (caught) {
    if (!(caught instanceof Problem)) throw caught;
    render(
      html`<${Notice} problem=${caught}>
        <button type="button" class="button primary" onClick=${() => start(content)}>${t("problem-again")}</button>
      <//>`,
      root,
    );
  }
}
