/** The rules that score the pile, and a sheet to choose others. */
import { Dialog } from "./dialog.js";
import { allGames, gameOf, rulesName } from "./games.js";
import { textOf, t } from "./i18n.js";
import { html, useState } from "./view.js";

function Game({ game, chosen, onChoose }) {
  return html`<fieldset class="game stack">
    <legend>${textOf(game.names)}</legend>
    ${game.presets.map(
      (preset) =>
        html`<label key=${preset.name} class="preset panel">
          <input
            type="radio"
            name="rules"
            value=${preset.name}
            checked=${chosen.game === game.game && chosen.rules === preset.name}
            onChange=${() => onChoose({ game: game.game, rules: preset.name })}
          />
          <span><b>${rulesName(preset.name)}</b> <span>${textOf(preset.sentence)}</span></span>
        </label>`,
    )}
  </fieldset>`;
}

/**
 * @param {{game: string, rules: {name: string}, onChoose: (settings: {game: string, rules: string}) => void}} props
 */
export function Rules({ game, rules, onChoose }) {
  const [open, setOpen] = useState(false);
  const choose = (settings) => {
    setOpen(false);
    onChoose(settings);
  };
  return html`<div class="rules">
    <button type="button" class="rules-line line gap-4 between bare" aria-haspopup="dialog" onClick=${() => setOpen(true)}>
      <span>${textOf(gameOf(game).names)} · <b>${rulesName(rules.name)}</b></span>
      <span class="change">${t("people-change")}</span>
    </button>
    ${open &&
    html`<${Dialog} title=${t("rules-title")} class="rules-dialog" onClose=${() => setOpen(false)}>
      <p class="hint">${t("rules-hint")}</p>
      ${allGames().filter((one) => one.pile).map((one) => html`<${Game} key=${one.game} game=${one} chosen=${{ game, rules: rules.name }} onChoose=${choose} />`)}
    <//>`}
  </div>`;
}
