/** The guests of an evening: whose rounds theirs are. */
import { request } from "./api.js";
import { t } from "./i18n.js";
import { sentenceOf } from "./notice.js";
import { loadPeople, nameOfPlayer, PlayerName } from "./people.js";
import { html, useEffect, useState } from "./view.js";

/** A guest, with the choice of a player. */
function Guest({ name, players, host, onClaim }) {
  const [player, setPlayer] = useState("");
  return html`<li class="fields cluster">
    <label class="field-label stack gap-1 hint">
      <span>${t(host ? "people-guest-who" : "people-guest-me", { name })}</span>
      <select value=${player} onChange=${(event) => setPlayer(event.target.value)}>
        <option value="">–</option>
        ${players.map(({ id, name: other }) => html`<option key=${id} value=${id}>${other}</option>`)}
      </select>
    </label>
    <button type="button" class="button quiet" disabled=${!player} onClick=${() => onClaim(name, player)}>${t(host ? "people-guest-assign" : "people-guest-ask")}</button>
  </li>`;
}

/** @param {{night: Object, me: Object|null, onChange: () => void}} props `onChange`: the evening must be fetched again */
export function Guests({ night, me, onChange }) {
  const [people, setPeople] = useState(null);
  const [problem, setProblem] = useState(null);
  const load = () => loadPeople(night.id).then(setPeople, () => {}); // without them the page only shows the evening
  useEffect(() => {
    load();
  }, [night]);
  const host = me?.role === "host";
  const guests = new Set(night.games.flatMap((game) => game.players.filter((name, n) => name && game.player_ids[n] === "")));
  if (!people || (!host && me?.role !== "scorer") || (guests.size === 0 && people.claims.length === 0)) return null;
  const act = async (path, body) => {
    setProblem(null);
    try {
      await request("POST", path, body);
      await onChange();
      load();
    } catch (caught) {
      setProblem(caught);
    }
  };
  const claim = (name, player) => act(`/api/nights/${encodeURIComponent(night.id)}/claims`, { name, player });
  return html`<section class="night-guests">
    <h2>${t("people-guests")}</h2>
    ${problem && html`<p role="alert">${sentenceOf(problem)}</p>`}
    <ul>
      ${people.claims.map(
        ({ event, name, player, confirmed, actor }) =>
          html`<li key=${event} class="fields cluster">
            <span>${confirmed ? html`${name} → <${PlayerName} id=${player} />` : t("people-claim", { actor, guest: name, name: nameOfPlayer(player) })}</span>
            ${host && !confirmed && html`<button type="button" class="button primary" onClick=${() => act("/api/claims/confirm", { event })}>${t("people-claim-yes")}</button>`}
            ${host && html`<button type="button" class="button quiet" onClick=${() => act("/api/people/undo", { event })}>${t(confirmed ? "live-undo" : "people-claim-no")}</button>`}
            ${!host && !confirmed && html`<small>${t("people-claim-waits")}</small>`}
          </li>`,
      )}
      ${[...guests].map((name) => html`<${Guest} key=${name} name=${name} players=${people.players.filter(({ hidden }) => !hidden)} host=${host} onClaim=${claim} />`)}
    </ul>
    <p class="fine">${t("people-guests-text")} <a href="/players">${t("people-title")}</a></p>
  </section>`;
}
