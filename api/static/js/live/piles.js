/** Enter captured piles: by a photograph of one or both, or by taps on the cards. */
import { postTablePicture } from "../api.js";
import { useAttempt } from "../attempt.js";
import { inDeckOrder, loadedPack, nameOf } from "../deck.js";
import { FileInput, PICTURES } from "../file-input.js";
import { amountOf } from "../games.js";
import { t, tn } from "../i18n.js";
import { Notice } from "../notice.js";
import { classes, html, useEffect, useState } from "../view.js";
import { Grid } from "./picker.js";
import { nameOfSeat } from "./seats.js";
import { store } from "./store.js";


/** The photograph with the outlines of its cards in their owners' colors; a tap gives a card to the next player, or to nobody. */
function Photograph({ photo, owners, onTap }) {
  const [visible, setVisible] = useState(true); // a browser that cannot show HEIC shows the cards below only
  if (!visible) return null;
  return html`<figure class="pile-photo" style=${{ aspectRatio: `${photo.width} / ${photo.height}` }}>
    <img src=${photo.url} alt=${t("result-photo")} onError=${() => setVisible(false)} />
    <svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
      ${photo.cards.map(
        ({ card, quad }, n) =>
          html`<polygon key=${n} class=${classes(card === null ? "unread" : `seat-${owners.get(card) ?? 0}`)} points=${quad.map((point) => point.join(",")).join(" ")} onClick=${() => card !== null && onTap(card)} />`,
      )}
    </svg>
  </figure>`;
}

/** The owners of the cards in a photograph: of two piles, the lower or right one is `near`'s. */
function ownersIn({ cards }, near, players) {
  const far = players.find((seat) => seat !== near);
  const two = new Set(cards.map(({ group }) => group)).size > 1;
  return cards.filter(({ card, group }) => card !== null && group !== null).map(({ card, group }) => [card, two && group === 0 ? far : near]);
}

/**
 * @param {{state: Object, piles: (string[]|null)[], worth?: Object[], onChange: (piles: (string[]|null)[]) => void}} props `piles`: by
 *   seat; null: not entered; `worth`: by seat, what the server makes of the piles
 */
export function Piles({ state, piles, worth, onChange }) {
  const players = state.table.players.map(({ seat }) => seat);
  const [seat, setSeat] = useState(players[0]);
  const [photo, setPhoto] = useState(null);
  const [reading, setReading] = useState(false);
  const [problem, attempt] = useAttempt();
  useEffect(() => () => photo && URL.revokeObjectURL(photo.url), [photo]);
  const owners = new Map(piles.flatMap((pile, n) => (pile ?? []).map((card) => [card, n + 1])));
  const put = (next) => onChange(players.map((one) => inDeckOrder([...next].filter(([, owner]) => owner === one).map(([card]) => card))));
  const give = (card, owner) => {
    const next = new Map(owners);
    if (owner) next.set(card, owner);
    else next.delete(card);
    put(next);
  };
  const turn = (card) => give(card, players[players.indexOf(owners.get(card)) + 1]);
  const swap = () => put(new Map([...owners].map(([card, owner]) => [card, players[(players.indexOf(owner) + 1) % players.length]])));
  const read = async ([file]) => {
    setReading(true);
    await attempt(async () => {
      const answer = await postTablePicture(store.path("/piles"), file);
      setPhoto({ ...answer, url: URL.createObjectURL(file) });
      put(new Map([...owners, ...ownersIn(answer, seat, players)]));
    });
    setReading(false);
  };
  const unread = photo?.cards.filter(({ card }) => card === null).length ?? 0;
  return html`<div class="piles-entry stack gap-3">
    <p class="hint">${t("result-piles-hint")}</p>
    <div class="cluster" role="group" aria-label=${t("replay-captured")}>
      ${players.map(
        (one) =>
          html`<button key=${one} type="button" class=${classes("button", "choice-button", `seat-${one}`, one === seat ? "primary" : "quiet")} aria-pressed=${one === seat} onClick=${() => setSeat(one)}>
            ${nameOfSeat(state, one)} <small>${[tn("cards", piles[one - 1]?.length ?? 0), worth && amountOf(state.table.game, worth[one - 1].total)].filter(Boolean).join(" · ")}</small>
          </button>`,
      )}
    </div>
    <div class="buttons">
      <${FileInput} class=${classes("quiet", reading && "looking")} accept=${PICTURES} disabled=${reading} onFiles=${read}>${t(reading ? "snap-looking" : "result-photograph")}<//>
      ${owners.size > 0 && players.length === 2 && html`<button type="button" class="button quiet" onClick=${swap}>${t("result-swap")}</button>`}
      ${piles.some((pile) => pile !== null) && html`<button type="button" class="button quiet" onClick=${() => onChange(players.map(() => null))}>${t("result-piles-clear")}</button>`}
    </div>
    ${problem && html`<${Notice} problem=${problem} />`}
    ${photo && html`<${Photograph} photo=${photo} owners=${owners} onTap=${turn} />`}
    ${unread > 0 && html`<p class="hint" role="status">${tn("result-unread", unread)}</p>`}
    <${Grid}
      pack=${loadedPack("hanafuda")}
      classOf=${(card) => owners.has(card) && `seat-${owners.get(card)} owned`}
      nameFor=${(card) => (owners.has(card) ? t("result-card-of", { card: nameOf(card), name: nameOfSeat(state, owners.get(card)) }) : nameOf(card))}
      isDisabled=${() => false}
      isPressed=${(card) => owners.has(card)}
      onPick=${(card) => give(card, owners.get(card) === seat ? null : seat)}
    />
  </div>`;
}
