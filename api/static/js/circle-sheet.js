/** The sheet in which a circle is made, changed or removed. */
import { request } from "./api.js";
import { Dialog } from "./dialog.js";
import { allGames, gameOf, rulesName } from "./games.js";
import { t, textOf } from "./i18n.js";
import { sentenceOf } from "./notice.js";
import { PlayerName } from "./people.js";
import { html, useState } from "./view.js";

const LONGEST_NAME = 40;

/**
 * @param {{circle: Object|null, people: Object, saved: Object[], onDone: (event: string|null, text: string) => void, onClose: () => void}} props
 *   `circle`: null for a new one; `saved`: the saved rules
 */
export function CircleSheet({ circle, people, saved, onDone, onClose }) {
  const [name, setName] = useState(circle?.name ?? "");
  const [members, setMembers] = useState(new Set(circle?.players ?? []));
  const [game, setGame] = useState(circle?.game ?? "");
  const [rules, setRules] = useState(circle?.rules ?? "");
  const [problem, setProblem] = useState(null);
  const toggle = (id) => setMembers(new Set(members.has(id) ? [...members].filter((one) => one !== id) : [...members, id]));
  const act = async (path, body, text) => {
    setProblem(null);
    try {
      const { event } = await request("POST", path, body);
      onDone(path.endsWith("remove") ? event : null, text);
    } catch (caught) {
      setProblem(caught);
    }
  };
  const save = (event) => {
    event.preventDefault();
    const body = { circle: circle?.id ?? null, name, players: [...members], game: game || null, rules: (game && rules) || null };
    act("/api/circles", body, t("people-saved", { name }));
  };
  const choices = game ? [...gameOf(game).presets, ...saved.filter((one) => one.game === game)].map((one) => one.name) : [];
  return html`<${Dialog} title=${circle ? circle.name : t("people-circle-add")} class="player-sheet" onClose=${onClose}>
    <form onSubmit=${save}>
      <label class="field-label stack gap-1 hint">
        <span>${t("people-circle-name")}</span>
        <input name="name" required maxlength=${LONGEST_NAME} autocomplete="off" value=${name} onInput=${(event) => setName(event.target.value)} />
      </label>
      <fieldset class="members">
        <legend>${t("people-members")}</legend>
        ${people.players
          .filter(({ id, hidden }) => !hidden || members.has(id))
          .map(
            ({ id }) =>
              html`<label key=${id} class="member line"><input type="checkbox" name="member" value=${id} checked=${members.has(id)} onChange=${() => toggle(id)} /> <${PlayerName} id=${id} /></label>`,
          )}
      </fieldset>
      <label class="field-label stack gap-1 hint">
        <span>${t("people-circle-game")}</span>
        <select name="game" value=${game} onChange=${(event) => { setGame(event.target.value); setRules(""); }}>
          <option value="">–</option>
          ${allGames().map((one) => html`<option key=${one.game} value=${one.game}>${textOf(one.names)}</option>`)}
        </select>
      </label>
      ${game &&
      html`<label class="field-label stack gap-1 hint">
        <span>${t("people-circle-rules")}</span>
        <select name="rules" value=${rules} onChange=${(event) => setRules(event.target.value)}>
          <option value="">–</option>
          ${choices.map((one) => html`<option key=${one} value=${one}>${rulesName(one)}</option>`)}
        </select>
      </label>`}
      ${problem && html`<p class="field-problem" role="alert">${sentenceOf(problem)}</p>`}
      <button type="submit" class="button primary big" disabled=${!name.trim()}>${t("save")}</button>
    </form>
    ${circle && html`<section class="player-more"><button type="button" class="button quiet" onClick=${() => act("/api/circles/remove", { circle: circle.id }, t("people-circle-removed", { name: circle.name }))}>${t("people-circle-remove")}</button></section>`}
  <//>`;
}
