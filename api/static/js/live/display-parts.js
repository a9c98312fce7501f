/** The pieces of which the wall screens are made: fans of cards, numbers, names, the kakemono of a yaku. */
import { faceOf, inDeckOrder, nameOf } from "../deck.js";
import { Face } from "../face.js";
import { has, lang, listed, t } from "../i18n.js";
import { html, useEffect, useRef } from "../view.js";
import { yakuName } from "../yaku.js";

/** A number as it is printed: with a true minus. @param {number} n */
export const number = (n) => String(n).replace("-", "−");

/** What somebody gets or pays. @param {number} n */
export const payment = (n) => (n > 0 ? `+${n}` : number(n));

/** The name of the player at a seat. @param {Object} state @param {number} seat */
export const playerAt = (state, seat) => state.table.players.find((player) => player.seat === seat)?.name ?? "";

/** What a yaku brings: its points, or how many times the wager. */
export const worth = ({ points, times }) => (times === undefined ? number(points) : `×${times}`);

/** Whether the Japanese terms of the game are displayed too, large and beside the English ones. */
export const withJapanese = lang === "en";

/** The language of a yaku's large name. */
export const titleLang = withJapanese ? "ja" : lang;

/** A yaku's large name. */
export const yakuTitle = (yaku) => (withJapanese ? yaku.ja : yakuName(yaku));

/** A yaku's names beside its large one: in English, and how the Japanese one is read. */
export const otherNames = (yaku) => (withJapanese ? [yakuName(yaku), yaku.romaji].filter(Boolean) : []);

/** What is called to go on or to stop, as it is displayed large. @param {import("./display-moments.js").Moment} moment */
export const callTitle = ({ kind, ja }) => (lang === "ja" || withJapanese || !has(`overlay-${kind}`) ? ja : t(`overlay-${kind}`));

/** The suits of the packs that nobody drew here, by the Western ones that stand in for them; a Western id begins with its own. */
const SUITS = { clubs: "♣", swords: "♠", cups: "♥", coins: "♦", C: "♣", S: "♠", H: "♥", D: "♦" };

/** A card to be read from afar: its face, or its rank and suit where nobody drew one. @param {{id: string, alt?: string}} props */
export function Card({ id, alt = "" }) {
  if (faceOf(id) !== null) return html`<${Face} id=${id} alt=${alt} />`;
  const suit = SUITS[id.split("-")[0]] ?? SUITS[id[0]];
  return html`<span class="face plain" data-suit=${suit} role="img" aria-label=${nameOf(id)}><b>${id.match(/\d+|[JQK]$/)?.[0] ?? "鬼"}</b>${suit}</span>`;
}

/** Cards held like a hand of cards; those that came later lie to the right. @param {{cards: string[], label?: string, counted?: boolean}} props */
export const Fan = ({ cards, label, counted = false }) =>
  html`<span class="fan" role="img" aria-label=${[label, listed(cards.map(nameOf))].filter(Boolean).join(": ")} style=${{ "--n": cards.length }}>
    ${cards.map((id, i) => html`<span class="fan-card" key=${`${id}-${id === "back" ? i : ""}`} style=${{ "--d": i - (cards.length - 1) / 2 }}><${Card} id=${id} /></span>`)}
    ${counted && cards.length > 1 && html`<b class="fan-count">${cards.length}</b>`}
  </span>`;

/** A number with an animation when it changes. @param {{n: number, class?: string, format?: (n: number) => string}} props */
export const Stamped = ({ n, class: extra = "", format = number }) => html`<b class="stamped ${extra}" key=${n} style=${{ "--letters": format(n).length }}>${format(n)}</b>`;

/**
 * Cards that keep their places while others come and go, as on a table: what comes takes the first free place.
 * @param {string[]} cards @param {*} round another round begins from an empty table
 * @param {number} least so many places there are at any rate
 * @returns {(string|null)[]} a card a place
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

/** A yaku as a hanging scroll: its name from top to bottom, and its points under it as a seal. */
const Scroll = ({ yaku }) =>
  html`<figure class="scroll">
    <div class="scroll-paper">
      <span class="scroll-name" lang=${titleLang} style=${{ "--letters": [...yakuTitle(yaku)].length }}>${yakuTitle(yaku)}</span>
      <b class="scroll-points">${worth(yaku)}</b>
    </div>
    <figcaption>${otherNames(yaku).map((name, i) => html`<span key=${i} class=${i ? "romaji" : "own-name"}>${name}</span>`)}</figcaption>
    <${Fan} cards=${inDeckOrder(yaku.cards)} />
  </figure>`;

/** The style of a moment: a yaku, or a call by which the round goes on or ends. @param {import("./display-moments.js").Moment} moment */
export const momentClass = ({ kind, before }) => (kind === "yaku" ? "yaku" : before === undefined ? "ends" : "goes-on");

/** A moment over the whole screen, then quiet again. @param {{moment: import("./display-moments.js").Moment, state: Object}} props */
export const MomentPanel = ({ moment, state }) =>
  html`<section class="moment ${momentClass(moment)}" key=${moment.id} data-moment=${moment.kind} data-seat=${moment.seat}>
    <p class="moment-who">${playerAt(state, moment.seat)}</p>
    ${moment.kind === "yaku"
      ? html`<div class="scrolls">${moment.yaku.map((yaku) => html`<${Scroll} key=${yaku.name} yaku=${yaku} />`)}</div>`
      : html`<p class="moment-call"><span>${callTitle(moment)}</span>${withJapanese && has(`display-${moment.kind}`) && html`<small>${t(`display-${moment.kind}`)}</small>`}</p>`}
  </section>`;

const DRIFT_MS = 45_000;
const DRIFT_PX = [[0, 0], [1, 0], [2, 1], [2, 2], [1, 2], [0, 2], [-1, 1], [-2, 0], [-2, -1], [-1, -2], [0, -2], [1, -1]]; // prettier-ignore

/** Moves what stands for hours by a pixel or two, so that it does not burn in. @param {{current: HTMLElement}} element */
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
