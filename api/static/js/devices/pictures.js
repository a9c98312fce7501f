/** An icon for each kind of device. */
import { html } from "../view.js";

const LINES = {
  tags: html`<path d="M6 17h20M8 17l2 8h12l2-8" /><path d="M12 12.5a5.6 5.6 0 0 1 8 0M9.5 9a9.4 9.4 0 0 1 13 0" /><circle cx="16" cy="16" r="1.4" class="solid" />`,
  codes: html`<path d="M5 10V5h5M22 5h5v5M27 22v5h-5M10 27H5v-5" /><path d="M10 11v10M13.5 11v10M17 11v10M22 11v10" /><path d="M4 16h24" class="red" />`,
  buttons: html`<rect x="4" y="9" width="24" height="15" rx="3" /><circle cx="10.5" cy="16.5" r="2.7" class="solid red" /><circle cx="17" cy="16.5" r="2.2" /><circle cx="23" cy="16.5" r="2.2" />`,
  display: html`<rect x="3.5" y="8" width="25" height="16" rx="2.5" /><path d="M7.5 13.5h9M7.5 18.5h13" /><path d="M21 13.5h3.5" class="red" />`,
};

/** @param {{kind: "tags"|"codes"|"buttons"|"display"}} props */
export const Picture = ({ kind }) => html`<svg class="device-picture" viewBox="0 0 32 32" aria-hidden="true">${LINES[kind]}</svg>`;
