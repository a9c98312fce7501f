/** Enter a deal by hand: the dealer and the field cards; correct a field card later. */
import { request } from "../api.js";
import { Dialog } from "../dialog.js";
import { inDeckOrder, loadedPack, nameOf } from "../deck.js";
import { Face } from "../face.js";
import { gameOf } from "../games.js";
import { monthName, t, tn } from "../i18n.js";
import { classes, html, useEffect, useState } from "../view.js";
import { Picker } from "./picker.js";
import { nameOfSeat } from "./seats.js";
import { store } from "./store.js";

const MONTHS = 12;

function Whose({ state, question, chosen, onChoose }) {
  return html`<fieldset class="dealer cluster">
    <legend>${question}</legend>
    ${state.table.players.map(
      ({ seat }) =>
        html`<button key=${seat} type="button" class=${classes("button", seat === chosen ? "primary" : "quiet")} aria-pressed=${seat === chosen} onClick=${() => onChoose(seat)}>
          ${nameOfSeat(state, seat)}
        </button>`,
    )}
  </fieldset>`;
}

/** The month of the next round: by default the month after the last round's. */
function Month({ month, onChoose }) {
  return html`<label class="field-label line hint">
    <span>${t("more-month")}</span>
    <select value=${month} onChange=${(event) => onChoose(Number(event.target.value))}>
      ${Array.from({ length: MONTHS }, (_, n) => html`<option key=${n} value=${n + 1}>${monthName(n + 1)}</option>`)}
    </select>
  </label>`;
}

/** @param {{now: import("./store.js").Now, onClose: () => void}} props */
export function Deal({ now, onClose }) {
  const { state } = now;
  const { entry, months } = gameOf(state.table.game);
  const [dealer, setDealer] = useState(null); // without a choice, the server computes dealer and month, again after a correction
  const [month, setMonth] = useState(null);
  const [cards, setCards] = useState([]);
  const [dropped, setDropped] = useState(null);
  const [open] = state.table.drops_out ?? []; // a state kept without a connection may be older
  const [pack, setPack] = useState(loadedPack("hanafuda"));
  const hand = state.table.open_hands ? entry.hand : 0;
  useEffect(() => {
    if (hand > 0) request("GET", store.path("/yaku")).then(({ cards: all }) => setPack(inDeckOrder(all)), () => {}); // the hanafuda have them too
  }, []);
  const places = hand > 0 ? state.table.players.map(({ seat }) => ({ title: nameOfSeat(state, seat), size: hand })) : [{ title: t("live-field"), size: entry.field }];
  const wanted = places.reduce((sum, { size }) => sum + size, 0);
  const missing = wanted - cards.length;
  const report = async (dealt) => {
    const hands = Object.fromEntries(state.table.players.map(({ seat }, n) => [seat, dealt.slice(n * hand, (n + 1) * hand)]));
    const deal = hand > 0 ? { hands } : entry.field > 0 ? { field: dealt } : dropped ? { dropped } : {};
    const data = { deal, ...(dealer ? { dealer } : { dealer_in_turn: true }), month };
    if (await store.report([{ kind: "dealt", data }])) onClose();
  };
  const pick = (id) => {
    const dealt = [...cards, id];
    setCards(dealt);
    if (dealt.length === wanted) report(dealt); // the last card begins the round; undo takes it back
  };
  return html`<${Dialog} title=${t("live-deal")} class="sheet entry panel pad-0 deal" onClose=${onClose}>
    <${Whose} state=${state} question=${t("question-who-dealt")} chosen=${dealer ?? state.night.dealer} onChoose=${setDealer} />
    ${open && html`<div class="line gap-4"><${Face} id=${open} /><${Whose} state=${state} question=${t("live-deal-dropped", { card: nameOf(open) })} chosen=${dropped} onChoose=${setDropped} /></div>`}
    ${months && html`<${Month} month=${month ?? (state.night.played % MONTHS) + 1} onChoose=${setMonth} />`}
    ${wanted > 0 &&
    html`<section>
      ${places.map(
        ({ title, size }, at) => html`<h3>${hand === 0 && missing > 0 ? tn("live-deal-field", missing) : title}</h3>
          <ul class="dealt-field">
            ${Array.from({ length: size }, (_, n) => cards[at * size + n]).map((id, n) =>
              id
                ? html`<li key=${id}>
                    <button type="button" aria-label=${t("labeled", { label: t("remove"), text: nameOf(id) })} onClick=${() => setCards(cards.filter((other) => other !== id))}>
                      <${Face} id=${id} />
                    </button>
                  </li>`
                : html`<li key=${n} class="slot"></li>`,
            )}
          </ul>`,
      )}
      ${missing > 0 && html`<${Picker} ids=${pack.filter((id) => !cards.includes(id))} disabled=${now.sending} onPick=${pick} />`}
    </section>`}
    ${missing === 0 && html`<button type="button" class="button primary big" disabled=${now.sending || (open && !dropped)} onClick=${() => report(cards)}>${t("live-deal-begin")}</button>`}
  <//>`;
}

/** Asks who dealt, if a camera saw the deal and nobody has entered the dealer. @param {{now: import("./store.js").Now}} props */
export function WhoDealt({ now }) {
  const report = (dealer) => store.report([{ kind: "began", data: { dealer } }]);
  return html`<section class="ask stack gap-3">
    <h2>${t("live-deal-who")}</h2>
    <${Whose} state=${now.state} question=${t("question-who-dealt")} chosen=${null} onChoose=${report} />
  </section>`;
}

/** The field cards of a deal, each correctable. @param {{now: import("./store.js").Now, entry: Object, onDone: () => void}} props */
export function DealCards({ now, entry, onDone }) {
  const [wrong, setWrong] = useState(null);
  const { data } = entry;
  const put = async (id) => {
    const field = data.deal.field.map((each) => (each === wrong ? id : each));
    const corrected = { ...data, deal: { ...data.deal, field } };
    if (await store.report([{ kind: "corrected", data: { of: entry.seq, kind: "dealt", data: corrected } }])) onDone();
  };
  return html`<p class="hint">${t("live-correct-hint")}</p>
    <ul class="dealt-field">
      ${data.deal.field.map(
        (id) =>
          html`<li key=${id}>
            <button type="button" class=${classes(id === wrong && "chosen")} data-part=${`field ${id}`} aria-label=${t("tiles-change", { card: nameOf(id) })} onClick=${() => setWrong(id)}>
              <${Face} id=${id} />
            </button>
          </li>`,
      )}
    </ul>
    ${wrong && html`<${Picker} key=${wrong} ids=${loadedPack("hanafuda").filter((id) => !data.deal.field.includes(id))} disabled=${now.sending} onPick=${put} />`}`;
}
