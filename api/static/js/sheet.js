/** The sheet that names a card: the likely cards first, then all 48 by flower. */
import { Crop } from "./crop.js";
import { months, nameOf } from "./deck.js";
import { Dialog } from "./dialog.js";
import { Face } from "./face.js";
import { monthName, percent, t } from "./i18n.js";
import { classes, html, useEffect, useRef, useState } from "./view.js";

const LIKELY = 5;
const WORTH_SHOWING = 0.005;

/** The program's candidates for a card with their probabilities, most likely first. @returns {[string, number][]} */
function likely(card) {
  const shares = new Map(card.alternatives);
  if (card.read && !shares.has(card.read)) shares.set(card.read, card.confidence);
  return [...shares]
    .filter(([, share]) => share >= WORTH_SHOWING)
    .sort((a, b) => b[1] - a[1])
    .slice(0, LIKELY);
}

/** The origin of a card's name: the program or a person. */
function origin(card) {
  if (card.quad === null) return t("sheet-by-hand");
  if (card.by === "person") return t("sheet-by-person", { card: nameOf(card.read) });
  return card.card === null ? t("sheet-unsure") : t("sheet-by-program", { share: percent(card.confidence) });
}

function Choice({ id, share, current, used, onChoose }) {
  const name = nameOf(id);
  const label = share === undefined ? name : `${name}, ${percent(share)}`;
  return html`<button
    type="button"
    class=${classes("choice stack gap-1 bare", current && "current", used && "used")}
    aria-pressed=${current}
    aria-label=${used ? t("sheet-used", { card: label }) : label}
    title=${name}
    data-card=${id}
    onClick=${() => onChoose(id)}
  >
    <${Face} id=${id} />
    ${share !== undefined && html`<span class="share">${percent(share)}</span>`}
  </button>`;
}

/** Reports that the card is already in the pile, and offers to swap or move it. */
function Clash({ scan, id, other, adding, hasName, onSwap, onBack }) {
  const card = nameOf(id);
  const action = adding ? "adding" : hasName ? "swap" : other.quad ? "move" : "move-added";
  const here = useRef(null);
  useEffect(() => here.current.scrollIntoView({ behavior: "smooth", block: "center" }), [id]);
  return html`<section class="clash" role="alert" ref=${here}>
    ${other.quad && html`<${Crop} scan=${scan} quad=${other.quad} label=${t("sheet-crop")} />`}
    <div>
      <h3>${t("sheet-clash-title", { card })}</h3>
      <p>${t(`sheet-clash-${action}`)}</p>
      <div class="buttons">
        ${!adding &&
        html`<button type="button" class="button primary" onClick=${onSwap}>${t(hasName ? "sheet-clash-do-swap" : "sheet-clash-do-move")}</button>`}
        <button type="button" class="button quiet" onClick=${onBack}>${t("sheet-clash-back")}</button>
      </div>
    </div>
  </section>`;
}

function AllCards({ choice }) {
  return html`<section>
    <h3>${t("sheet-all")}</h3>
    <ol class="months stack">
      ${months().map(
        ({ month, flower, cards }) =>
          html`<li key=${month}>
            <p class="month"><b>${t(`flower-${flower}`)}</b> <span>${monthName(month)}</span></p>
            <div class="choices">${cards.map(({ id }) => choice(id))}</div>
          </li>`,
      )}
    </ol>
  </section>`;
}

/**
 * @param {{scan: Object, card: Object|null, onChoose: (id: string|null) => void,
 *   onSwap: (id: string, other: Object) => void, onClose: () => void}} props
 *   `card`: an entry of the scan's cards, or null to add one that the program missed
 */
export function Sheet({ scan, card, onChoose, onSwap, onClose }) {
  const [clash, setClash] = useState(null);
  const adding = card === null;
  const others = new Map(scan.cards.filter((other) => other.index !== card?.index).map((other) => [other.card, other]));
  const choose = (id) => (others.has(id) && id !== "back" ? setClash(id) : onChoose(id));
  const choice = (id, share) =>
    html`<${Choice} key=${id} id=${id} share=${share} current=${id === card?.card} used=${id !== "back" && others.has(id)} onChoose=${choose} />`;
  const byHand = card !== null && card.quad === null;
  const guesses = adding || byHand ? [] : likely(card);
  const hasName = card?.card && card.card !== "back";

  return html`<${Dialog} title=${t(adding ? "sheet-add" : "sheet-title")} class="sheet" onClose=${onClose}>
    ${!adding &&
    html`<div class="sheet-now">
      ${card.quad && html`<${Crop} scan=${scan} quad=${card.quad} label=${t("sheet-crop")} />`}
      <div>
        <p class="now">${nameOf(card.card)}</p>
        <p class="hint">${origin(card)}</p>
        <div class="buttons">
          ${!byHand && html`<button type="button" class="button quiet" onClick=${() => onChoose("back")}>${t("kind-back")}</button>`}
          <button type="button" class="button quiet" onClick=${() => onChoose("removed")}>${t(byHand ? "remove" : "sheet-remove")}</button>
        </div>
      </div>
    </div>`}
    ${clash &&
    html`<${Clash}
      scan=${scan}
      id=${clash}
      other=${others.get(clash)}
      adding=${adding}
      hasName=${hasName}
      onSwap=${() => onSwap(clash, others.get(clash))}
      onBack=${() => setClash(null)}
    />`}
    ${guesses.length > 0 &&
    html`<section>
      <h3>${t("sheet-likely")}</h3>
      <div class="choices likely">${guesses.map(([id, share]) => choice(id, share))}</div>
    </section>`}
    <${AllCards} choice=${choice} />
  <//>`;
}
