/** The page of a share code: the house rules in words, the differences first, then every option. */
import { gameOf, rememberSettings, rulesName } from "./games.js";
import { has, textOf, t, tn } from "./i18n.js";
import { html } from "./view.js";

const plain = (sentence) => textOf(sentence).replace(/[.。]$/, "");

/** One option: its meaning under these rules, and under the rules called `instead`. */
function Option({ option, instead, marked }) {
  return html`<li class=${marked ? "rule marked" : "rule"}>
    <span class="rule-point">${plain(option.sentence)}</span>
    <b class="rule-meaning">${textOf(option.meaning)}</b>
    ${instead && html`<span class="fine">${t("house-instead", { rules: instead, meaning: textOf(option.instead_of.meaning) })}</span>`}
  </li>`;
}

function Differences({ rules }) {
  const different = rules.options.filter((option) => option.instead_of);
  const other = rulesName(rules.differs_from);
  if (different.length === 0) {
    return rules.name !== rules.differs_from && html`<p class="rules-lead">${t("house-same", { rules: other })}</p>`;
  }
  return html`<section class="rules-card">
    <h2>${tn("house-differs", different.length, { rules: other })}</h2>
    <ul>
      ${different.map((option) => html`<${Option} key=${option.key} option=${option} instead=${other} marked />`)}
    </ul>
  </section>`;
}

/** The message that says who wrote a preset and where it is played; other rules have none. */
const originOf = ({ name }) => `preset-${name}-origin`;

/** Uses these rules for this phone's next picture, if the program scores piles of the game. */
function Use({ rules }) {
  if (!gameOf(rules.game).pile) return null;
  const use = () => {
    rememberSettings({ game: rules.game, rules: rules.code, name: rules.name });
    location.assign("/");
  };
  return html`<button type="button" class="button primary big" onClick=${use}>${t("house-use")}</button>`;
}

/** @param {{rules: Object}} props the response of GET /api/rules/{name} */
export function House({ rules }) {
  return html`<article class="house-rules">
    <header class="house-head">
      <p class="house-game">${textOf(rules.title)}</p>
      <h1>${rulesName(rules.name)}</h1>
      ${rules.sentence && html`<p class="rules-lead">${textOf(rules.sentence)}</p>`}
      ${has(originOf(rules)) && html`<p class="fine">${t(originOf(rules))}</p>`}
      <p class="share-code"><span>${t("house-code")}</span> <code>${rules.code}</code></p>
      <${Use} rules=${rules} />
    </header>
    <${Differences} rules=${rules} />
    ${Object.entries(rules.sections).map(
      ([section, title]) =>
        html`<section key=${section} class="rules-card">
          <h2>${textOf(title)}</h2>
          <ul>
            ${rules.options
              .filter((option) => option.section === section)
              .map((option) => html`<${Option} key=${option.key} option=${option} marked=${option.instead_of} />`)}
          </ul>
        </section>`,
    )}
  </article>`;
}
