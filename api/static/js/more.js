/** What some rules also need: the round's month, and how often each player called koi-koi. */
import { months } from "./deck.js";
import { monthName, t } from "./i18n.js";
import { Stepper } from "./stepper.js";
import { html } from "./view.js";

const MOST_CALLS = 9;

/** @param {{scan: Object, onChange: (changes: Object) => void}} props */
export function More({ scan, onChange }) {
  const calls = { own: 0, opponent: 0, ...scan.calls };
  const call = (who) => (n) => onChange({ calls: { ...calls, [who]: n } });
  return html`<details class="more" open=${Boolean(scan.month || calls.own || calls.opponent)}>
    <summary>${t("more-title")}</summary>
    <label class="month-choice">
      <span>${t("more-month")}</span>
      <select value=${scan.month ?? ""} onChange=${(event) => onChange({ month: Number(event.target.value) || null })}>
        <option value="">${t("more-month-none")}</option>
        ${months().map(({ month, flower }) => html`<option key=${month} value=${month}>${monthName(month)} – ${t(`flower-${flower}`)}</option>`)}
      </select>
    </label>
    <${Stepper} label=${t("more-own")} value=${calls.own} max=${MOST_CALLS} onChange=${call("own")} />
    <${Stepper} label=${t("more-opponent")} value=${calls.opponent} max=${MOST_CALLS} onChange=${call("opponent")} />
    <p class="hint">${t("more-hint")}</p>
  </details>`;
}
