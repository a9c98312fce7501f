/** The overlay for a video stream: a band on a transparent background with both scores, the field, and new yaku. */
import { Face } from "../face.js";
import { PACKS, loadDeck } from "../deck.js";
import { loadGames } from "../games.js";
import { has, lang, t, tn } from "../i18n.js";
import { classes, html, render } from "../view.js";
import { useMoment } from "./display-moments.js";
import { Stamped, callTitle, momentClass, otherNames, payment, playerAt, titleLang, withJapanese, worth, yakuTitle } from "./display-parts.js";
import { useLive } from "./store.js";

/** A player's plate: name, points of the evening, points of the round so far. */
function Plate({ state, seat }) {
  const { round, night } = state;
  const { to_move: toMove, outcome } = round ?? {};
  const standing = round?.seats.find((each) => each.seat === seat);
  const yaku = standing?.yaku ?? [];
  return html`<section class=${classes("plate", toMove === seat && !outcome && "turn", outcome?.winners.includes(seat) && "won")} data-seat=${seat}>
    <h2>${playerAt(state, seat)}</h2>
    <${Stamped} n=${night.points[seat - 1] ?? 0} class="points" />
    <p class="plate-round">
      ${outcome
        ? html`<${Stamped} n=${outcome.points[seat - 1]} format=${payment} />`
        : yaku.map((one) => html`<span key=${one.name} lang=${titleLang}>${yakuTitle(one)} <${Stamped} n=${one.points} /></span>`)}
      ${standing?.calls > 0 && !outcome && html`<span class="calls">${!withJapanese && lang !== "ja" ? tn("live-calls", standing.calls) : "こいこい"}</span>`}
    </p>
  </section>`;
}

const LAST_DISCARDS = 5;

/** The middle of the table: the field, or the top of the discard pile. */
const Middle = ({ round }) =>
  html`<ul class="middle-cards">${[...round.field, ...(round.discard ?? []).slice(-LAST_DISCARDS)].map((id) => html`<li key=${id}><${Face} id=${id} /></li>`)}</ul>`;

/** A new yaku or call, as a ribbon above the band. */
const Landing = ({ moment, state }) =>
  html`<section class="landing ${momentClass(moment)}" key=${moment.id} data-moment=${moment.kind} data-seat=${moment.seat}>
    <p>${playerAt(state, moment.seat)}</p>
    ${moment.kind === "yaku"
      ? moment.yaku.map(
          (yaku) =>
            html`<div key=${yaku.name} class="landed">
              <b lang=${titleLang}>${yakuTitle(yaku)}</b> ${otherNames(yaku).slice(0, 1).map((name) => html`<span>${name}</span>`)} <strong>${worth(yaku)}</strong>
            </div>`,
        )
      : html`<div class="landed"><b>${has(`overlay-${moment.kind}`) ? t(`overlay-${moment.kind}`) : callTitle(moment)}</b></div>`}
  </section>`;

function Overlay() {
  const { state } = useLive();
  const moment = useMoment();
  if (!state) return null;
  const seats = state.table.players.map(({ seat }) => seat);
  const half = Math.ceil(seats.length / 2);
  const plates = (some) => html`<div class="plates">${some.map((seat) => html`<${Plate} key=${seat} state=${state} seat=${seat} />`)}</div>`;
  return html`<div class="overlay" data-players=${seats.length}>
    <div class="landings" role="status">${moment && html`<${Landing} moment=${moment} state=${state} />`}</div>
    <div class="band">${plates(seats.slice(0, half))} ${state.round ? html`<${Middle} round=${state.round} />` : html`<span></span>`} ${plates(seats.slice(half))}</div>
  </div>`;
}

await Promise.all([...PACKS, "western"].map(loadDeck).concat(loadGames()));
render(html`<${Overlay} />`, document.getElementById("app"));
