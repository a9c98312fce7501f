/** The rounds of an evening, the course of the points, and the end of the game. */
import { request } from "../api.js";
import { amountOf, rulesName, scoreOf } from "../games.js";
import { listed, t, textOf } from "../i18n.js";
import { Notice } from "../notice.js";
import { classes, html, useState } from "../view.js";
import { nameOfSeat } from "./seats.js";
import { mayWrite, reportsOnly } from "./store.js";

const WIDTH = 320;
const HEIGHT = 88;
const PAD = 6;

/** The points of each seat after each round, starting at 0. @returns {number[][]} one list per seat */
function courses(night, seats) {
  return seats.map((_, n) => night.rounds.reduce((course, { points }) => [...course, course.at(-1) + (points[n] ?? 0)], [0]));
}

/** The points over time, one line per player. */
function Course({ night, seats }) {
  const lines = courses(night, seats);
  const all = lines.flat();
  const [least, most] = [Math.min(0, ...all), Math.max(1, ...all)];
  const x = (n) => PAD + (n / Math.max(1, night.rounds.length)) * (WIDTH - 2 * PAD);
  const y = (points) => HEIGHT - PAD - ((points - least) / (most - least)) * (HEIGHT - 2 * PAD);
  return html`<svg class="course" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
    <line class="zero" x1="0" x2=${WIDTH} y1=${y(0)} y2=${y(0)} />
    ${lines.map((line, n) => html`<polyline key=${n} class=${`seat-${n + 1}`} points=${line.map((points, round) => `${x(round)},${y(points)}`).join(" ")} />`)}
  </svg>`;
}

/** @param {{state: Object}} props */
export function Night({ state }) {
  const { night, table } = state;
  const seats = table.players;
  return html`<section class="night stack gap-4 page narrow">
    <h2>${t("live-night")}</h2>
    <div class="night-points"><table>
      <thead>
        <tr>
          <th scope="col"><span class="unseen">${t("live-round-word")}</span></th>
          ${seats.map(({ seat }) => html`<th key=${seat} scope="col" class=${`seat-${seat}`}>${nameOfSeat(state, seat)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${night.rounds.map(
          (round, n) =>
            html`${n > 0 && round.rules.hash !== night.rounds[n - 1].rules.hash && html`<tr key=${`rules ${round.round}`} class="night-rules"><td colspan=${seats.length + 1}>${rulesName(round.rules.name)}</td></tr>`}
            <tr key=${round.round} title=${textOf(round.why)}>
              <th scope="row">${round.round}</th>
              ${seats.map(
                ({ seat }, n) =>
                  html`<td key=${seat} class=${classes(round.winners.includes(seat) && "won")}>${round.points[n]}</td>`,
              )}
            </tr>`,
        )}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">${t("display-total")}</th>
          ${seats.map(({ seat }, n) => html`<td key=${seat}><b>${night.points[n]}</b></td>`)}
        </tr>
      </tfoot>
    </table></div>
    ${night.rounds.length > 1 && html`<${Course} night=${night} seats=${seats} />`}
  </section>`;
}

/** The winner of a game that is over, and what can follow: another game, or the evening in the log. @param {{now: import("./store.js").Now}} props */
export function GameOver({ now }) {
  const { night, table } = now.state;
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  if (!night.over) return null;
  const { winners, why } = night.over;
  const score = scoreOf(table.game, [...night.points].sort((one, other) => other - one));
  const names = listed(winners.map((seat) => nameOfSeat(now.state, seat)));
  const tie = winners.length === 0 || winners.length === table.players.length;
  const path = `/nights/${encodeURIComponent(table.night)}`;
  const act = async (action) => {
    setBusy(true);
    setProblem(null);
    try {
      const { id } = await request("POST", `/api${path}/${action}`, {});
      if (action === "rematch") return location.replace(location.pathname.replace(/^[/]t[/][^/]+/, `/t/${encodeURIComponent(id)}`)); // the same page of the next table
    } catch (caught) {
      setProblem(caught);
    }
    setBusy(false);
  };
  return html`<section class="panel stack game-over">
    <h2>${tie ? t("night-tie", { score }) : t("night-wins", { names, count: winners.length, score })}</h2>
    <p>${textOf(why)}</p>
    ${problem && html`<${Notice} problem=${problem} />`}
    <div class="buttons">
      ${mayWrite(now) && html`<button type="button" class="button primary" data-rematch disabled=${busy} onClick=${() => act("rematch")}>${t("night-rematch")}</button>`}
      ${table.status === "closed" && mayWrite(now) && reportsOnly(now) === null && html`<button type="button" class="button quiet" data-reopen disabled=${busy} onClick=${() => act("reopen")}>${t("night-reopen")}</button>`}
      <a class="button quiet" href=${path}>${t("live-night")}</a>
    </div>
  </section>`;
}

/** The result of a round. @param {{state: Object}} props */
export function Outcome({ state }) {
  const { outcome, number } = state.round;
  const text = outcome.winners.length > 0 ? t("live-wins", { name: outcome.winners.map((seat) => nameOfSeat(state, seat)).join(" · ") }) : t("display-nobody");
  return html`<section class="outcome stack">
    <h2>${state.night.over ? t("labeled", { label: t("night-round", { n: number }), text }) : text}</h2>
    <p>${textOf(outcome.why)}</p>
    <ul class="outcome-points cluster gap-5">
      ${state.table.players.map(
        ({ seat }, n) =>
          html`<li key=${seat} class=${classes(`seat-${seat}`, outcome.winners.includes(seat) && "won")}>
            <span>${nameOfSeat(state, seat)}</span> <b>${amountOf(state.table.game, outcome.points[n])}</b>
          </li>`,
      )}
    </ul>
  </section>`;
}
