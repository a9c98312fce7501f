/** The face of a card, and cards in a row. */
import { faceOf, nameOf } from "./deck.js";
import { html } from "./view.js";

/** @param {{id: string, alt?: string}} props `alt`: its name, if no text beside the face contains it */
export const Face = ({ id, alt = "" }) => html`<img class="face" src=${faceOf(id)} alt=${alt} title=${alt || undefined} width="60" height="98" />`;

/** A row of cards. @param {{ids: string[]}} props */
export const Row = ({ ids }) =>
  html`<span class="card-row cluster gap-1">${ids.map((id, n) => html`<${Face} key=${`${id}${n}`} id=${id} alt=${nameOf(id)} />`)}</span>`;
