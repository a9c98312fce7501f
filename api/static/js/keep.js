/** Keep a scan in the log, with a note, or delete it. */
import { t } from "./i18n.js";
import { html, useState } from "./view.js";

const LONGEST_NOTE = 500;

/** @param {{scan: Object, onChange: (changes: Object) => void}} props */
export function Keep({ scan, onChange }) {
  const [note, setNote] = useState(scan.note ?? "");
  const changed = note !== (scan.note ?? "");
  const keep = (event) => {
    event.preventDefault();
    onChange({ kept: true, note });
  };
  return html`<form class="keep" onSubmit=${keep}>
    ${scan.kept && !changed && html`<p class="kept" role="status">✓ ${t("keep-kept")} <a href="/log#kept">${t("keep-to-log")}</a></p>`}
    <div class="keep-line">
      <input
        type="text"
        name="note"
        maxlength=${LONGEST_NOTE}
        value=${note}
        placeholder=${t("keep-note")}
        aria-label=${t("keep-note")}
        onInput=${(event) => setNote(event.target.value)}
      />
      ${(!scan.kept || changed) && html`<button type="submit" class="button primary">${t(scan.kept ? "keep-again" : "keep-keep")}</button>`}
    </div>
  </form>`;
}
