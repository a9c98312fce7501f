/** The sheet in which a player is added, changed, or merged with another spelling. */
import { postTablePicture, request } from "./api.js";
import { Dialog } from "./dialog.js";
import { FileInput, PICTURES } from "./file-input.js";
import { t } from "./i18n.js";
import { sentenceOf } from "./notice.js";
import { Avatar, nameOfPlayer } from "./people.js";
import { classes, html, useState } from "./view.js";

const LONGEST_NAME = 40;

/** One choice of several, such as a color. */
const Pick = ({ name, value, chosen, label, onChoose, children, class: className }) =>
  html`<label class=${classes("pick centered", className, chosen && "chosen")}>
    <input type="radio" class="unseen" name=${name} value=${value ?? ""} checked=${chosen} aria-label=${label} onChange=${() => onChoose(value)} />
    ${children}
  </label>`;

/**
 * @param {{player: Object|null, people: Object, host: boolean, onDone: (event: string|null, text: string) => void, onClose: () => void}} props
 *   `player`: null for a new one; `onDone`: called with the event that can be undone, if there is one
 */
export function PlayerSheet({ player, people, host, onDone, onClose }) {
  const [name, setName] = useState(player?.name ?? "");
  const [color, setColor] = useState(player?.color ?? null);
  const [emoji, setEmoji] = useState(player?.emoji ?? null);
  const [keeps, setKeeps] = useState(true);
  const [file, setFile] = useState(null);
  const [into, setInto] = useState("");
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  const act = async (work) => {
    setBusy(true);
    setProblem(null);
    try {
      await work();
    } catch (caught) {
      setProblem(caught);
      setBusy(false);
    }
  };
  const save = (event) => {
    event.preventDefault();
    act(async () => {
      const { id } = await request("POST", "/api/players", { player: player?.id ?? null, name, color, emoji, keep_picture: keeps });
      if (file) await postTablePicture(`/api/players/picture?player=${encodeURIComponent(id)}`, file);
      onDone(null, t("people-saved", { name }));
    });
  };
  const merge = () =>
    act(async () => {
      const { event } = await request("POST", "/api/players/merge", { player: player.id, into });
      onDone(event, t("people-merged", { name: player.name, into: nameOfPlayer(into) }));
    });
  const hide = () =>
    act(async () => {
      const { event } = await request("POST", "/api/players/hide", { player: player.id });
      onDone(event, t("people-hidden-now", { name: player.name }));
    });
  const separate = (event, name) =>
    act(async () => {
      await request("POST", "/api/people/undo", { event });
      onDone(null, t("people-separated", { name }));
    });
  const others = people.players.filter(({ id, hidden }) => id !== player?.id && !hidden);
  const picture = keeps ? player?.picture : null;
  return html`<${Dialog} title=${player ? player.name : t("people-add")} class="player-sheet" onClose=${onClose}>
    <form onSubmit=${save}>
      <label class="field-label stack gap-1 hint">
        <span>${t("people-name")}</span>
        <input name="name" required maxlength=${LONGEST_NAME} autocomplete="off" value=${name} onInput=${(event) => setName(event.target.value)} />
      </label>
      <fieldset class="picks">
        <legend>${t("people-color")}</legend>
        ${Array.from({ length: people.colors }, (_, n) => n + 1).map(
          (one) =>
            html`<${Pick} key=${one} name="color" value=${one} chosen=${one === color} label=${t("labeled", { label: t("people-color"), text: one })} class=${`color-${one}`} onChoose=${setColor}><span class="swatch centered" aria-hidden="true">${one === color ? "✓" : ""}</span><//>`,
        )}
      </fieldset>
      <fieldset class="picks">
        <legend>${t("people-emoji")}</legend>
        ${people.emoji.map((one) => html`<${Pick} key=${one} name="emoji" value=${one} chosen=${one === emoji} label=${one} onChoose=${setEmoji}>${one}<//>`)}
        <${Pick} name="emoji" value=${null} chosen=${emoji === null} label=${t("people-emoji-none")} onChoose=${setEmoji}>–<//>
      </fieldset>
      <div class="player-picture cluster">
        <${Avatar} player=${{ name: name || "?", color, emoji, picture }} />
        <${FileInput} accept=${PICTURES} onFiles=${([chosen]) => setFile(chosen)}>${file ? t("people-picture-chosen", { file: file.name }) : t("home-choose")}<//>
        ${picture && html`<button type="button" class="button quiet" onClick=${() => setKeeps(false)}>${t("people-picture-remove")}</button>`}
      </div>
      ${problem && html`<p class="field-problem" role="alert">${sentenceOf(problem)}</p>`}
      <button type="submit" class="button primary big" disabled=${busy || !name.trim()}>${t("save")}</button>
    </form>
    ${player &&
    host &&
    html`<section class="player-more">
      ${player.merged.map(
        (one) =>
          html`<p key=${one.event} class="fields cluster"><span>${t("people-also", { name: one.player })}</span> <button type="button" class="button quiet" disabled=${busy} onClick=${() => separate(one.event, one.player)}>${t("people-separate")}</button></p>`,
      )}
      ${others.length > 0 &&
      html`<div class="fields cluster">
        <label class="field-label stack gap-1 hint">
          <span>${t("people-same")}</span>
          <select name="into" value=${into} onChange=${(event) => setInto(event.target.value)}>
            <option value="">–</option>
            ${others.map(({ id, name: other }) => html`<option key=${id} value=${id}>${other}</option>`)}
          </select>
        </label>
        <button type="button" class="button quiet" disabled=${busy || !into} onClick=${merge}>${t("people-merge")}</button>
      </div>`}
      <button type="button" class="button quiet" disabled=${busy} onClick=${hide}>${t("people-hide")}</button>
    </section>`}
  <//>`;
}
