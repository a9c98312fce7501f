/** Koi-koi or stop: the stakes, the opponents' near yaku, and the decision in one tap. */
import { inDeckOrder } from "../deck.js";
import { Row } from "../face.js";
import { gameOf } from "../games.js";
import { has, t, textOf, tn } from "../i18n.js";
import { classes, html } from "../view.js";
import { YakuName } from "../yaku.js";
import { NearOne } from "./near.js";
import { nameOfSeat } from "./seats.js";
import { store, watched } from "./store.js";

const MAX_DANGERS = 2;

/** A call as a button. */
function Option({ words, seat, points, goesOn, busy }) {
  const word = words[1];
  const says = has(`live-call-${word}`) ? { code: `live-call-${word}` } : null;
  const label = says ? textOf(says) : word;
  const more = has(`live-call-${word}-more`) ? t(`live-call-${word}-more`, { points: tn("points", points) }) : "";
  return html`<button
    type="button"
    class=${classes("call stack gap-0", goesOn ? "go-on" : "stop")}
    data-call=${word}
    disabled=${busy}
    onClick=${() => store.report([{ kind: "moved", data: { player: seat, words } }], { says })}
  >
    <b>${label}</b>
    ${more && html`<span>${more}</span>`}
  </button>`;
}

/**
 * The sheet that opens when a player has to decide.
 * @param {{now: import("./store.js").Now, mine: boolean}} props `mine`: whether this page's player decides
 */
export function Decision({ now, mine }) {
  const { round, table } = now.state;
  const { calls } = gameOf(table.game).entry;
  const { seat, options, stake } = round.decision;
  const dangers = stake.danger.slice(0, MAX_DANGERS);
  return html`<section class="decision stack gap-3" aria-label=${t("live-decision")}>
    <header>
      <p>${mine ? t("live-decision-yours") : t("live-decision-of", { name: nameOfSeat(now.state, seat) })}</p>
      <p class="stamp line" aria-label=${tn("points", stake.points)}><strong>${stake.points}</strong><span>${tn("points-unit", stake.points)}</span></p>
    </header>
    <ul class="formed">
      ${stake.formed.map(
        (one) =>
          html`<li key=${one.name}>
            <span class="made-head"><${YakuName} names=${one} /> <b class="points">${tn("points", one.points)}</b></span>
            <${Row} ids=${inDeckOrder(one.cards)} />
          </li>`,
      )}
    </ul>
    ${dangers.length > 0 &&
    html`<section class="danger stack">
      <h3>${t("live-danger")}</h3>
      <ul>
        ${dangers.map((near) => html`<${NearOne} key=${near.yaku} near=${near} round=${round} />`)}
      </ul>
    </section>`}
    <div class="calls">
      ${options.map((words) => html`<${Option} key=${words[1]} words=${words} seat=${seat} points=${stake.points} goesOn=${calls.some((call) => call.word === words[1] && call.goes_on)} busy=${now.sending} />`)}
    </div>
    ${watched(now) && html`<p class="fine">${t("live-decision-or-play")}</p>`}
  </section>`;
}
