/** The face of a card as this project draws it. */
import { faceOf } from "./deck.js";
import { html } from "./view.js";

/** @param {{id: string, alt?: string}} props `alt` only where no text beside the face says its name */
export const Face = ({ id, alt = "" }) =>
  html`<img class="face" src=${faceOf(id)} alt=${alt} title=${alt || undefined} width="60" height="98" />`;
