/** Help for beginners: what a card is, which yaku it can take part in, and what a player can still make. */
import { request } from "../api.js";
import { Dialog } from "../dialog.js";
import { flowerOf, groupOf, inDeckOrder, kindOf, monthOfCard, nameOf } from "../deck.js";
import { Face } from "../face.js";
import { monthName, t, tn } from "../i18n.js";
import { Notice } from "../notice.js";
import { classes, html, useEffect, useState } from "../view.js";
import { YakuName } from "../yaku.js";
import { NearOne } from "./near.js";
import { Picker } from "./picker.js";
import { nameOfSeat } from "./seats.js";
import { store } from "./store.js";

const MAX_FACES = 6; // a yaku of more cards, such as chaff, is described by their number

const capturedBy = (seat) => new Set(Object.values(seat.captured).flat());

/** The cards and yaku of the game. @returns {{game: {cards: string[], yaku: Object[]}|null, problem: Object|null}} */
function useGameCards() {
  const [game, setGame] = useState(null);
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    request("GET", store.path("/yaku")).then(setGame, setProblem);
  }, []);
  return { game, problem };
}

/** A yaku, how many of its cards each player has, and the cards if they are few. */
function YakuOfCard({ state, one, players }) {
  const all = new Set(one.cards);
  const mine = capturedBy(players[0] ?? { captured: {} });
  return html`<li class="help-yaku stack gap-1" data-yaku=${one.name}>
    <span class="made-head"><${YakuName} names=${one} /> <b class="points">${tn("points", one.points)}</b></span>
    ${players.map((player) => {
      const have = [...capturedBy(player)].filter((id) => all.has(id)).length;
      return html`<span key=${player.seat} class="fine">${t("help-have", { name: nameOfSeat(state, player.seat), have, count: one.count })}</span>`;
    })}
    ${one.cards.length <= MAX_FACES && html`<span class="near-cards">${inDeckOrder(one.cards).map((id) => html`<span key=${id} class=${classes("help-face", players.length === 1 && mine.has(id) && "has")}><${Face} id=${id} alt=${nameOf(id)} /></span>`)}</span>`}
  </li>`;
}

function CardHelp({ state, seat, id, game }) {
  const players = (state.round?.seats ?? []).filter((one) => seat === null || one.seat === seat);
  const kind = kindOf(id);
  const month = monthOfCard(id);
  const yaku = game.yaku.filter(({ cards }) => cards.includes(id));
  return html`<section class="help-card" data-card=${id}>
    <div class="help-head">
      <${Face} id=${id} />
      <div>
        <h3>${nameOf(id)}</h3>
        ${kind
          ? html`<p>${t("help-month", { month: monthName(month), flower: flowerOf(id) })}</p>
              <p>${t("help-kind", { kind: t(`kind-${kind}`) })}</p>`
          : html`<p>${groupOf(id)}</p>`}
      </div>
    </div>
    ${yaku.length > 0 &&
    html`<h3>${t("help-yaku")}</h3>
      <ul>
        ${yaku.map((one) => html`<${YakuOfCard} key=${one.name} state=${state} one=${one} players=${players} />`)}
      </ul>`}
    ${game.yaku.length > 0 && yaku.length === 0 && html`<p>${t("help-no-yaku")}</p>`}
  </section>`;
}

/** What each player is close to, with the missing cards. */
function StillPossible({ state, seat }) {
  const { round } = state;
  const players = (round && !round.outcome ? round.seats : []).filter((one) => seat === null || one.seat === seat);
  return players.map(
    (player) =>
      html`<section key=${player.seat} class="nearly">
        <h3>${seat === null ? nameOfSeat(state, player.seat) : t("help-still")}</h3>
        ${player.near.length === 0 ? html`<p>${t("help-nothing")}</p>` : html`<ul>${player.near.map((near) => html`<${NearOne} key=${near.yaku} near=${near} round=${round} />`)}</ul>`}
      </section>`,
  );
}

/**
 * @param {{state: Object, seat: number|null, card: string|null, onClose: () => void}} props `seat`: whose cards count, null for
 *   everybody's; `card`: the card that is explained first, null for the overview
 */
export function HelpSheet({ state, seat, card, onClose }) {
  const { game, problem } = useGameCards();
  const [id, setId] = useState(card);
  return html`<${Dialog} title=${t("help-title")} class="sheet help" onClose=${onClose}>
    ${problem && html`<${Notice} problem=${problem} />`}
    ${!game && !problem && html`<p class="loading" role="status">${t("app-loading")}</p>`}
    ${game && id && html`<${CardHelp} state=${state} seat=${seat} id=${id} game=${game} /><button type="button" class="button quiet" onClick=${() => setId(null)}>${t("sheet-all")}</button>`}
    ${game && !id && html`<${StillPossible} state=${state} seat=${seat} /><section><h3>${t("help-pick")}</h3><${Picker} ids=${inDeckOrder(game.cards)} onPick=${setId} /></section>`}
  <//>`;
}

/**
 * Help on a page: a tap on a card opens it.
 * @param {Object} state @param {number|null} seat
 * @returns {{onClick: (event: Event) => void, open: () => void, sheet: any}} the handler of the element around the cards
 */
export function useHelp(state, seat) {
  const [asked, setAsked] = useState(null);
  const onClick = ({ target }) => {
    const card = target.closest("[data-card]");
    if (card && !target.closest("button, a, dialog")) setAsked({ card: card.dataset.card });
  };
  return {
    onClick,
    open: () => setAsked({ card: null }),
    sheet: asked && html`<${HelpSheet} state=${state} seat=${seat} card=${asked.card} onClose=${() => setAsked(null)} />`,
  };
}

/** The button that opens the help. @param {{state: Object, onOpen: () => void}} props */
export const HelpButton = ({ state, onOpen }) =>
  html`<button type="button" class="button quiet help-open" onClick=${onOpen}>${t(state.round?.seats.some(({ near }) => near.length > 0) ? "help-open" : "help-title")}</button>`;
