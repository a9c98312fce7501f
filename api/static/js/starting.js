/** How a page begins: it says that it loads, then shows its content, or what is in the way of that and a button to try again. */
import { Problem } from "./api.js";
import { t } from "./i18n.js";
import { watchNotices } from "./log-notices.js";
import { Notice } from "./notice.js";
import { html, render } from "./view.js";

const root = document.getElementById("app");

/** @param {() => Promise<Object>} content fetches what the page needs and returns it as nodes; fails with a Problem */
export async function start(content) {
  watchNotices();
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
