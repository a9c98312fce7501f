/** The editor of house rules: every option with its difference from a preset. The server checks each change. */
import { Problem, request } from "./api.js";
import { useAttempt } from "./attempt.js";
import { gameOf, rulesName } from "./games.js";
import { t, textOf, tn } from "./i18n.js";
import { Invite } from "./invite.js";
import { Notice } from "./notice.js";
import { outOfRange, RuleField, same } from "./rules-field.js";
import { LONGEST_NAME, rulesPath } from "./rules-list.js";
import { html, useEffect, useState } from "./view.js";

const PAUSE_MS = 250; // after the last keystroke, before the server checks

/** The server's description of rules, and why it refuses them. @param {Object} first @param {Object} wanted the preset and values */
function useChecked(first, wanted) {
  const [checked, setChecked] = useState(first);
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    let stale = false;
    const check = async () => {
      let answer = null;
      let refusal = null;
      try {
        answer = await request("POST", "/api/rules", { rules: wanted });
      } catch (caught) {
        if (!(caught instanceof Problem)) throw caught;
        refusal = caught;
      }
      if (stale) return;
      setProblem(refusal);
      if (answer) setChecked(answer);
    };
    const timer = setTimeout(check, PAUSE_MS);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [JSON.stringify(wanted)]);
  return { checked, problem };
}

/** Why the value of an option is refused; null if it is not. */
function refusalOf(option, problem) {
  const { options = [], contradictions = [] } = problem?.members ?? {};
  if (options.some(({ key }) => key === option.key)) return outOfRange(option);
  const contradiction = contradictions.find(({ keys }) => keys.includes(option.key));
  return contradiction ? contradiction.message.message : null;
}

/** The options of a section, closed until somebody opens it or one of them is refused. */
function Section({ title, options, values, base, problem, onChange }) {
  const instead = (key) => base.options.find((one) => one.key === key);
  const changes = options.filter(({ key }) => !same(values[key], instead(key).value)).length;
  const refused = options.some((option) => refusalOf(option, problem));
  return html`<details class="rules-card panel" open=${refused || undefined}>
    <summary>
      <h2>${title}</h2>
      ${changes > 0 && html`<span class="change-count">${tn("rules-edit-changes", changes)}</span>`}
    </summary>
    ${options.map(
      (option) =>
        html`<${RuleField}
          key=${option.key}
          option=${option}
          value=${values[option.key]}
          instead=${instead(option.key)}
          rules=${rulesName(base.name)}
          wrong=${refusalOf(option, problem)}
          onChange=${(value) => onChange(option.key, value)}
        />`,
    )}
  </details>`;
}

/** The table whose rules are being changed; null if the editor was opened elsewhere. */
const table = new URLSearchParams(location.search).get("table");

/** The page of the table, which offers to change to these rules. @param {string} rules a name or share code */
const atTable = (rules) => `/t/${encodeURIComponent(table)}#${new URLSearchParams({ rules })}`;

/** Saves the rules under a name; `known`: the name of the saved rules that are being changed. */
function Save({ rules, known, refused }) {
  const [name, setName] = useState(known);
  const [problem, attempt] = useAttempt();
  const save = (replace) =>
    attempt(async () => {
      await request("PUT", `/api/rules/${encodeURIComponent(name.trim())}`, { rules, replace });
      location.assign(table ? atTable(name.trim()) : rulesPath(name.trim()));
    });
  const submit = (event) => {
    event.preventDefault();
    save(known !== "" && name.trim() === known);
  };
  return html`<form class="rules-save" onSubmit=${submit}>
    <label class="field-label stack gap-1 hint">
      <span>${t("rules-edit-name")}</span>
      <input name="name" required value=${name} maxlength=${LONGEST_NAME} autocomplete="off" onInput=${(event) => setName(event.target.value)} />
    </label>
    <button type="submit" class="button primary big" disabled=${refused}>${t("save")}</button>
    ${problem &&
    html`<${Notice} problem=${problem}>
      ${problem.slug === "rules-name-taken" && html`<button type="button" class="button primary" onClick=${() => save(true)}>${t("rules-edit-replace")}</button>`}
    <//>`}
  </form>`;
}

/** @param {{rules: Object}} props the description of the rules to start from, as of GET /api/rules/{name} */
export function RulesEditor({ rules }) {
  const game = gameOf(rules.game);
  const [base, setBase] = useState(game.presets.find(({ name }) => name === rules.preset));
  const [values, setValues] = useState(rules.rules);
  const wanted = { preset: base.name, ...values };
  const { checked, problem } = useChecked(rules, wanted);
  const ready = !problem && same(checked.rules, values); // otherwise the share code is still that of earlier values
  const ofBase = Object.fromEntries(base.options.map(({ key, value }) => [key, value]));
  const changes = Object.keys(ofBase).filter((key) => !same(values[key], ofBase[key])).length;
  const named = rulesName(rules.name) === rules.name && game.presets.every(({ name }) => name !== rules.name);
  return html`<article class="house-rules stack gap-4 page narrow rules-editor">
    <header class="house-head stack from-start">
      <p class="house-game">${textOf(game.names)}</p>
      <h1>${t("evening-rules-open")}</h1>
      ${game.presets.length > 1 &&
      html`<label class="field-label stack gap-1 hint">
        <span>${t("rules-edit-base")}</span>
        <select value=${base.name} onChange=${(event) => setBase(game.presets.find(({ name }) => name === event.target.value))}>
          ${game.presets.map(({ name }) => html`<option key=${name} value=${name}>${rulesName(name)}</option>`)}
        </select>
      </label>`}
      <p class="rules-lead soft" role="status">${changes > 0 ? tn("house-differs", changes, { rules: rulesName(base.name) }) : t("house-same", { rules: rulesName(base.name) })}</p>
      ${changes > 0 && html`<button type="button" class="button quiet" onClick=${() => setValues(ofBase)}>${t("rules-edit-reset-all")}</button>`}
    </header>
    ${Object.entries(rules.sections).map(
      ([section, title]) =>
        html`<${Section}
          key=${section}
          title=${textOf(title)}
          options=${rules.options.filter((option) => option.section === section)}
          values=${values}
          base=${base}
          problem=${problem}
          onChange=${(key, value) => setValues((before) => ({ ...before, [key]: value }))}
        />`,
    )}
    ${problem && html`<${Notice} problem=${problem} title=${t("rules-edit-refused")} />`}
    <${Save} rules=${wanted} known=${named ? rules.name : ""} refused=${problem !== null} />
    ${ready && table && html`<a class="button quiet big" href=${atTable(checked.code)}>${t("rules-edit-use")}</a>`}
    ${ready &&
    html`<details class="rules-card panel">
      <summary><h2>${t("house-share")}</h2></summary>
      <${Invite} path=${`/r/${checked.code}`} label=${t("house-share-text")} />
      <p class="share-code hint"><span>${t("house-code")}</span> <code>${checked.code}</code></p>
    </details>`}
  </article>`;
}
