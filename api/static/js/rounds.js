/** The rounds behind a number of the statistics. */
import { request } from "./api.js";
import { byDay } from "./days.js";
import { gameOf, rulesName } from "./games.js";
import { dateOf, t, textOf, timeOfDay, tn } from "./i18n.js";
import { playerName } from "./nights.js";
import { Notice } from "./notice.js";
import { loadPeople, nameOfCircle, nameOfPlayer } from "./people.js";
import { classes, html, useEffect, useState } from "./view.js";
import { yakuName } from "./yaku.js";

/** The address of the list of rounds that pass a filter. @param {Object<string, string|null>} filter */
export const roundsPath = (filter) => `/rounds?${queryOf(filter)}`;

/** A filter as the query of an address. @param {Object<string, string|null>} filter */
export const queryOf = (filter) => new URLSearchParams(Object.entries(filter).filter(([, value]) => value));

/** The address of a round on the page of its evening. @param {{night: string, table: string, round: number}} round */
export const roundPath = ({ night, table, round }) => `/nights/${encodeURIComponent(night)}#${encodeURIComponent(`${table}-${round}`)}`;

/** The address of the replay of a round. @param {string} table @param {number} round */
export const replayPath = (table, round) => `/rounds/${encodeURIComponent(table)}/${round}`;

const CONDITIONS = {
  game: (game) => textOf(gameOf(game)?.names) || game,
  rules: rulesName,
  player: nameOfPlayer,
  opponent: (id) => t("rounds-against", { name: nameOfPlayer(id) }),
  circle: nameOfCircle,
  won: (value) => t(value === "1" ? "rounds-won" : "rounds-not-won"),
  called: (value) => t(value === "1" ? "rounds-called" : "rounds-not-called"),
  yaku: (yaku) => yakuName({ yaku }),
  dealt: () => t("rounds-dealt"),
  since: (time) => t("rounds-since", { day: dateOf(time) }),
  until: (time) => t("rounds-until", { day: dateOf(time) }),
};

const Round = ({ round }) =>
  html`<li class="night-card panel pad-0">
    <a class="stack gap-1 plain-link" href=${roundPath(round)}>
      <span class="round-results cluster gap-4">
        ${round.seats.map(({ seat, points, won }) => html`<span key=${seat} class=${classes(won && "won")}>${playerName(round, seat)} <b>${points}</b></span>`)}
      </span>
      ${round.seats
        .filter(({ yaku }) => yaku.length > 0)
        .map(({ seat, yaku }) => html`<small key=${seat}>${playerName(round, seat)}: ${yaku.map((one) => `${yakuName(one)} ${one.points}`).join(" · ")}</small>`)}
      <small class="fine"><time datetime=${round.time}>${timeOfDay(round.time)}</time> · ${textOf(gameOf(round.game)?.names)} · ${rulesName(round.rules.name)} · ${t("night-round", { n: round.round })}</small>
    </a>
  </li>`;

export function Rounds() {
  const [rounds, setRounds] = useState(null);
  const [total, setTotal] = useState(0);
  const [problem, setProblem] = useState(null);
  const query = new URLSearchParams(location.search);
  query.delete("lang");
  const fetchMore = async () => {
    setProblem(null);
    try {
      await loadPeople();
      const answer = await request("GET", `/api/rounds?${queryOf({ ...Object.fromEntries(query), skip: String(rounds?.length ?? 0) })}`);
      setRounds([...(rounds ?? []), ...answer.rounds]);
      setTotal(answer.total);
    } catch (caught) {
      setProblem(caught);
    }
  };
  useEffect(() => {
    fetchMore();
  }, []);
  const conditions = Object.entries(CONDITIONS).filter(([name]) => query.has(name));
  return html`<div class="log stack gap-4 page">
    <header>
      <p class="fine crumbs"><a href="/log">${t("nav-log")}</a> · <a href="/stats">${t("stats-title")}</a></p>
      <h1>${rounds ? tn("rule-unit-rounds", total) : t("rounds-title")}</h1>
      ${conditions.length > 0 && html`<p>${conditions.map(([name, text]) => text(query.get(name))).join(" · ")}</p>`}
    </header>
    ${problem &&
    html`<${Notice} problem=${problem}>
      <button type="button" class="button primary" onClick=${fetchMore}>${t("problem-again")}</button>
    <//>`}
    ${rounds === null && !problem && html`<p class="loading" role="status">${t("app-loading")}</p>`}
    ${byDay(rounds ?? [], ({ time }) => time).map(
      ([name, some]) =>
        html`<section key=${name}>
          <h2 class="day soft">${name}</h2>
          <ul class="entries stack gap-3">
            ${some.map((round) => html`<${Round} key=${`${round.table}-${round.round}`} round=${round} />`)}
          </ul>
        </section>`,
    )}
    ${rounds && rounds.length < total && html`<button type="button" class="button quiet" onClick=${fetchMore}>${t("log-more")}</button>`}
    ${total > 0 && html`<p><a class="button quiet" href=${`/api/rounds.csv?${query}`} download>${t("rounds-csv")}</a></p>`}
  </div>`;
}
