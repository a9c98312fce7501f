/** Cards on a table's pages: fans, and the ghosts of those that are missing. */
import { inDeckOrder, KINDS, nameOf } from "../deck.js";
import { Face } from "../face.js";
import { has, listed, t } from "../i18n.js";
import { classes, html } from "../view.js";

/**
 * Cards that lie over one another as far as the room demands it.
 * @param {{ids: string[], lit?: Set, fresh?: Set}} props `lit`: those to lift, `fresh`: those that just came
 */
export function Fan({ ids, lit, fresh }) {
  return html`<ul class="fan-row" aria-label=${listed(ids.map(nameOf))}>
    ${ids.map(
      (id) =>
        html`<li key=${id} class=${classes(lit?.has(id) && "lit", fresh?.has(id) && "fresh")} title=${nameOf(id)}>
          <${Face} id=${id} alt=${nameOf(id)} />
        </li>`,
    )}
  </ul>`;
}

/** A card that is not there: its face, faded, and where it is. @param {{id: string, where: string}} props */
export const Ghost = ({ id, where, near }) =>
  html`<span class=${classes("ghost", near && "in-reach")}>
    <${Face} id=${id} alt=${nameOf(id)} />
    <i>${where}</i>
  </span>`;

/** What a kind of pile is called; the games' own piles have words of their own. @param {string} kind */
const kindName = (kind) => t(has(`kind-${kind}`) ? `kind-${kind}` : "live-pile");

/**
 * What lies before a player, a fan a kind, in the order in which players lay them out.
 * @param {{captured: Object<string, string[]>, lit?: Set, fresh?: Set, small?: boolean}} props
 */
export function Captures({ captured, lit, fresh, small }) {
  if (Object.keys(captured).length === 0) return null; // a game in which nothing is captured
  const kinds = [...new Set([...KINDS.filter((kind) => kind in captured), ...Object.keys(captured)])];
  return html`<div class=${classes("captures", small && "small")}>
    ${kinds.map(
      (kind) =>
        html`<section key=${kind} class=${classes("capture", kind, captured[kind].length === 0 && "none")}>
          <h3>${kindName(kind)} <span class="count">${captured[kind].length}</span></h3>
          ${captured[kind].length > 0 && html`<${Fan} ids=${inDeckOrder(captured[kind])} lit=${lit} fresh=${fresh} />`}
        </section>`,
    )}
  </div>`;
}
