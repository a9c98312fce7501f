/** Starts the page that the server named in the boot record. */
import { getRules, getScan, Problem } from "./api.js";
import { boot } from "./boot.js";
import { loadDeck } from "./deck.js";
import { loadGames } from "./games.js";
import { Home } from "./home.js";
import { House } from "./house.js";
import { t } from "./i18n.js";
import { Log } from "./log.js";
import { Notice } from "./notice.js";
import { Scan } from "./scan.js";
import { withReading } from "./scans.js";
import { html, render } from "./view.js";

const root = document.getElementById("app");
const Loading = () => html`<p class="loading" role="status">${t("app.loading")}</p>`;

/** The page's content, once what it needs is fetched. */
async function content() {
  const [scan, told] = await Promise.all([
    boot.scan && getScan(boot.scan),
    boot.rules && getRules(boot.rules),
    loadDeck(),
    loadGames(),
  ]);
  const pages = {
    home: () => html`<${Home} />`,
    log: () => html`<${Log} />`,
    rules: () => html`<${House} told=${told} />`,
    scan: () => html`<${Scan} first=${withReading(scan)} />`,
  };
  return pages[boot.page]();
}

async function start() {
  render(html`<${Loading} />`, root);
  try {
    render(await content(), root);
  } catch (caught) {
    if (!(caught instanceof Problem)) throw caught;
    render(
      html`<${Notice} problem=${caught}>
        <button type="button" class="button primary" onClick=${start}>${t("problem.again")}</button>
      <//>`,
      root,
    );
  }
}

addEventListener("popstate", () => location.reload()); // back from a fresh scan to the page it was taken on
start();
