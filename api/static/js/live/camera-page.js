/** The page of a phone that is the camera of a table. */
import { authorize, Problem, request } from "../api.js";
import { boot } from "../boot.js";
import { loadDeck, PACKS } from "../deck.js";
import { t } from "../i18n.js";
import { sentenceOf } from "../notice.js";
import { start } from "../starting.js";
import { html, useEffect, useState } from "../view.js";
import { Viewfinder } from "./viewfinder.js";

const STORED = `camera.${boot.table}`; // storage key of this phone's token for the table

/** The code from the QR code; in the URL fragment, so that no server logs it. */
const scanned = () => new URLSearchParams(location.hash.slice(1)).get("code");

/** What to tap in a browser that warns, drawn like its page. @param {{browser: string, first: string, then: string}} props */
const Warning = ({ browser, first, then }) =>
  html`<figure class="browser-warning stack">
    <div role="img" aria-label=${`${first} → ${then}`}>
      <b>⚠</b>
      <i></i>
      <i></i>
      <span>${first}</span>
      <i></i>
      <span>${then}</span>
    </div>
    <figcaption>${browser}</figcaption>
  </figure>`;

/** Before the page on HTTPS: what the browser will say, and what to tap. */
function Secure() {
  const table = `/t/${encodeURIComponent(boot.table)}`;
  return html`<div class="camera-secure stack gap-4 page slim">
    <h1>${t("camera-title")}</h1>
    ${boot.secure
      ? html`<p>${t("camera-secure-text")}</p>
          <div class="browser-warnings">
            <${Warning} browser=${t("camera-warning-chrome")} first=${t("camera-warning-chrome-1")} then=${t("camera-warning-chrome-2")} />
            <${Warning} browser=${t("camera-warning-safari")} first=${t("camera-warning-safari-1")} then=${t("camera-warning-safari-2")} />
          </div>
          <a class="button primary big" href=${`${boot.secure}${table}/camera${location.hash}`}>${t("camera-secure-go-on")}</a>
          <p class="fine"><a href="/install-certificate">${t("camera-secure-trust")}</a></p>`
      : html`<p>${t("camera-secure-off")}</p>`}
    <p class="fine">${t("camera-single")} <a href=${table}>${t("live-title-table")}</a></p>
  </div>`;
}

/** The token of this phone: from the QR code, or from an earlier visit. Rejects with a Problem. */
async function token() {
  const code = scanned();
  if (code === null) return localStorage.getItem(STORED);
  const answer = await request("POST", "/api/pair", { code, name: t("camera-name") });
  history.replaceState(null, "", location.pathname + location.search); // the code has been used
  localStorage.setItem(STORED, answer.token);
  return answer.token;
}

function CameraPage() {
  const [known, setKnown] = useState(undefined); // the token; null: there is none
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    token().then(
      (found) => {
        authorize(found);
        setKnown(found);
      },
      (caught) => {
        if (!(caught instanceof Problem)) throw caught;
        setProblem(caught);
      },
    );
  }, []);
  if (problem) return html`<div class="camera-secure stack gap-4 page slim"><h1>${t("camera-title")}</h1><p class="banner cluster gap-4 between refused" role="alert">${sentenceOf(problem)}</p><p>${t("camera-scan-again")}</p></div>`;
  if (known === undefined) return html`<p class="loading" role="status">${t("app-loading")}</p>`;
  if (known === null) return html`<div class="camera-secure stack gap-4 page slim"><h1>${t("camera-title")}</h1><p>${t("camera-scan-again")}</p></div>`;
  return html`<${Viewfinder} />`;
}

start(async () => {
  if (!isSecureContext) return html`<${Secure} />`;
  await Promise.all([...PACKS, "western"].map(loadDeck));
  return html`<${CameraPage} />`;
});
