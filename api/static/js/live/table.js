/** The page of a whole table: the players, the field, the history, and the evening's points. */
import { inDeckOrder, nameOf } from "../deck.js";
import { Face } from "../face.js";
import { gameOf, rulesName, totalOf } from "../games.js";
import { t, textOf, tn } from "../i18n.js";
import { classes, html } from "../view.js";
import { YakuName } from "../yaku.js";
import { Asks } from "./asks.js";
import { UsePhone } from "./camera-invite.js";
import { Captures } from "./cards.js";
import { Standing } from "./standing.js";
import { WhoDealt } from "./deal.js";
import { Decision } from "./decision.js";
import { useFresh } from "./fresh.js";
import { HelpButton, useHelp } from "./help.js";
import { LastTurn } from "./last-turn.js";
import { History, LastEntry } from "./history.js";
import { GameOver, Night, Outcome } from "./night.js";
import { Phase } from "./phase.js";
import { Tally } from "./seat.js";
import { Seats } from "./seating.js";
import { SeatName } from "./seat-colors.js";
import { counts, roundLine } from "./seats.js";
import { Shell } from "./shell.js";
import { mayWrite } from "./store.js";
import { Thumb } from "./thumb.js";

const MANY = 3; // from this many players on, two per row

/** A player's cards and points. */
function Side({ state, seat, fresh }) {
  const player = state.round.seats.find((one) => one.seat === seat);
  const path = `/t/${encodeURIComponent(state.table.id)}/seat/${seat}`;
  return html`<section class=${classes("side panel stack gap-1", `seat-${seat}`, state.round.to_move === seat && "moving")}>
    <header class="cluster">
      <h2><a class="player-name target" href=${path}><${SeatName} state=${state} seat=${seat} /></a></h2>
      <span class="hand-count" role="img" title=${tn("live-hand", player.hand)} aria-label=${tn("live-hand", player.hand)}>
        ${Array.from({ length: player.hand }, (_, n) => html`<i key=${n}></i>`)}
      </span>
      ${player.calls > 0 && html`<em class="entry-call">${tn("live-calls", player.calls)}</em>`}
      ${player.total !== null && counts(state.round, seat) && html`<b class="side-total">${totalOf(state.table.game, player.total)}</b>`}
    </header>
    <${Captures} captured=${player.captured} fresh=${fresh} small />
    <${Standing} player=${player} />
    ${player.yaku.length > 0 && counts(state.round, seat) &&
    html`<ul class="side-yaku cluster gap-1" title=${textOf(player.why)}>
      ${player.yaku.map((one) => html`<li key=${one.name}><${YakuName} names=${one} /> <b class="points">${one.points}</b></li>`)}
    </ul>`}
  </section>`;
}

/** The field sorted by flower, or the discard pile with its top card last. */
function Field({ round, game }) {
  const stock = textOf(gameOf(game).board.stock);
  const pile = round.discard.length > 0;
  const open = pile ? round.discard : inDeckOrder(round.field);
  return html`<section class=${classes("field mat line gap-4", pile && "pile")} aria-label=${t("live-field")}>
    <div class="stock stack center gap-0 fine" title=${`${round.stock} ${stock}`}>
      ${round.stock > 0 && html`<${Face} id="back" />`}
      <b>${round.stock}</b><span>${stock}</span>
      ${round.pot > 0 && html`<b>${round.pot}</b><span>${t("live-pot")}</span>`}
    </div>
    <ul>
      ${open.map((id) => html`<li key=${id} data-card=${id}><${Face} id=${id} alt=${nameOf(id)} /></li>`)}
    </ul>
  </section>`;
}

/** @param {{now: import("./store.js").Now}} props */
export function Table({ now }) {
  const { state } = now;
  const { round, table } = state;
  const fresh = useFresh();
  const writes = mayWrite(now);
  const seats = table.players.map(({ seat }) => seat);
  const far = seats.slice(1);
  const help = useHelp(state, null);
  return html`<${Shell} now=${now} variant="table-page" sub=${`${roundLine(state)} · ${rulesName(table.rules.name)}`}>
    <${Tally} state=${state} />
    <${Phase} now=${now} seat=${null} />
    ${writes && html`<${LastTurn} state=${state} class="link" />`}
    <${LastEntry} now=${now} />
    <div class="table-body stack gap-4" onClick=${help.onClick}>
      <div class="table-main stack gap-3">
        <${Asks} now=${now} writes=${writes} />
        ${writes && round?.decision && html`<${Decision} now=${now} mine=${false} />`}
        ${writes && round && !round.outcome && !round.dealer_known && html`<${WhoDealt} now=${now} />`}
        <${GameOver} now=${now} />
        ${round?.outcome && html`<${Outcome} state=${state} />`}
        ${!round && !state.night.over && now.me?.role === "host" && html`<${Seats} state=${state} me=${now.me} />`}
        ${!round && ["absent", undefined].includes(now.camera?.state) && html`<${UsePhone} now=${now} />`}
        ${round &&
        html`<div class=${classes("sides stack gap-3", seats.length > MANY && "many")}>
          ${far.map((seat) => html`<${Side} key=${seat} state=${state} seat=${seat} fresh=${fresh} />`)}
          ${(round.stock > 0 || round.field.length > 0 || round.discard.length > 0) && html`<${Field} round=${round} game=${table.game} />`}
          <${Side} state=${state} seat=${seats[0]} fresh=${fresh} />
        </div>
        ${gameOf(table.game).pile && html`<${HelpButton} state=${state} onOpen=${help.open} />`}`}
      </div>
      <div class="table-side stack gap-3">
        <${History} now=${now} writes=${writes} />
        ${state.night.rounds.length > 0 && html`<${Night} state=${state} />`}
      </div>
    </div>
    ${help.sheet}
    <${Thumb} now=${now} />
  <//>`;
}
