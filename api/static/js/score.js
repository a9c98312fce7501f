/** The score of a pile and its reasons, as computed by the server. */
import { inDeckOrder, nameOf } from "./deck.js";
import { Face } from "./face.js";
import { textOf, t, tn } from "./i18n.js";
import { html, useState } from "./view.js";
import { YakuList, YakuName } from "./yaku.js";

const MAX_NEAR = 3;

/** The scorer's sentence in the page's language. @param {{reason: import("./i18n.js").Message}} answer */
const why = ({ reason }) => textOf(reason);

function Near({ missing }) {
  const [all, setAll] = useState(false);
  const visible = all ? missing : missing.slice(0, MAX_NEAR);
  return html`<section class="near">
    <h2>${t("score-near")}</h2>
    <ul>
      ${visible.map(
        ({ needs, count, ...names }) =>
          html`<li key=${names.yaku}>
            <${YakuName} names=${names} />
            <span class="needs cluster gap-1 hint">
              <span>${tn(needs.length > count ? "score-needs-of" : "score-needs", count)}</span>
              ${inDeckOrder(needs).map((id) => html`<${Face} key=${id} id=${id} alt=${nameOf(id)} />`)}
            </span>
          </li>`,
      )}
    </ul>
    ${missing.length > MAX_NEAR &&
    html`<button type="button" class="link" aria-expanded=${all} onClick=${() => setAll(!all)}>
      ${all ? t("score-near-less") : tn("score-near-more", missing.length - MAX_NEAR)}
    </button>`}
  </section>`;
}

/** @param {{score: Object, lit: Set<string>, onLight: (ids: string[]) => void, children: any}} props */
export function Score({ score, lit, onLight, children }) {
  return html`<section class="score" aria-label=${t("score-label")}>
    <p class="stamp line" role="status" aria-live="polite">
      <strong key=${score.total}>${score.total}</strong>
      <span>${tn("points-unit", score.total)}</span>
    </p>
    <p class="reason">${why(score)}</p>
    ${children}
    ${score.yaku.length > 0 && html`<${YakuList} yaku=${score.yaku} why=${why} lit=${lit} onLight=${onLight} title=${t("score-light")} />`}
    ${score.missing.length > 0 && html`<${Near} missing=${score.missing} />`}
  </section>`;
}
