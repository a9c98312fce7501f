/** The list of house rules: of each game those that people saved, then the presets. It is the same on every phone. */
import { getRules, request } from "./api.js";
import { allGames, rulesName } from "./games.js";
import { HowToPlayButton } from "./how-to-play.js";
import { day, t, textOf } from "./i18n.js";
import { Notice, sentenceOf } from "./notice.js";
import { html, useEffect, useState } from "./view.js";

/** Characters of the name of saved rules, as on the server. */
export const LONGEST_NAME = 40;

/** The address of the page that describes rules. @param {string} name a preset, saved name or share code */
export const rulesPath = (name) => `/r/${encodeURIComponent(name)}`;

/** The address of the page that changes rules. @param {string} name */
export const editorPath = (name) => `/rules/edit?rules=${encodeURIComponent(name)}`;

/** A form for a share code that somebody read out. */
function TypedCode() {
  const [problem, setProblem] = useState(null);
  const open = async (event) => {
    event.preventDefault();
    const code = new FormData(event.target).get("code").trim();
    if (!code) return;
    try {
      await getRules(code);
      location.assign(rulesPath(code));
    } catch (caught) {
      setProblem(caught);
    }
  };
  return html`<form class="typed-code" onSubmit=${open}>
    <label class="field-label stack gap-1 hint">
      <span>${t("house-code")}</span>
      <input name="code" autocomplete="off" autocapitalize="characters" spellcheck=${false} placeholder="K1G6-2R" aria-describedby=${problem ? "code-problem" : undefined} />
    </label>
    <button type="submit" class="button primary">${t("rules-list-open")}</button>
    ${problem && html`<p id="code-problem" class="field-problem" role="alert">${sentenceOf(problem)}</p>`}
  </form>`;
}

/** The rules that were just deleted (in the address after #), with a button that restores them. */
function Deleted({ onRestore }) {
  const [deleted, setDeleted] = useState(() => Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
  const [problem, setProblem] = useState(null);
  useEffect(() => history.replaceState(null, "", location.pathname), []);
  if (!deleted.deleted) return null;
  const restore = async () => {
    try {
      await request("PUT", `/api/rules/${encodeURIComponent(deleted.deleted)}`, { rules: deleted.code });
      setDeleted({});
      onRestore();
    } catch (caught) {
      setProblem(caught);
    }
  };
  if (problem) return html`<${Notice} problem=${problem} />`;
  return html`<p class="rules-deleted cluster between" role="status">
    <span>${t("rules-list-deleted", { name: deleted.deleted })}</span>
    <button type="button" class="button quiet" onClick=${restore}>${t("live-undo")}</button>
  </p>`;
}

const Entry = ({ rules }) =>
  html`<li>
    <a class="rules-entry stack gap-1 panel plain-link" href=${rulesPath(rules.name)}>
      <b>${rulesName(rules.name)}</b>
      <span>${rules.saved ? t("rules-list-based", { rules: rulesName(rules.based_on), day: day(rules.saved) }) : textOf(rules.sentence)}</span>
    </a>
  </li>`;

function OfGame({ game, rules }) {
  const saved = rules.filter((one) => one.saved);
  return html`<section class="rules-of-game" data-game=${game.game}>
    <h2>${textOf(game.names)}</h2>
    <ul>
      ${[...saved, ...rules.filter((one) => !one.saved)].map((one) => html`<${Entry} key=${one.name} rules=${one} />`)}
    </ul>
    <div class="buttons">
      <${HowToPlayButton} rules=${game.presets[0].name} />
      <a class="button quiet" href=${editorPath(game.presets[0].name)}>${t("rules-list-new")}</a>
    </div>
  </section>`;
}

export function RulesList() {
  const [rules, setRules] = useState(null);
  const [problem, setProblem] = useState(null);
  const load = () => {
    setProblem(null);
    request("GET", "/api/rules").then((answer) => setRules(answer.rules), setProblem);
  };
  useEffect(load, []);
  return html`<div class="house-rules stack gap-4 page narrow rules-list">
    <header class="house-head stack from-start">
      <h1>${t("house-title")}</h1>
      <p class="rules-lead soft">${t("rules-list-text")}</p>
    </header>
    <${Deleted} onRestore=${load} />
    <${TypedCode} />
    ${problem && html`<${Notice} problem=${problem}><button type="button" class="button primary" onClick=${load}>${t("problem-again")}</button><//>`}
    ${rules && allGames().map((game) => html`<${OfGame} key=${game.game} game=${game} rules=${rules.filter((one) => one.game === game.game)} />`)}
  </div>`;
}
