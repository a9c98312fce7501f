/** What the pile is worth and why, as the one scorer answered it. Nothing is added up here. */
import { inDeckOrder, nameOf } from "./deck.js";
import { Face } from "./face.js";
import { lang, own, t, tn } from "./i18n.js";
import { classes, html, useState } from "./view.js";

const NEAR_SHOWN = 3;

/** The scorer's sentence in the page's language. @param {{why: string, why_ja: string}} answer */
const why = (answer) => (lang === "ja" ? answer.why_ja : answer.why);

/** A yaku's name in the page's language, and the Japanese one beside it for everybody else. */
const YakuName = ({ names }) =>
  html`<span class="yaku-name">${own(names)}${lang !== "ja" && html` <span class="other-name" lang="ja">${names.ja}</span>`}</span>`;

const sameCards = (lit, cards) => lit.size === cards.length && cards.every((id) => lit.has(id));

function Yaku({ yaku, lit, onLight }) {
  const shown = sameCards(lit, yaku.cards);
  return html`<li class=${classes("yaku", shown && "shown")}>
    <button type="button" aria-pressed=${shown} title=${t("score.light")} onClick=${() => onLight(shown ? [] : yaku.cards)}>
      <span class="yaku-head">
        <${YakuName} names=${yaku} />
        <span class="points">${tn("points", yaku.points)}</span>
      </span>
      <span class="faces">${inDeckOrder(yaku.cards).map((id) => html`<${Face} key=${id} id=${id} alt=${nameOf(id)} />`)}</span>
      <span class="why">${why(yaku)}</span>
    </button>
  </li>`;
}

function Near({ missing }) {
  const [all, setAll] = useState(false);
  const shown = all ? missing : missing.slice(0, NEAR_SHOWN);
  return html`<section class="near">
    <h2>${t("score.near")}</h2>
    <ul>
      ${shown.map(
        ({ yaku, needs, count, ...names }) =>
          html`<li key=${yaku}>
            <${YakuName} names=${names} />
            <span class="needs">
              <span>${tn(needs.length > count ? "score.needs-of" : "score.needs", count)}</span>
              ${inDeckOrder(needs).map((id) => html`<${Face} key=${id} id=${id} alt=${nameOf(id)} />`)}
            </span>
          </li>`,
      )}
    </ul>
    ${missing.length > NEAR_SHOWN &&
    html`<button type="button" class="link" aria-expanded=${all} onClick=${() => setAll(!all)}>
      ${all ? t("score.near.less") : tn("score.near.more", missing.length - NEAR_SHOWN)}
    </button>`}
  </section>`;
}

/** @param {{score: Object, lit: Set<string>, onLight: (ids: string[]) => void, children: any}} props */
export function Score({ score, lit, onLight, children }) {
  return html`<section class="score" aria-label=${t("score.label")}>
    <p class="total" role="status" aria-live="polite">
      <strong key=${score.total}>${score.total}</strong>
      <span>${tn("points.unit", score.total)}</span>
    </p>
    <p class="reason">${why(score)}</p>
    ${children}
    ${score.yaku.length > 0 &&
    html`<ul class="yaku-list">
      ${score.yaku.map((yaku) => html`<${Yaku} key=${yaku.name} yaku=${yaku} lit=${lit} onLight=${onLight} />`)}
    </ul>`}
    ${score.missing.length > 0 && html`<${Near} missing=${score.missing} />`}
  </section>`;
}
