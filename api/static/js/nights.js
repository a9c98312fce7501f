/** The log of evenings: each with its players, its games and who won. */
import { request } from "./api.js";
import { byDay } from "./days.js";
import { Face } from "./face.js";
import { gameOf, rulesName, scoreOf } from "./games.js";
import { listed, t, textOf, timeOfDay, tn } from "./i18n.js";
import { Notice } from "./notice.js";
import { loadPeople } from "./people.js";
import { Transfer } from "./transfer.js";
import { html, useEffect, useState } from "./view.js";

const MAX_NAMES = 4;
const FAN = ["maple-deer", "susuki-moon", "pine-crane"];

/** A player's name at a game. @param {{players: string[]}} game @param {number} seat from 1 */
export const playerName = ({ players }, seat) => players[seat - 1] || t("live-seat", { seat });

/** Who won a game or leads it, with the points: "Aiko wins 24 : 10". @param {Object} game */
export function resultLine(game) {
  const order = game.points.map((_, n) => n).sort((one, other) => game.points[other] - game.points[one]);
  const score = scoreOf(game.game, order.map((n) => game.points[n]));
  const names = listed(game.winners.map((seat) => playerName(game, seat)));
  const count = game.winners.length;
  if (game.over || game.status === "closed") return count === game.players.length || count === 0 ? t("night-tie", { score }) : t("night-wins", { names, count, score });
  return count === 0 ? t("night-level", { score }) : t("night-leads", { names, count, score });
}

const roundsLine = ({ played, of }) => (of ? t("night-rounds-of", { count: played, of }) : tn("rule-unit-rounds", played));

/** The players of an evening in a line. @param {{players: string[], games: Object[]}} night */
export function playersLine({ players, games }) {
  if (players.length === 0) return textOf(gameOf(games[0].game).names);
  if (players.length <= MAX_NAMES) return players.join(" · ");
  return t("night-players-more", { names: players.slice(0, MAX_NAMES).join(" · "), count: players.length - MAX_NAMES });
}

/** Whether an evening still goes on: it is not closed, and its last game is not over. */
export const goesOn = ({ status, games }) => status === "open" && !games.at(-1).over;

const PAUSED_MS = 12 * 3600 * 1000; // after a night without an event nobody is playing any more

/** Whether somebody played lately. @param {{ended: string}} night */
export const isRecent = ({ ended }) => Date.now() - Date.parse(ended) < PAUSED_MS;

/** An evening in a list. @param {{night: Object, href?: string}} props `href`: where a tap leads */
export function NightCard({ night, href }) {
  const played = night.games.filter((game) => game.played > 0);
  return html`<li class="night-card panel pad-0">
    <a class="stack gap-1 plain-link" href=${href ?? `/nights/${encodeURIComponent(night.id)}`}>
      <span class="night-players">${night.name ?? playersLine(night)}</span>
      ${night.name && html`<span>${playersLine(night)}</span>`}
      ${(played.length > 0 ? played : night.games).map(
        (game) =>
          html`<span key=${game.table} class="night-game stack gap-0">
            <b>${game.played > 0 ? resultLine(game) : t("night-none-yet")}</b>
            <small>${textOf(gameOf(game.game).names)} · ${rulesName(game.rules.name)} · ${roundsLine(game)}</small>
          </span>`,
      )}
      <small class="fine">
        <time datetime=${night.began}>${timeOfDay(night.began)}</time>
        ${goesOn(night) && html` <em class="night-open">${t(isRecent(night) ? "night-open" : "night-paused")}</em>`}
      </small>
    </a>
  </li>`;
}

/** The evenings as far as they are fetched. @param {Object} [wanted] further parameters of the query */
function useNights(wanted) {
  const [nights, setNights] = useState(null);
  const [next, setNext] = useState(null);
  const [problem, setProblem] = useState(null);
  const fetchMore = async (before) => {
    setProblem(null);
    try {
      const circle = new URLSearchParams(location.search).get("circle");
      const query = new URLSearchParams({ ...wanted, ...(before && { before }), ...(circle && { circle }) });
      const answer = await request("GET", `/api/nights?${query}`);
      setNights((known) => [...((before && known) || []), ...answer.nights]);
      setNext(answer.next);
    } catch (caught) {
      setProblem({ caught, again: () => fetchMore(before) });
    }
  };
  useEffect(() => {
    fetchMore(null);
  }, []);
  return { nights, problem, more: next && (() => fetchMore(next)), again: () => fetchMore(null) };
}

const Empty = () =>
  html`<section class="empty">
    <div class="fan" aria-hidden="true">${FAN.map((id) => html`<${Face} key=${id} id=${id} />`)}</div>
    <h2>${t("log-nights-empty")}</h2>
    <p>${t("log-nights-empty-text")}</p>
    <a class="button primary" href="/tables">${t("log-nights-start")}</a>
  </section>`;

/** The choice of a circle whose evenings to list; nothing without circles. */
function CircleFilter() {
  const [circles, setCircles] = useState([]);
  useEffect(() => {
    loadPeople().then((people) => setCircles(people.circles), () => {}); // without them all evenings are listed
  }, []);
  if (circles.length === 0) return null;
  const choose = (event) => location.assign(`/log${event.target.value && `?circle=${encodeURIComponent(event.target.value)}`}`);
  const chosen = new URLSearchParams(location.search).get("circle") ?? "";
  return html`<label class="field-label stack gap-1 hint circle-filter">
    <span>${t("people-circle")}</span>
    <select value=${chosen} onChange=${choose}>
      <option value="">${t("people-everybody")}</option>
      ${circles.map(({ id, name }) => html`<option key=${id} value=${id} selected=${id === chosen}>${name}</option>`)}
    </select>
  </label>`;
}

/** The evenings that were deleted lately, for hosts, who may restore them on their pages. */
function Deleted() {
  const { nights, more } = useNights({ deleted: "1" });
  if (!nights?.length) return null;
  return html`<details class="deleted-nights stack gap-3">
    <summary>${t("log-nights-deleted")}</summary>
    <ul class="entries stack gap-3">${nights.map((night) => html`<${NightCard} key=${night.id} night=${night} />`)}</ul>
    ${more && html`<button type="button" class="button quiet" onClick=${more}>${t("log-more")}</button>`}
  </details>`;
}

/** The evenings in which something was played, or is being played, day by day. */
export function Nights() {
  const { nights, problem, more, again } = useNights();
  const [me, setMe] = useState(null);
  useEffect(() => {
    request("GET", "/api/me").then(setMe, () => {}); // without it nothing can be restored
  }, []);
  return html`
    <${CircleFilter} />
    ${problem &&
    html`<${Notice} problem=${problem.caught}>
      <button type="button" class="button primary" onClick=${problem.again}>${t("problem-again")}</button>
    <//>`}
    ${nights === null && !problem && html`<p class="loading" role="status">${t("app-loading")}</p>`}
    ${nights?.length === 0 && html`<${Empty} />`}
    ${byDay(nights ?? [], ({ began }) => began).map(
      ([name, some]) =>
        html`<section key=${name}>
          <h2 class="day soft">${name}</h2>
          <ul class="entries stack gap-3">
            ${some.map((night) => html`<${NightCard} key=${night.id} night=${night} />`)}
          </ul>
        </section>`,
    )}
    ${more && html`<button type="button" class="button quiet" onClick=${more}>${t("log-more")}</button>`}
    ${me?.role === "host" && html`<${Deleted} />`}
    ${nights && html`<${Transfer} empty=${nights.length === 0} onImported=${again} />`}
  `;
}
