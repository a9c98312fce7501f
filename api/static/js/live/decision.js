/** Koi-koi or stop: the points, what each call means, and what both players are close to. */
import { inDeckOrder } from "../deck.js";
import { Row } from "../face.js";
import { gameOf } from "../games.js";
import { has, percent, t, textOf, tn } from "../i18n.js";
import { classes, html } from "../view.js";
import { YakuName } from "../yaku.js";
import { NearOne } from "./near.js";
import { useOdds } from "./odds.js";
import { nameOfSeat } from "./seats.js";
import { store, watched } from "./store.js";

const MAX_NEAR = 2; // yaku of each side

/** A call as a button. */
function Option({ words, seat, points, odds, goesOn, busy }) {
  const word = words[1];
  const says = has(`live-call-${word}`) ? { code: `live-call-${word}` } : null;
  return html`<button type="button" class=${classes("call centered", goesOn ? "go-on" : "stop")} data-call=${word} disabled=${busy} onClick=${() => store.report([{ kind: "moved", data: { player: seat, words } }], { says })}>
    <b>${says ? textOf(says) : word}</b>
    ${has(`live-call-${word}-more`) && html`<span>${t(`live-call-${word}-more`, { points: tn("points", points) })}</span>`}
    ${odds && html`<span data-odds>${t("display-odds", { chance: percent(odds.wins[seat - 1].p) })}</span>`}
  </button>`;
}

/** What a player is close to. */
const Close = ({ title, near, round }) =>
  near.length > 0 &&
  html`<section class="stack gap-1 close-to">
    <h3>${title}</h3>
    <ul>
      ${near.slice(0, MAX_NEAR).map((one) => html`<${NearOne} key=${one.yaku} near=${one} round=${round} />`)}
    </ul>
  </section>`;

/**
 * The panel for a player who has to decide.
 * @param {{now: import("./store.js").Now, mine: boolean}} props `mine`: whether this page's player decides
 */
export function Decision({ now, mine }) {
  const { round, table } = now.state;
  const { calls } = gameOf(table.game).entry;
  const { seat, options, stake } = round.decision;
  const name = nameOfSeat(now.state, seat);
  const odds = useOdds(now.state, now.seq);
  return html`<section class="decision stack gap-3" aria-label=${t("live-decision")}>
    <header class="cluster between">
      <h2>${mine ? t("live-decision-yours") : t("live-decision-of", { name })}</h2>
      <p class="stamp line" aria-label=${tn("points", stake.points)}><strong>${stake.points}</strong><span>${tn("points-unit", stake.points)}</span></p>
    </header>
    <ul class="formed">
      ${stake.formed.map(
        (one) =>
          html`<li key=${one.name} class="cluster between">
            <span class="made-head"><${YakuName} names=${one} /> <b class="points">${tn("points", one.points)}</b></span>
            <${Row} ids=${inDeckOrder(one.cards)} />
          </li>`,
      )}
    </ul>
    ${stake.effects.length > 0 &&
    html`<section class="effects stack gap-1">
      <h3>${t("live-call-effects")}</h3>
      <ul class="gap-1">
        ${stake.effects.map((effect) => html`<li key=${effect.code}>${textOf(effect)}</li>`)}
      </ul>
    </section>`}
    ${round.seats.map((other) => html`<${Close} key=${other.seat} title=${t("live-close-to", { name: nameOfSeat(now.state, other.seat) })} near=${other.near} round=${round} />`)}
    <div class="calls">
      ${options.map((words) => html`<${Option} key=${words[1]} words=${words} seat=${seat} points=${stake.points} odds=${odds?.calls.find(({ word }) => word === words[1])} goesOn=${calls.some((call) => call.word === words[1] && call.goes_on)} busy=${now.sending} />`)}
      ${watched(now) && html`<p class="fine">${t("live-decision-or-play")}</p>`}
    </div>
  </section>`;
}
