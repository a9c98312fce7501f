/** The camera's pictures of the table before and after an event; a tap enlarges one. */
import { Dialog } from "../dialog.js";
import { t } from "../i18n.js";
import { html, useState } from "../view.js";
import { store } from "./store.js";

/** @param {{pictures: {before?: string|null, after?: string|null}|null}} props names of pictures */
export function Evidence({ pictures }) {
  const [unavailable, setUnavailable] = useState(new Set());
  const [large, setLarge] = useState(null);
  const visible = ["before", "after"].filter((when) => pictures?.[when] && !unavailable.has(pictures[when]));
  if (visible.length === 0) return null;
  const path = (when) => store.path(`/pictures/${encodeURIComponent(pictures[when])}`);
  return html`<div class="evidence">
    ${visible.map(
      (when) =>
        html`<button key=${when} type="button" onClick=${() => setLarge(when)}>
          <img src=${path(when)} alt="" onError=${() => setUnavailable(new Set([...unavailable, pictures[when]]))} />
          <span>${t(`live-picture-${when}`)}</span>
        </button>`,
    )}
    ${large &&
    html`<${Dialog} title=${t(`live-picture-${large}`)} class="picture-large" onClose=${() => setLarge(null)}>
      <img src=${path(large)} alt=${t(`live-picture-${large}`)} />
    <//>`}
  </div>`;
}
