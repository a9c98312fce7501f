/** What the pile is worth and why, as the one scorer answered it. Nothing is added up here. */
import { inDeckOrder, nameOf } from "./deck.js";
import { Face } from "./face.js";
import { yakuNames } from "./games.js";
import { lang, own, t, tn } from "./i18n.js";
import { classes, html, useState } from "./view.js";

const NEAR_SHOWN = 3;

/** The scorer's sentence in the page's language. @param {{why: string, why_ja: string}} answer */
const why = (answer) => (lang === "ja" ? answer.why_ja : answer.why);

/** A yaku's name in the page's language, and the Japanese one beside it for everybody else. */
function YakuName({ game, slug }) {
  const names = yakuNames(game, slug);
  return html`<span class="yaku-name">${own(names)}${lang !== "ja" && html` <span class="other-name" lang="ja">${names.ja}</span>`}</span>`;
}

const sameCards = (lit, cards) => lit.size === cards.length && cards.every((id) => lit.has(id));

function Yaku({ game, yaku, lit, onLight }) {
  const shown = sameCards(lit, yaku.cards);
  return html`<li class=${classes("yaku", shown && "shown")}>
    <button type="button" aria-pressed=${shown} title=${t("score.light")} onClick=${() => onLight(shown ? [] : yaku.cards)}>
      <span class="yaku-head">
        <${YakuName} game=${game} slug=${yaku.name} />
        <span class="points">${tn("points", yaku.points)}</span>
      </span>
      <span class="faces">${inDeckOrder(yaku.cards).map((id) => html`<${Face} key=${id} id=${id} alt=${nameOf(id)} />`)}</span>
      <span class="why">${why(yaku)}</span>
    </button>
  </li>`;
}

function Near({ game, missing }) {
  const [all, setAll] = useState(false);
  const nearest = [...missing].sort((a, b) => a.count - b.count);
  const shown = all ? nearest : nearest.slice(0, NEAR_SHOWN);
  return html`<section class="near">
    <h3>${t("score.near")}</h3>
    <ul>
      ${shown.map(
        ({ yaku, needs, count }) =>
          html`<li key=${yaku}>
            <${YakuName} game=${game} slug=${yaku} />
            <span class="needs">
              <span>${tn(needs.length > count ? "score.needs-of" : "score.needs", count)}</span>
              ${inDeckOrder(needs).map((id) => html`<${Face} key=${id} id=${id} alt=${nameOf(id)} />`)}
            </span>
          </li>`,
      )}
    </ul>
    ${nearest.length > NEAR_SHOWN &&
    html`<button type="button" class="link" aria-expanded=${all} onClick=${() => setAll(!all)}>
      ${all ? t("score.near.less") : tn("score.near.more", nearest.length - NEAR_SHOWN)}
    </button>`}
  </section>`;
}

/**
 * @param {{scan: Object, lit: Set<string>, onLight: (ids: string[]) => void}} props
 */
export function Score({ scan, lit, onLight }) {
  const { game, score } = scan;
  const multiplied = score.total !== score.base;
  return html`<section class="score" aria-label=${t("score.label")}>
    <p class="total" role="status" aria-live="polite">
      <strong key=${score.total}>${score.total}</strong>
      <span>${tn("points.unit", score.total)}</span>
    </p>
    ${multiplied && html`<p class="multiplied">${why(score)}</p>`}
    ${score.yaku.length > 0
      ? html`<ul class="yaku-list">
          ${score.yaku.map((yaku) => html`<${Yaku} key=${yaku.name} game=${game} yaku=${yaku} lit=${lit} onLight=${onLight} />`)}
        </ul>`
      : html`<p class="no-yaku">${t("score.no-yaku")}</p>`}
    ${score.missing.length > 0 && html`<${Near} game=${game} missing=${score.missing} />`}
  </section>`;
}
