/** A number with buttons for less and more. */
import { t } from "./i18n.js";
import { html } from "./view.js";

/** @param {{label: string, value: number, max: number, onChange: (value: number) => void}} props */
export const Stepper = ({ label, value, max, onChange }) =>
  html`<div class="stepper" role="group" aria-label=${label}>
    <span>${label}</span>
    <button type="button" class="button quiet" aria-label=${t("more-fewer", { what: label })} disabled=${value <= 0} onClick=${() => onChange(value - 1)}>−</button>
    <output>${value}</output>
    <button type="button" class="button quiet" aria-label=${t("more-more", { what: label })} disabled=${value >= max} onClick=${() => onChange(value + 1)}>+</button>
  </div>`;
