/** Changes the rules of an evening from the next round on: choose rules, see what differs, confirm. */
import { getRules, request } from "../api.js";
import { useAttempt } from "../attempt.js";
import { Dialog } from "../dialog.js";
import { gameOf, rulesName } from "../games.js";
import { t, textOf } from "../i18n.js";
import { Notice } from "../notice.js";
import { html, useEffect, useState } from "../view.js";
import { store } from "./store.js";

/**
 * Options that differ, each with its meaning before and after. Only phrasing content: it may be inside a button.
 * @param {{differences: {sentence: Object, meaning: Object, before: Object}[]}} props
 */
export const RuleDifferences = ({ differences }) =>
  html`<span class="rule-differences stack gap-0">
    ${differences.map(
      ({ sentence, meaning, before }) =>
        html`<span key=${sentence.code} class="rule-difference stack gap-0">
          <span>${textOf(sentence)}</span>
          <b>${textOf(meaning)}</b>
          <small>${t("evening-rules-before", { meaning: textOf(before) })}</small>
        </span>`,
    )}
  </span>`;

const differencesOf = ({ options }) =>
  options.filter((option) => option.instead_of).map(({ sentence, meaning, instead_of: instead }) => ({ sentence, meaning, before: instead.meaning }));

/** The description of rules compared with a share code; null until it is fetched. */
function useComparison(name, code) {
  const [found, setFound] = useState({ rules: null, problem: null });
  useEffect(() => {
    let stale = false;
    setFound({ rules: null, problem: null });
    if (!name) return undefined;
    getRules(name, code).then(
      (rules) => !stale && setFound({ rules, problem: null }),
      (problem) => !stale && setFound({ rules: null, problem }),
    );
    return () => {
      stale = true;
    };
  }, [name, code]);
  return found;
}

/** What the chosen rules change, and the button that confirms them. */
function Preview({ rules, playing, busy, onConfirm }) {
  const differences = differencesOf(rules);
  if (differences.length === 0) return html`<p class="hint">${t("evening-rules-same")}</p>`;
  return html`<${RuleDifferences} differences=${differences} />
    <p class="hint">${t("evening-rules-later")}</p>
    <button type="button" class="button primary big" disabled=${busy} onClick=${onConfirm}>${t("evening-rules-do")}</button>`;
}

/**
 * @param {{now: import("./store.js").Now, first: string, onClose: () => void}} props `first`: the rules chosen at the start,
 *   by name or share code; empty for none
 */
export function RulesChange({ now, first, onClose }) {
  const { table, round } = now.state;
  const current = table.next_rules ?? table.rules;
  const [saved, setSaved] = useState([]);
  const [chosen, setChosen] = useState(first);
  const [refused, attempt] = useAttempt();
  const { rules, problem } = useComparison(chosen, current.code);
  useEffect(() => {
    request("GET", "/api/rules").then((answer) => setSaved(answer.rules.filter((one) => one.saved && one.game === table.game)), () => {}); // the presets can be chosen without it
  }, []);
  const names = [...gameOf(table.game).presets, ...saved].map(({ name }) => name);
  const confirm = () =>
    attempt(async () => {
      await store.changeRules(chosen);
      onClose();
    });
  const failed = problem ?? refused;
  return html`<${Dialog} title=${t("evening-rules-title")} class="sheet rules-change" onClose=${onClose}>
    <label class="field-label stack gap-1 hint">
      <span>${t("house-title")}</span>
      <select name="rules" value=${chosen} onChange=${(event) => setChosen(event.target.value)}>
        <option value="">${t("evening-rules-choose")}</option>
        ${names.map((name) => html`<option key=${name} value=${name}>${rulesName(name)}</option>`)}
        ${chosen && !names.includes(chosen) && html`<option value=${chosen}>${rules ? rulesName(rules.name) : chosen}</option>`}
      </select>
    </label>
    ${failed && html`<${Notice} problem=${failed} />`}
    ${rules && html`<${Preview} rules=${rules} playing=${round !== null && round.outcome === null} busy=${now.sending} onConfirm=${confirm} />`}
    <a class="button quiet" href=${`/rules/edit?${new URLSearchParams({ rules: current.code, table: table.id })}`}>${t("evening-rules-new")}</a>
  <//>`;
}
