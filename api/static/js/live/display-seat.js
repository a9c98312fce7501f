/** A player on the wall display: name, points, captured cards, yaku, and near yaku. */
import { KINDS, nameOf } from "../deck.js";
import { Face } from "../face.js";
import { has, lang, listed, percent, t, tn } from "../i18n.js";
import { classes, html } from "../view.js";
import { yakuName } from "../yaku.js";
import { Fan, Stamped, number, otherNames, titleLang, withJapanese, yakuTitle } from "./display-parts.js";
import { SeatName } from "./seat-colors.js";

const LINES = 4; // lines for yaku and near yaku; a near yaku takes more room
const MOST_NEAR = 2;
const MOST_NEEDED = 3; // missing cards beside a near yaku
const MOST_YAKU = 5; // lines; the last one has the number of further yaku

/** The points of the evening, large. */
const Night = ({ state, seat }) => html`<${Stamped} n=${state.night.points[seat - 1] ?? 0} class="points" />`;

const Name = ({ state, seat, turn, children }) =>
  html`<header class="seat-head">
    <h2><${SeatName} state=${state} seat=${seat} /></h2>
    <p class="marks">
      ${state.round.dealer === seat && state.round.dealer_known && html`<span class="dealer cluster" title=${t("live-dealer")}>${withJapanese && html`<span lang="ja" aria-hidden="true">親</span> `}${t("live-dealer")}</span>`}
      ${children}
      ${turn && html`<span class="to-play">${t("display-turn")}</span>`}
    </p>
  </header>`;

function Yaku({ yaku }) {
  const visible = yaku.length > MOST_YAKU ? yaku.slice(0, MOST_YAKU - 1) : yaku;
  return html`<ul class="yaku-lines">
    ${visible.map(
      (one) =>
        html`<li key=${one.name} data-yaku=${one.name}>
          <span class="yaku-ja" lang=${titleLang}>${yakuTitle(one)}</span>
          ${otherNames(one).slice(0, 1).map((name) => html`<span class="yaku-own">${name}</span>`)}
          <${Stamped} n=${one.points} class="yaku-points" />
        </li>`,
    )}
    ${visible.length < yaku.length && html`<li class="more">${tn("display-more-yaku", yaku.length - visible.length)}</li>`}
  </ul>`;
}

const Near = ({ near, room }) =>
  html`<ul class="near-lines">
    ${[...near].sort((a, b) => a.count - b.count).slice(0, Math.max(0, Math.min(room, MOST_NEAR))).map(
      (one) =>
        html`<li key=${one.yaku} data-near=${one.yaku}>
          <span>${yakuName(one)}</span>
          ${one.needs.length > MOST_NEEDED || one.needs.length > one.count
            ? html`<span>${tn("display-lacks", one.count)}</span>`
            : html`<span class="near-cards" role="img" aria-label=${t("display-needs", { cards: listed(one.needs.map(nameOf)) })}>${one.needs.map((id) => html`<${Face} key=${id} id=${id} />`)}</span>`}
        </li>`,
    )}
  </ul>`;

/** The captured cards, one fan per card type. @param {{captured: Object<string, string[]>}} props */
const Captures = ({ captured }) =>
  html`<div class="fans">
    ${KINDS.map((kind) => ({ kind, cards: captured[kind] ?? [] })).map(
      ({ kind, cards }) =>
        html`<div key=${kind} class=${classes("fan-of", cards.length === 0 && "empty")} data-kind=${kind}>
          <${Fan} cards=${cards} label=${t(`kind-${kind}`)} counted />
        </div>`,
    )}
  </div>`;

/** The probability that a player wins the round, if the table agreed to see it. */
const Odds = ({ state, seat }) =>
  state.chances &&
  html`<span class="odds">${t("display-odds", { chance: percent(state.chances.wins[seat - 1].p) })}${state.round.decision?.seat === seat && state.chances.calls.map(({ word, wins }) => html` · ${t("labeled", { label: has(`live-call-${word}`) ? t(`live-call-${word}`) : word, text: percent(wins[seat - 1].p) })}`)}</span>`;

/** The player's points in this round so far, and the number of koi-koi calls. */
const Stands = ({ state, seat }) =>
  html`<p class="stands">
    <${Odds} state=${state} seat=${seat.seat} />
    <span>${t("display-this-round")}</span> <b data-stands>${number(seat.total)}</b>
    ${seat.calls > 0 && html`<span class="calls">${!withJapanese && lang !== "ja" ? tn("live-calls", seat.calls) : html`<span lang="ja">${seat.calls > 1 ? "こい" : "こいこい"}</span>${seat.calls > 1 && `×${seat.calls}`}`}</span>`}
  </p>`;

const ROOM_FOR_UNIT = 3; // longest number, in characters, that leaves room for its unit

/** One of two players. @param {{state: Object, seat: Object}} props `seat`: a seat of the view's round */
export function Side({ state, seat }) {
  const { round } = state;
  const turn = round.to_move === seat.seat && !round.outcome;
  return html`<section class=${classes("side", `seat-${seat.seat}`, turn && "turn")} data-seat=${seat.seat}>
    <${Name} state=${state} seat=${seat.seat} turn=${turn} />
    <div class="numbers">
      <p><${Night} state=${state} seat=${seat.seat} /> ${String(state.night.points[seat.seat - 1]).length <= ROOM_FOR_UNIT && html`<span class="unit">${t("unit-points")}</span>`}</p>
      <${Stands} state=${state} seat=${seat} />
    </div>
    <${Captures} captured=${seat.captured} />
    <${Yaku} yaku=${seat.yaku} />
    <${Near} near=${seat.near} room=${LINES - 1 - seat.yaku.length} />
  </section>`;
}

/** One of three or more players. @param {{state: Object, seat: Object, children: any}} props children: the game's cards */
export function Place({ state, seat, children }) {
  const { round } = state;
  const turn = round.to_move === seat.seat && !round.outcome;
  return html`<section class=${classes("place", `seat-${seat.seat}`, turn && "turn", (seat.dropped_out || seat.sits_out) && "out")} data-seat=${seat.seat}>
    <${Name} state=${state} seat=${seat.seat} turn=${turn}><${Odds} state=${state} seat=${seat.seat} /><//>
    <div class="place-holds"><${Night} state=${state} seat=${seat.seat} /><div class="place-cards">${children}</div></div>
  </section>`;
}
