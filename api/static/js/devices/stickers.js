/** Printable stickers instead of tags: each contains its card's id and needs no pairing. */
import { t } from "../i18n.js";
import { html, useState } from "../view.js";

const KINDS = ["qr", "datamatrix"];
const PAPERS = ["A4", "letter"];
const SIZES = [10, 12, 15, 18, 22];
const USUAL = { kind: "qr", paper: "A4", size: "15" };

/** @param {{deck: string}} props */
export function Stickers({ deck }) {
  const [layout, setLayout] = useState(USUAL);
  const choice = (name, values, label) =>
    html`<label class="form-field stack gap-1">
      <span>${t(`stickers-${name}`)}</span>
      <select name=${name} value=${layout[name]} onChange=${(event) => setLayout({ ...layout, [name]: event.target.value })}>
        ${values.map((value) => html`<option key=${value} value=${value}>${label(value)}</option>`)}
      </select>
    </label>`;
  return html`<section class="stickers stack panel">
    <h2>${t("stickers-title")}</h2>
    <p class="hint">${t("stickers-text")}</p>
    <div class="form-row cluster">
      ${choice("kind", KINDS, (kind) => t(`stickers-kind-${kind}`))} ${choice("size", SIZES, (size) => `${size} mm`)} ${choice("paper", PAPERS, (paper) => (paper === "letter" ? t("stickers-paper-letter") : paper))}
      <a class="button quiet" href=${`/api/decks/${encodeURIComponent(deck)}/labels.pdf?${new URLSearchParams(layout)}`} download>${t("stickers-print")}</a>
    </div>
  </section>`;
}
