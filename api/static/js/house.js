/** The page of house rules: the rules in words, the differences first, and what can be done with them. */
import { request } from "./api.js";
import { useAttempt } from "./attempt.js";
import { gameOf, rememberSettings, rulesName } from "./games.js";
import { has, textOf, t } from "./i18n.js";
import { Differences, HowToPlayButton, Option } from "./how-to-play.js";
import { Invite } from "./invite.js";
import { Notice } from "./notice.js";
import { editorPath, LONGEST_NAME, rulesPath } from "./rules-list.js";
import { html, useEffect, useState } from "./view.js";

/** The message that says who wrote a preset and where it is played; other rules have none. */
const originOf = ({ name }) => `preset-${name}-origin`;

/** Start an evening, score a pile, or change the rules. */
function Use({ rules }) {
  const score = () => {
    rememberSettings({ game: rules.game, rules: rules.code, name: rules.name });
    location.assign("/");
  };
  return html`<div class="house-use stack">
    <a class="button primary big" href=${`/tables?rules=${encodeURIComponent(rules.reference)}`}>${t("house-evening")}</a>
    ${gameOf(rules.game).pile && html`<button type="button" class="button quiet big" onClick=${score}>${t("house-use")}</button>`}
    <${HowToPlayButton} rules=${rules.code} class="big" />
    <a class="button quiet big" href=${editorPath(rules.reference)}>${t("house-edit")}</a>
  </div>`;
}

/** Rename or delete saved rules. @param {{name: string}} props */
function Manage({ name }) {
  const [problem, attempt] = useAttempt();
  const path = `/api/rules/${encodeURIComponent(name)}`;
  const rename = (event) => {
    event.preventDefault();
    const wanted = new FormData(event.target).get("name").trim();
    attempt(async () => location.replace(rulesPath((await request("PATCH", path, { name: wanted })).name)));
  };
  const remove = () =>
    attempt(async () => {
      const { name: deleted, code } = await request("DELETE", path);
      location.assign(`/rules#${new URLSearchParams({ deleted, code })}`);
    });
  return html`<details class="rules-card panel">
    <summary><h2>${t("house-manage")}</h2></summary>
    <form class="rules-save" onSubmit=${rename}>
      <label class="field-label stack gap-1 hint">
        <span>${t("rules-edit-name")}</span>
        <input name="name" required value=${name} maxlength=${LONGEST_NAME} autocomplete="off" />
      </label>
      <button type="submit" class="button quiet">${t("house-rename")}</button>
      <button type="button" class="button danger" onClick=${remove}>${t("delete")}</button>
    </form>
    ${problem && html`<${Notice} problem=${problem} />`}
  </details>`;
}

/** The saved rules of this name; null without any, undefined until that is known. */
function useSaved(rules) {
  const [saved, setSaved] = useState(undefined);
  useEffect(() => {
    request("GET", "/api/rules").then(
      (answer) => setSaved(answer.rules.find((one) => one.saved && one.name === rules.name) ?? null),
      () => setSaved(null), // the rules can be read without it
    );
  }, [rules.name]);
  return saved;
}

/** @param {{rules: Object}} props the response of GET /api/rules/{name} */
export function House({ rules: described }) {
  const saved = useSaved(described);
  const preset = gameOf(described.game).presets.some(({ name }) => name === described.name);
  const rules = { ...described, reference: saved || preset ? described.name : described.code };
  return html`<article class="house-rules stack gap-4 page narrow">
    <header class="house-head stack from-start">
      <p class="house-game">${textOf(rules.title)}</p>
      <h1>${rulesName(rules.name)}</h1>
      ${rules.sentence && html`<p class="rules-lead soft">${textOf(rules.sentence)}</p>`}
      ${has(originOf(rules)) && html`<p class="fine">${t(originOf(rules))}</p>`}
      <p class="share-code hint"><span>${t("house-code")}</span> <code>${rules.code}</code></p>
      ${saved !== undefined && html`<${Use} rules=${rules} />`}
    </header>
    <${Differences} rules=${rules} />
    ${Object.entries(rules.sections).map(
      ([section, title]) =>
        html`<section key=${section} class="rules-card panel">
          <h2>${textOf(title)}</h2>
          <ul>
            ${rules.options
              .filter((option) => option.section === section)
              .map((option) => html`<${Option} key=${option.key} option=${option} marked=${option.instead_of} />`)}
          </ul>
        </section>`,
    )}
    <details class="rules-card panel">
      <summary><h2>${t("house-share")}</h2></summary>
      <${Invite} path=${`/r/${rules.code}`} label=${t("house-share-text")} />
    </details>
    ${saved && html`<${Manage} name=${saved.name} />`}
    <a class="button quiet" href="/rules">${t("house-all")}</a>
  </article>`;
}
