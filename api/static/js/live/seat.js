/** The page of one player: captured cards, yaku, near yaku, and decisions. */
import { gameOf, totalOf } from "../games.js";
import { t, textOf, tn } from "../i18n.js";
import { FirstGame, HowToPlayButton } from "../how-to-play.js";
import { classes, html, useState } from "../view.js";
import { YakuList } from "../yaku.js";
import { Asks } from "./asks.js";
import { Captures } from "./cards.js";
import { WhoDealt } from "./deal.js";
import { Decision } from "./decision.js";
import { useFresh } from "./fresh.js";
import { HelpButton, useHelp } from "./help.js";
import { History, LastEntry } from "./history.js";
import { Near, NearOne } from "./near.js";
import { GameOver, Night, Outcome } from "./night.js";
import { SeatName } from "./seat-colors.js";
import { counts, nameOfSeat, nameOfTable, roundLine } from "./seats.js";
import { Seats } from "./seating.js";
import { Shell } from "./shell.js";
import { LastTurn } from "./last-turn.js";
import { Standing } from "./standing.js";
import { Phase } from "./phase.js";
import { Quick } from "./quick.js";
import { mayWrite } from "./store.js";
import { Thumb } from "./thumb.js";

const OTHERS_NEAR = 1;

/** The player's points in the round, and the reason. */
function Worth({ me, game }) {
  return html`<div class="worth cluster gap-4">
    <p class="stamp line" aria-label=${totalOf(game, me.total)}><strong key=${me.total}>${me.total}</strong>${totalOf(game, me.total) === tn("points", me.total) && html`<span>${tn("points-unit", me.total)}</span>`}</p>
    <p class="hint">${textOf(me.why)}</p>
  </div>`;
}

/** Another player in a few lines: captured cards and nearest yaku. */
function Rival({ state, other }) {
  return html`<section class=${classes("rival stack panel", `seat-${other.seat}`)}>
    <header class="line">
      <h2 class="player-name"><${SeatName} state=${state} seat=${other.seat} /></h2>
      ${other.calls > 0 && html`<em class="entry-call">${tn("live-calls", other.calls)}</em>`}
      ${other.total !== null && counts(state.round, other.seat) && html`<b class="points">${totalOf(state.table.game, other.total)}</b>`}
    </header>
    <${Standing} player=${other} />
    ${!state.round.outcome && other.near.length > 0 &&
    html`<ul>
      ${other.near.slice(0, OTHERS_NEAR).map((near) => html`<${NearOne} key=${near.yaku} near=${near} round=${state.round} />`)}
    </ul>`}
  </section>`;
}

/** The points of the evening so far, side by side. */
export function Tally({ state }) {
  return html`<ul class="tally cluster" aria-label=${t("live-night")}>
    ${state.table.players.map(
      ({ seat }, n) =>
        html`<li key=${seat} class=${classes("line between", `seat-${seat}`, state.round?.to_move === seat && "moving")}>
          <span>${nameOfSeat(state, seat)}${state.round?.dealer === seat ? html` <i title=${t("live-dealer")}>${t("live-dealer-mark")}</i>` : ""}</span>
          <b>${state.night.points[n]}</b>
        </li>`,
    )}
  </ul>`;
}

/** @param {{now: import("./store.js").Now, seat: number}} props */
export function Seat({ now, seat }) {
  const { state } = now;
  const { round } = state;
  const [lit, setLit] = useState(new Set());
  const fresh = useFresh();
  const help = useHelp(state, seat);
  const writes = mayWrite(now);
  const me = round?.seats.find((one) => one.seat === seat);
  const others = round?.seats.filter((one) => one.seat !== seat) ?? [];
  const known = state.table.players.some((player) => player.seat === seat);
  const sits = now.me?.seat === seat && [null, state.table.id].includes(now.me.table);

  return html`<${Shell} now=${now} variant=${classes("seat-page", `seat-${seat}`)} title=${nameOfSeat(state, seat)} sub=${`${nameOfTable(state.table)} · ${roundLine(state)}`}>
    <${Tally} state=${state} />
    ${!known && html`<p class="banner cluster gap-4 between">${t("live-no-seat", { seat })}</p>`}
    <${Phase} now=${now} seat=${seat} />
    ${writes && html`<${LastTurn} state=${state} class="link" />`}
    <${LastEntry} now=${now} />
    <div class="seat-body stack gap-4" onClick=${help.onClick}>
      <div class="seat-main stack gap-4">
        <${GameOver} now=${now} />
        <${Asks} now=${now} writes=${writes} />
        ${writes && round && !round.outcome && !round.dealer_known && html`<${WhoDealt} now=${now} />`}
        ${writes && round && !round.outcome && html`<${Quick} now=${now} seat=${seat} />`}
        ${round?.outcome && html`<${Outcome} state=${state} />`}
        ${!round && !state.night.over && now.me?.role === "host" && html`<${Seats} state=${state} me=${now.me} />`}
        ${me &&
        html`${me.total !== null && !round.outcome && html`<${Worth} me=${me} game=${state.table.game} />`}
          <${Standing} player=${me} />
          <${Captures} captured=${me.captured} lit=${lit} fresh=${fresh} />
          ${me.yaku.length > 0 && counts(round, seat) && html`<${YakuList} yaku=${me.yaku} why=${(one) => one.why && textOf(one.why)} lit=${lit} onLight=${(ids) => setLit(new Set(ids))} />`}
          ${!round.outcome && me.near.length > 0 && html`<${Near} near=${me.near} round=${round} />`}`}
        <div class="cluster">${me && gameOf(state.table.game).pile && html`<${HelpButton} state=${state} onOpen=${help.open} />`}<${HowToPlayButton} rules=${state.table.rules.code} /></div>
      </div>
      <div class="seat-side stack gap-4">
        ${others.map((other) => html`<${Rival} key=${other.seat} state=${state} other=${other} />`)}
        <${History} now=${now} writes=${writes} />
        ${state.night.rounds.length > 0 && html`<${Night} state=${state} />`}
      </div>
    </div>
    ${round?.decision && writes && round.decision.seat === seat && html`<${Decision} now=${now} mine />`}
    ${help.sheet}
    ${sits && html`<${FirstGame} game=${state.table.game} rules=${state.table.rules.code} />`}
    <${Thumb} now=${now} seat=${seat} />
  <//>`;
}
