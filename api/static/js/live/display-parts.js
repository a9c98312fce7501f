/** Parts of the wall display: fans of cards, numbers, names, and the hanging scroll of a yaku. */
import { inDeckOrder, nameOf } from "../deck.js";
import { Face } from "../face.js";
import { has, lang, listed, t } from "../i18n.js";
import { html, useEffect, useRef } from "../view.js";
import { yakuName } from "../yaku.js";

/** A number with a typographic minus sign. @param {number} n */
export const number = (n) => String(n).replace("-", "−");

/** A number of points with its sign. @param {number} n */
export const payment = (n) => (n > 0 ? `+${n}` : number(n));

/** The name of the player at a seat. @param {Object} state @param {number} seat */
export const playerAt = (state, seat) => state.table.players.find((player) => player.seat === seat)?.name ?? "";

/** The value of a yaku: its points, or a multiple of the wager. */
export const worth = ({ points, times }) => (times === undefined ? number(points) : `×${times}`);

/** Whether the Japanese terms are displayed beside the English ones. */
export const withJapanese = lang === "en";

/** The language of a yaku's large name. */
export const titleLang = withJapanese ? "ja" : lang;

/** A yaku's large name. */
export const yakuTitle = (yaku) => (withJapanese ? yaku.ja : yakuName(yaku));

/** A yaku's names beside the large one: the English one, and the reading of the Japanese one. */
export const otherNames = (yaku) => (withJapanese ? [yakuName(yaku), yaku.romaji].filter(Boolean) : []);

/** The large text of a call. @param {import("./display-moments.js").Moment} moment */
export const callTitle = ({ kind, ja }) => (lang === "ja" || withJapanese || !has(`overlay-${kind}`) ? ja : t(`overlay-${kind}`));

/** Cards fanned like a hand, the newest on the right. @param {{cards: string[], label?: string, counted?: boolean}} props */
export const Fan = ({ cards, label, counted = false }) => {
  const name = [label, listed(cards.map(nameOf))].filter(Boolean).join(": ");
  return html`<span class="fan" role=${name ? "img" : undefined} aria-label=${name || undefined} style=${{ "--n": cards.length }}>
    ${cards.map((id, i) => html`<span class="fan-card" key=${`${id}-${id === "back" ? i : ""}`} style=${{ "--d": i - (cards.length - 1) / 2 }}><${Face} id=${id} /></span>`)}
    ${counted && cards.length > 1 && html`<b class="fan-count">${cards.length}</b>`}
  </span>`;
};

/** A number that is animated when it changes. @param {{n: number, class?: string, format?: (n: number) => string}} props */
export const Stamped = ({ n, class: extra = "", format = number }) => html`<b class="stamped ${extra}" key=${n} style=${{ "--letters": format(n).length }}>${format(n)}</b>`;

/**
 * Positions of cards, fixed while others are added or removed; a new card takes the first free position.
 * @param {string[]} cards @param {*} round a new value clears the positions
 * @param {number} least minimum number of positions
 * @returns {(string|null)[]} the card at each position
 */
export function usePlaces(cards, round, least) {
  const kept = useRef({ round: null, places: [] });
  if (kept.current.round !== round) kept.current = { round, places: [] };
  const places = kept.current.places.map((card) => (cards.includes(card) ? card : null));
  for (const card of cards.filter((each) => !places.includes(each))) {
    const free = places.indexOf(null);
    if (free >= 0) places[free] = card;
    else places.push(card);
  }
  while (places.length > least && places.at(-1) === null) places.pop();
  while (places.length < least) places.push(null);
  kept.current.places = places;
  return places;
}

/** A yaku as a hanging scroll: its name written vertically, with its points below as a seal. */
const Scroll = ({ yaku }) =>
  html`<figure class="scroll">
    <div class="scroll-paper">
      <span class="scroll-name" lang=${titleLang} style=${{ "--letters": [...yakuTitle(yaku)].length }}>${yakuTitle(yaku)}</span>
      <b class="scroll-points">${worth(yaku)}</b>
    </div>
    <figcaption>${otherNames(yaku).map((name, i) => html`<span key=${i} class=${i ? "romaji" : "own-name"}>${name}</span>`)}</figcaption>
    <${Fan} cards=${inDeckOrder(yaku.cards)} />
  </figure>`;

/** The style of a moment: a yaku, or a call that continues or ends the round. @param {import("./display-moments.js").Moment} moment */
export const momentClass = ({ kind, before }) => (kind === "yaku" ? "yaku" : before === undefined ? "ends" : "goes-on");

/** A moment on the whole screen. @param {{moment: import("./display-moments.js").Moment, state: Object}} props */
export const MomentPanel = ({ moment, state }) =>
  html`<section class="moment ${momentClass(moment)}" key=${moment.id} data-moment=${moment.kind} data-seat=${moment.seat}>
    <p class="moment-who">${playerAt(state, moment.seat)}</p>
    ${moment.kind === "yaku"
      ? html`<div class="scrolls">${moment.yaku.map((yaku) => html`<${Scroll} key=${yaku.name} yaku=${yaku} />`)}</div>`
      : html`<p class="moment-call"><span>${callTitle(moment)}</span>${withJapanese && has(`display-${moment.kind}`) && html`<small>${t(`display-${moment.kind}`)}</small>`}</p>`}
  </section>`;

const DRIFT_MS = 45_000;
const DRIFT_PX = [[0, 0], [1, 0], [2, 1], [2, 2], [1, 2], [0, 2], [-1, 1], [-2, 0], [-2, -1], [-1, -2], [0, -2], [1, -1]]; // prettier-ignore

/** Moves a static element by a pixel or two, to prevent burn-in. @param {{current: HTMLElement}} element */
export function useDrift(element) {
  useEffect(() => {
    let step = 0;
    const drift = setInterval(() => {
      const [x, y] = DRIFT_PX[++step % DRIFT_PX.length];
      element.current.style.translate = `${x}px ${y}px`;
    }, DRIFT_MS);
    return () => clearInterval(drift);
  }, []);
}
