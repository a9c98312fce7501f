/** The board at a step of a replay; cards move to their new position from the one they had in the step before. */
import { KINDS, kindOf, nameOf } from "./deck.js";
import { Face } from "./face.js";
import { gameOf, totalOf } from "./games.js";
import { t, textOf, tn } from "./i18n.js";
import { playerName } from "./nights.js";
import { classes, html, useLayoutEffect, useRef } from "./view.js";
import { yakuName } from "./yaku.js";

const MOVE_MS = 350;
const MOVED_PX = 2; // smaller differences are rounding

/** Animate the cards inside an element from where they were before. @returns a ref for the element */
function useMovingCards(step) {
  const box = useRef(null);
  const before = useRef(new Map());
  useLayoutEffect(() => {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const origin = box.current.getBoundingClientRect();
    const now = new Map();
    for (const card of box.current.querySelectorAll("[data-card]")) {
      const { left, top } = card.getBoundingClientRect();
      const position = { x: left - origin.left, y: top - origin.top };
      const old = before.current.get(card.dataset.card);
      now.set(card.dataset.card, position);
      if (still || before.current.size === 0) continue;
      const x = old ? old.x - position.x : 0;
      const y = old ? old.y - position.y : 0;
      if (old && Math.hypot(x, y) < MOVED_PX) continue;
      const from = old ? { transform: `translate(${x}px, ${y}px)`, zIndex: 1 } : { opacity: 0 };
      card.animate([from, old ? { transform: "none", zIndex: 1 } : { opacity: 1 }], { duration: MOVE_MS, easing: "ease-out" });
    }
    before.current = now;
  }, [step]);
  return box;
}

const Card = ({ id, now }) => html`<span class=${classes("replay-card", now && "now")} data-card=${id}><${Face} id=${id} alt=${nameOf(id)} /></span>`;

/** The hand: the cards that are known, and the number of the others. */
function Hand({ cards, count, lit }) {
  const known = (cards ?? []).filter((id) => id !== null);
  const hidden = count - known.length;
  return html`<div class="replay-hand cluster gap-1">
    ${known.map((id) => html`<${Card} key=${id} id=${id} now=${lit.has(id)} />`)}
    ${hidden > 0 && html`<span class="replay-backs line hint"><${Face} id="back" /> ${tn("replay-hidden", hidden)}</span>`}
  </div>`;
}

function Seat({ replay, seat, lit, player }) {
  const piles = KINDS.map((kind) => seat.captured.filter((id) => kindOf(id) === kind)).filter((pile) => pile.length > 0);
  const worth = seat.yaku.length > 0 || (seat.total ?? 0) > 0;
  return html`<section class=${classes("replay-seat stack panel", player && "moves")} aria-label=${playerName(replay, seat.seat)}>
    <h2>${playerName(replay, seat.seat)} ${seat.calls > 0 && html`<em>${t(`live-call-${gameOf(replay.game).entry.calls.find((call) => call.goes_on).word}`)} ×${seat.calls}</em>`} ${worth && html`<b>${totalOf(replay.game, seat.total ?? 0)}</b>`}</h2>
    <${Hand} cards=${seat.cards} count=${seat.hand} lit=${lit} />
    ${piles.length > 0 &&
    html`<div class="replay-piles cluster gap-1" role="group" aria-label=${t("replay-captured")}>
      ${piles.map((pile) => html`<span key=${kindOf(pile[0])} class="replay-pile">${pile.map((id) => html`<${Card} key=${id} id=${id} now=${lit.has(id)} />`)}</span>`)}
    </div>`}
    ${seat.yaku.length > 0 && html`<p class="replay-yaku">${seat.yaku.map((one) => `${yakuName(one)} ${one.points ?? ""}`.trim()).join(" · ")}</p>`}
  </section>`;
}

/** @param {{replay: Object, step: Object}} props a step of the replay */
export function Board({ replay, step }) {
  const box = useMovingCards(step);
  const { field, discard, stock, seats } = step.board;
  const lit = new Set(step.words.slice(1));
  const [first, ...others] = seats;
  const seat = (one) => html`<${Seat} key=${one.seat} replay=${replay} seat=${one} lit=${lit} player=${step.player === one.seat} />`;
  const middle = field.length > 0 ? field : discard;
  return html`<div class="replay-board stack" ref=${box}>
    ${others.map(seat)}
    <section class="replay-middle stack panel" aria-label=${t("host-zone-field")}>
      <h2>${t("host-zone-field")} <small>${t("replay-pile", { count: stock, pile: textOf(gameOf(replay.game).board.stock) })}</small></h2>
      <div class="replay-field cluster gap-1">${middle.map((id) => html`<${Card} key=${id} id=${id} now=${lit.has(id)} />`)}</div>
    </section>
    ${seat(first)}
  </div>`;
}
