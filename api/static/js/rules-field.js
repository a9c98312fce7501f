/** The controls for one option of house rules: a switch, a choice, a number, or the effects of koi-koi calls. */
import { textOf, t } from "./i18n.js";
import { html } from "./view.js";

/** Whether two values of an option are the same. */
export const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

const MAX_EFFECT = 99; // times or plus; the server refuses more

/** A number typed by a person; "" while the field is empty, which the server refuses. @param {string} text */
const typed = (text) => (text === "" ? "" : Number(text));

function Flag({ option, value, onChange }) {
  const meaning = option.form.values.find((one) => one.value === value)?.meaning;
  return html`<label class="choice-line panel">
    <input type="checkbox" role="switch" name=${option.key} aria-label=${textOf(option.sentence)} checked=${value} onChange=${(event) => onChange(event.target.checked)} />
    <span>${textOf(meaning)}</span>
  </label>`;
}

const Choice = ({ option, value, onChange }) =>
  html`<div class="rule-choices stack">
    ${option.form.values.map(
      (one) =>
        html`<label key=${one.value} class="choice-line panel">
          <input type="radio" name=${option.key} checked=${same(one.value, value)} onChange=${() => onChange(one.value)} />
          <span>${textOf(one.meaning)}</span>
        </label>`,
    )}
  </div>`;

function NumberField({ option, value, onChange }) {
  const { low, high, unit, values } = option.form;
  return html`<div class="number-field">
    <label>
      <input
        type="number"
        inputmode="numeric"
        name=${option.key}
        aria-label=${textOf(option.sentence)}
        min=${low}
        max=${high}
        value=${typeof value === "number" ? value : ""}
        onInput=${(event) => onChange(typed(event.target.value))}
      />
      <span>${textOf(unit)}</span>
    </label>
    ${values.map((one) => html`<button key=${one.value} type="button" class="button quiet" aria-pressed=${same(one.value, value)} onClick=${() => onChange(one.value)}>${textOf(one.meaning)}</button>`)}
  </div>`;
}

/** The effect of each call: "x2" doubles the points, "+1" adds one. */
function Calls({ option, value, onChange }) {
  const put = (n, effect) => onChange(value.map((old, at) => (at === n ? effect : old)));
  return html`<div class="calls-field stack">
    ${value.length === 0 && html`<p class="fine">${t("rule-nothing")}</p>`}
    ${value.map((effect, n) => {
      const label = t("rules-edit-call", { number: n + 1 });
      return html`<p key=${n} class="call-effect">
        <span>${label}</span>
        <select aria-label=${label} value=${effect[0]} onChange=${(event) => put(n, event.target.value + effect.slice(1))}>
          <option value="x">×</option>
          <option value="+">+</option>
        </select>
        <input type="number" inputmode="numeric" aria-label=${label} min="1" max=${MAX_EFFECT} value=${effect.slice(1)} onInput=${(event) => put(n, effect[0] + event.target.value)} />
      </p>`;
    })}
    <div class="buttons">
      <button type="button" class="button quiet" disabled=${value.length >= option.form.max} onClick=${() => onChange([...value, value.at(-1) ?? "x2"])}>${t("rules-edit-add-call")}</button>
      <button type="button" class="button quiet" disabled=${value.length === 0} onClick=${() => onChange(value.slice(0, -1))}>${t("rules-edit-remove-call")}</button>
    </div>
  </div>`;
}

const CONTROLS = { flag: Flag, choice: Choice, number: NumberField, calls: Calls };

/** What is wrong with the value of an option that the server refused. */
export function outOfRange({ form }) {
  return form.type === "calls" ? t("rules-edit-range", { low: 1, high: MAX_EFFECT }) : t("rules-edit-range", { low: form.low, high: form.high });
}

/**
 * @param {{option: Object, value: any, instead: {value: any, meaning: Object}, rules: string, wrong: string|null, onChange: (value: any) => void}} props
 *   `instead`: the option in the preset with the name `rules`; `wrong`: why the server refuses the value
 */
export function RuleField({ option, value, instead, rules, wrong, onChange }) {
  const Control = CONTROLS[option.form.type];
  const changed = !same(value, instead.value);
  return html`<fieldset class=${`rule-field${changed ? " marked" : ""}${wrong ? " wrong" : ""}`} data-option=${option.key}>
    <legend>${textOf(option.sentence)}</legend>
    <${Control} option=${option} value=${value} onChange=${onChange} />
    ${wrong && html`<p class="field-problem" role="alert">${wrong}</p>`}
    ${changed &&
    html`<p class="rule-instead cluster gap-3">
      <span class="fine">${t("house-instead", { rules, meaning: textOf(instead.meaning) })}</span>
      <button type="button" class="link" onClick=${() => onChange(instead.value)}>${t("rules-edit-reset")}</button>
    </p>`}
  </fieldset>`;
}
