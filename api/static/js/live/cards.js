/** Cards on a table's pages: fans, and faded cards that are missing. */
import { inDeckOrder, KINDS, nameOf } from "../deck.js";
import { Face } from "../face.js";
import { has, listed, t } from "../i18n.js";
import { classes, html } from "../view.js";

/**
 * Cards in a row that overlap if there is not enough room.
 * @param {{ids: string[], lit?: Set, fresh?: Set}} props `lit`: highlighted cards, `fresh`: cards that were just added
 */
export function Fan({ ids, lit, fresh }) {
  return html`<ul class="fan-row" aria-label=${listed(ids.map(nameOf))}>
    ${ids.map(
      (id) =>
        html`<li key=${id} data-card=${id} class=${classes(lit?.has(id) && "lit", fresh?.has(id) && "fresh")} title=${nameOf(id)}>
          <${Face} id=${id} alt=${nameOf(id)} />
        </li>`,
    )}
  </ul>`;
}

/** A missing card: its faded face, and where it is. @param {{id: string, where: string}} props */
export const Ghost = ({ id, where, near }) =>
  html`<span class=${classes("ghost", near && "in-reach")}>
    <${Face} id=${id} alt=${nameOf(id)} />
    <i>${where}</i>
  </span>`;

/** The name of a pile: of a card type, or one of the game's own. @param {string} kind */
const kindName = (kind) => t(has(`kind-${kind}`) ? `kind-${kind}` : "live-pile");

/**
 * A player's captured cards, one fan per card type, in the order in which players lay them out.
 * @param {{captured: Object<string, string[]>, lit?: Set, fresh?: Set, small?: boolean}} props
 */
export function Captures({ captured, lit, fresh, small }) {
  if (Object.keys(captured).length === 0) return null; // a game without captures
  const kinds = [...new Set([...KINDS.filter((kind) => kind in captured), ...Object.keys(captured)])];
  const Heading = small ? "h3" : "h2"; // small ones stand below a player's name
  return html`<div class=${classes("captures", small ? "small" : "mat")}>
    ${kinds.map(
      (kind) =>
        html`<section key=${kind} class=${classes("capture", kind)}>
          <${Heading}>${kindName(kind)} <span class="count">${captured[kind].length}</span><//>
          ${captured[kind].length > 0 && html`<${Fan} ids=${inDeckOrder(captured[kind])} lit=${lit} fresh=${fresh} />`}
        </section>`,
    )}
  </div>`;
}
