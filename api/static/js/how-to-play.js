/** How a game is played: its rules in the words of a player, with the house rules of the table. */
import { getRules } from "./api.js";
import { Dialog } from "./dialog.js";
import { Row } from "./face.js";
import { rulesName } from "./games.js";
import { t, textOf, tn } from "./i18n.js";
import { Notice } from "./notice.js";
import { classes, html, useEffect, useState } from "./view.js";

/** One option: its meaning under these rules, and under the rules called `instead`. */
export function Option({ option, instead, marked }) {
  return html`<li class=${classes("rule stack gap-0", marked && "marked")}>
    <span class="rule-point hint">${textOf(option.sentence)}</span>
    <b class="rule-meaning">${textOf(option.meaning)}</b>
    ${instead && html`<span class="fine">${t("house-instead", { rules: instead, meaning: textOf(option.instead_of.meaning) })}</span>`}
  </li>`;
}

/** The options that differ from other rules. @param {{rules: Object}} props the response of GET /api/rules/{name} */
export function Differences({ rules }) {
  const different = rules.options.filter((option) => option.instead_of);
  const other = rulesName(rules.differs_from);
  if (different.length === 0) {
    return rules.name !== rules.differs_from && html`<p class="rules-lead soft">${t("house-same", { rules: other })}</p>`;
  }
  return html`<section class="rules-card panel">
    <h2>${tn("house-differs", different.length, { rules: other })}</h2>
    <ul>
      ${different.map((option) => html`<${Option} key=${option.key} option=${option} instead=${other} marked />`)}
    </ul>
  </section>`;
}

const Example = ({ name, worth, text, cards }) =>
  html`<li class="stack gap-1">
    <span class="line between"><b>${textOf(name)}</b>${worth && html` <b class="points">${textOf(worth)}</b>`}</span>
    ${text && html`<span class="hint">${textOf(text)}</span>`}
    <${Row} ids=${cards} />
  </li>`;

function Chapter({ chapter, options }) {
  return html`<section class="panel stack gap-3">
    <h3>${textOf(chapter.title)}</h3>
    ${chapter.text.map((paragraph) => html`<p key=${paragraph.code}>${textOf(paragraph)}</p>`)}
    ${chapter.examples.length > 0 && html`<ul class="gap-4">${chapter.examples.map((one, n) => html`<${Example} key=${n} ...${one} />`)}</ul>`}
    ${options.length > 0 && html`<ul>${options.map((option) => html`<${Option} key=${option.key} option=${option} marked=${option.instead_of} />`)}</ul>`}
  </section>`;
}

/** The sheet with all chapters. @param {{rules: string, onClose: () => void}} props `rules`: a name or share code */
export function HowToPlay({ rules, onClose }) {
  const [found, setFound] = useState(null);
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    getRules(rules).then(setFound, setProblem);
  }, [rules]);
  return html`<${Dialog} title=${found ? t("how-of", { game: textOf(found.title) }) : t("how-title")} class="sheet how" onClose=${onClose}>
    ${problem && html`<${Notice} problem=${problem} />`}
    ${!found && !problem && html`<p class="loading" role="status">${t("app-loading")}</p>`}
    ${found &&
    html`<p class="hint">${rulesName(found.name)}</p>
      ${found.how_to_play.map((chapter) => html`<${Chapter} key=${chapter.title.code} chapter=${chapter} options=${found.options.filter(({ key }) => chapter.options.includes(key))} />`)}
      <${Differences} rules=${found} />
      <p class="hint">${t("how-again")}</p>
      <button type="button" class="button primary big" onClick=${onClose}>${t("how-ready")}</button>`}
  <//>`;
}

/** A button that opens the sheet. @param {{rules: string, class?: string}} props */
export function HowToPlayButton({ rules, class: className }) {
  const [open, setOpen] = useState(false);
  return html`<button type="button" class=${classes("button quiet how-open", className)} onClick=${() => setOpen(true)}>${t("how-title")}</button>
    ${open && html`<${HowToPlay} rules=${rules} onClose=${() => setOpen(false)} />`}`;
}

/** Whether this phone has not seen the rules of a game before; from now on it has. @param {string} game */
function isFirst(game) {
  const key = `hanafuda-companion.how-to-play.${game}`;
  try {
    if (localStorage.getItem(key)) return false;
    localStorage.setItem(key, "seen");
    return true;
  } catch {
    return false; // without storage it would open every time
  }
}

/** The sheet, opened once on each phone for each game. @param {{game: string, rules: string}} props */
export function FirstGame({ game, rules }) {
  const [open, setOpen] = useState(() => isFirst(game));
  return open && html`<${HowToPlay} rules=${rules} onClose=${() => setOpen(false)} />`;
}
