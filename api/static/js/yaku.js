/** Yaku from the server's score: their names, and those that were made. */
import { inDeckOrder } from "./deck.js";
import { Row } from "./face.js";
import { has, lang, textOf, t, tn } from "./i18n.js";
import { classes, html } from "./view.js";

/** A yaku's name in the page's language. @param {Object} yaku its slug is in `yaku` or `name`; one that is not in the catalog has its names */
export function yakuName({ yaku, name, ...names }) {
  const code = `yaku-${yaku ?? name}`;
  return has(code) ? t(code) : textOf(names);
}

/** A yaku's name in the page's language; in English, with the Japanese name beside it. */
export const YakuName = ({ names }) =>
  html`<span class="yaku-name">${yakuName(names)}${lang === "en" && html` <span class="other-name soft" lang="ja">${names.ja}</span>`}</span>`;

/**
 * @param {{yaku: Object[], why: (one: Object) => ?string, lit: Set<string>, onLight: (ids: string[]) => void, title?: string}} props
 *   `why`: returns the reason in the page's language; `lit`: the highlighted cards; `title`: what a tap does
 */
export function YakuList({ yaku, why, lit, onLight, title }) {
  return html`<ul class="made stack">
    ${yaku.map((one) => {
      const selected = lit.size > 0 && lit.size === one.cards.length && one.cards.every((id) => lit.has(id));
      return html`<li key=${one.name} class="yaku">
        <button type="button" class=${classes("made-one", selected && "selected")} aria-pressed=${selected} title=${title} onClick=${() => onLight(selected ? [] : one.cards)}>
          <span class="made-head"><${YakuName} names=${one} /> <b class="points">${tn("points", one.points)}</b></span>
          <${Row} ids=${inDeckOrder(one.cards)} />
          ${why(one) && html`<span class="why">${why(one)}</span>`}
        </button>
      </li>`;
    })}
  </ul>`;
}
