/** The rounds of an evening and the course of the points. */
import { amountOf } from "../games.js";
import { t, textOf } from "../i18n.js";
import { classes, html } from "../view.js";
import { nameOfSeat } from "./seats.js";

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
  return html`<section class="night">
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
          (round) =>
            html`<tr key=${round.round} title=${textOf(round.why)}>
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
          <th scope="row">${t("live-night-sum")}</th>
          ${seats.map(({ seat }, n) => html`<td key=${seat}><b>${night.points[n]}</b></td>`)}
        </tr>
      </tfoot>
    </table></div>
    ${night.rounds.length > 1 && html`<${Course} night=${night} seats=${seats} />`}
    ${night.over && html`<p class="night-over">${textOf(night.over.why)}</p>`}
  </section>`;
}

/** The result of a round. @param {{state: Object}} props */
export function Outcome({ state }) {
  const { outcome } = state.round;
  return html`<section class="outcome">
    <h2>${outcome.winners.length > 0 ? t("live-wins", { name: outcome.winners.map((seat) => nameOfSeat(state, seat)).join(" · ") }) : t("live-draw")}</h2>
    <p>${textOf(outcome.why)}</p>
    <ul class="outcome-points">
      ${state.table.players.map(
        ({ seat }, n) =>
          html`<li key=${seat} class=${classes(`seat-${seat}`, outcome.winners.includes(seat) && "won")}>
            <span>${nameOfSeat(state, seat)}</span> <b>${amountOf(state.table.game, outcome.points[n])}</b>
          </li>`,
      )}
    </ul>
  </section>`;
}
