/** The players who are remembered, the rounds that guests claim, and the circles. */
import { request } from "./api.js";
import { CircleSheet } from "./circle-sheet.js";
import { day, listed, t, tn } from "./i18n.js";
import { Notice } from "./notice.js";
import { Avatar, loadPeople, nameOfPlayer } from "./people.js";
import { PlayerSheet } from "./player-sheet.js";
import { queryOf } from "./rounds.js";
import { html, useEffect, useState } from "./view.js";

/** A player's line: a tap opens the sheet, or without the right to change it the statistics. */
function One({ player, onOpen }) {
  const { id, name, nights, last } = player;
  const text = html`<${Avatar} player=${player} /><span><b>${name}</b> <small>${last ? `${tn("people-nights", nights)} · ${day(last)}` : t("people-new")}</small></span>`;
  return html`<li data-player=${id}>
    ${onOpen ? html`<button type="button" class="player-line line gap-3 panel plain-link" onClick=${onOpen}>${text}</button>` : html`<a class="player-line line gap-3 panel plain-link" href=${`/stats?${queryOf({ player: id })}`}>${text}</a>`}
  </li>`;
}

/** The claims that wait for a host. */
const Claims = ({ claims, onAct }) =>
  html`<section class="claims">
    <h2>${t("people-claims")}</h2>
    <ul>
      ${claims.map(
        ({ event, night, name, player, actor }) =>
          html`<li key=${event} class="fields cluster">
            <a href=${`/nights/${encodeURIComponent(night)}`}>${t("people-claim", { actor, guest: name, name: nameOfPlayer(player) })}</a>
            <button type="button" class="button primary" onClick=${() => onAct("/api/claims/confirm", event)}>${t("people-claim-yes")}</button>
            <button type="button" class="button quiet" onClick=${() => onAct("/api/people/undo", event)}>${t("people-claim-no")}</button>
          </li>`,
      )}
    </ul>
  </section>`;

export function Players() {
  const [people, setPeople] = useState(null);
  const [me, setMe] = useState(null);
  const [saved, setSaved] = useState([]);
  const [open, setOpen] = useState(null); // {player} or {circle} whose sheet is open, null inside for a new one
  const [done, setDone] = useState(null); // what was just done: its text, and the event to undo
  const [problem, setProblem] = useState(null);
  const load = async () => {
    setProblem(null);
    try {
      setPeople(await loadPeople());
    } catch (caught) {
      setProblem(caught);
    }
  };
  useEffect(() => {
    load();
    request("GET", "/api/me").then(setMe, () => {}); // without it the page only shows
    request("GET", "/api/rules").then(({ rules }) => setSaved(rules.filter((one) => one.saved)), () => {});
  }, []);
  const host = me?.role === "host";
  const edits = host || (me?.role === "scorer" && me.seat === null);
  const finish = (event, text) => {
    setOpen(null);
    setDone({ event, text });
    load();
  };
  const act = async (path, event) => {
    try {
      await request("POST", path, { event });
      setDone(null);
      load();
    } catch (caught) {
      setProblem(caught);
    }
  };
  const shown = people?.players.filter(({ hidden }) => !hidden) ?? [];
  const gone = people?.players.filter(({ hidden }) => hidden) ?? [];
  const close = () => setOpen(null);
  return html`<div class="players-page stack gap-4 page narrow">
    <header>
      <p class="fine crumbs"><a href="/log">${t("nav-log")}</a> · <a href="/stats">${t("stats-title")}</a></p>
      <h1>${t("people-title")}</h1>
      <p class="hint">${t("people-text")}</p>
    </header>
    ${done &&
    html`<p class="rules-deleted cluster between" role="status">
      <span>${done.text}</span>
      ${done.event && html`<button type="button" class="button quiet" onClick=${() => act("/api/people/undo", done.event)}>${t("live-undo")}</button>`}
    </p>`}
    ${problem && html`<${Notice} problem=${problem}><button type="button" class="button primary" onClick=${load}>${t("problem-again")}</button><//>`}
    ${people === null && !problem && html`<p class="loading" role="status">${t("app-loading")}</p>`}
    ${host && people?.claims.length > 0 && html`<${Claims} claims=${people.claims} onAct=${act} />`}
    ${people &&
    html`<section aria-label=${t("people-title")}>
        <ul class="player-list">
          ${shown.map((one) => html`<${One} key=${one.id} player=${one} onOpen=${edits ? () => setOpen({ player: one }) : null} />`)}
        </ul>
        ${shown.length === 0 && html`<p>${t("people-none")}</p>`}
        ${edits && html`<button type="button" class="button primary" onClick=${() => setOpen({ player: null })}>${t("people-add")}</button>`}
        ${gone.length > 0 &&
        html`<details class="gone">
          <summary>${t("people-gone")}</summary>
          <ul>
            ${gone.map(
              (one) =>
                html`<li key=${one.id} class="fields cluster"><span class="player-name"><${Avatar} player=${one} />${one.name}</span> ${host && html`<button type="button" class="button quiet" onClick=${() => act("/api/people/undo", one.hidden)}>${t("people-offer")}</button>`}</li>`,
            )}
          </ul>
        </details>`}
      </section>
      ${(host || people.circles.length > 0) &&
      html`<section class="circles">
        <h2>${t("people-circles")}</h2>
        <p class="hint">${t("people-circles-text")}</p>
        <ul class="player-list">
          ${people.circles.map(
            (one) =>
              html`<li key=${one.id} class="circle line gap-3 panel plain-link">
                <b>${one.name}</b>
                <span class="fine">${listed(one.players.map(nameOfPlayer))}</span>
                <span class="buttons">
                  <a class="button quiet" href=${`/stats?${queryOf({ circle: one.id })}&game=`}>${t("stats-title")}</a>
                  <a class="button quiet" href=${`/log?${queryOf({ circle: one.id })}`}>${t("home-log")}</a>
                  ${host && html`<button type="button" class="button quiet" onClick=${() => setOpen({ circle: one })}>${t("people-change")}</button>`}
                </span>
              </li>`,
          )}
        </ul>
        ${host && html`<button type="button" class="button quiet" onClick=${() => setOpen({ circle: null })}>${t("people-circle-add")}</button>`}
      </section>`}`}
    ${open && "player" in open && html`<${PlayerSheet} player=${open.player} people=${people} host=${host} onDone=${finish} onClose=${close} />`}
    ${open && "circle" in open && html`<${CircleSheet} circle=${open.circle} people=${people} saved=${saved} onDone=${finish} onClose=${close} />`}
  </div>`;
}
