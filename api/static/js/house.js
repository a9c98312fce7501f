/** The page of a share code's link: house rules read out, what differs first, then every option. */
import { gameOf, rememberSettings, rulesName } from "./games.js";
import { own, t, tn } from "./i18n.js";
import { html } from "./view.js";

const plain = (sentence) => own(sentence).replace(/[.。]$/, "");

/** One option: the point on which tables differ, what these rules say to it, and what those called `instead` say. */
function Option({ option, instead, marked }) {
  return html`<li class=${marked ? "rule marked" : "rule"}>
    <span class="rule-point">${plain(option.sentence)}</span>
    <b class="rule-meaning">${own(option.meaning)}</b>
    ${instead && html`<span class="fine">${t("house-instead", { rules: instead, meaning: own(option.instead_of.meaning) })}</span>`}
  </li>`;
}

function Differences({ told }) {
  const different = told.options.filter((option) => option.instead_of);
  const other = rulesName(told.differs_from);
  if (different.length === 0) {
    return told.name !== told.differs_from && html`<p class="rules-lead">${t("house-same", { rules: other })}</p>`;
  }
  return html`<section class="rules-card">
    <h2>${tn("house-differs", different.length, { rules: other })}</h2>
    <ul>
      ${different.map((option) => html`<${Option} key=${option.key} option=${option} instead=${other} marked />`)}
    </ul>
  </section>`;
}

/** Makes these the rules of this phone's next picture, where the program scores the game's piles. */
function Use({ told }) {
  if (!gameOf(told.game).pile) return null;
  const use = () => {
    rememberSettings({ game: told.game, rules: told.code, name: told.name });
    location.assign("/");
  };
  return html`<button type="button" class="button primary big" onClick=${use}>${t("house-use")}</button>`;
}

/** @param {{told: Object}} props the answer of GET /api/rules/{name} */
export function House({ told }) {
  return html`<article class="house-rules">
    <header class="house-head">
      <p class="house-game">${own(told.title)}</p>
      <h1>${rulesName(told.name)}</h1>
      ${told.sentence && html`<p class="rules-lead">${own(told.sentence)}</p>`}
      <p class="share-code"><span>${t("house-code")}</span> <code>${told.code}</code></p>
      <${Use} told=${told} />
    </header>
    <${Differences} told=${told} />
    ${Object.entries(told.sections).map(
      ([section, title]) =>
        html`<section key=${section} class="rules-card">
          <h2>${own(title)}</h2>
          <ul>
            ${told.options
              .filter((option) => option.section === section)
              .map((option) => html`<${Option} key=${option.key} option=${option} marked=${option.instead_of} />`)}
          </ul>
        </section>`,
    )}
  </article>`;
}
