/** The cards of a pile as small faces by card type; each opens the sheet that names it. */
import { Crop } from "./crop.js";
import { flowerOf, inDeckOrder, KINDS, kindOf, nameOf } from "./deck.js";
import { Face } from "./face.js";
import { percent, t, tn } from "./i18n.js";
import { classes, html } from "./view.js";

const GUESS = 0.05; // below this confidence a percentage tells nothing
const DOUBTFUL = 0.8; // below this confidence the face has a mark

const NAMED = ["bright", "animal"]; // card types whose cards have individual names

/** The face of a card, or its crop from the photograph while it is unidentified. */
function Tile({ scan, card, onSelect }) {
  const byPerson = card.by === "person";
  const doubtful = !byPerson && card.card !== null && card.confidence < DOUBTFUL;
  const name = nameOf(card.card);
  const flower = flowerOf(card.card);
  const shortName = NAMED.includes(kindOf(card.card)) ? name : flower; // the heading names the ribbon or chaff
  const doubt = doubtful ? (card.confidence < GUESS ? "?" : percent(card.confidence)) : "";
  const cropped = card.quad && card.card === null;
  const label = [doubt, flower, t("tiles-change", { card: name })].filter(Boolean).join(" · ");
  return html`<li>
    <button
      type="button"
      class=${classes("tile stack gap-1 bare", byPerson && "by-person", card.card === null && "unnamed")}
      aria-label=${label}
      title=${name}
      data-index=${card.index}
      onClick=${() => onSelect(card.index)}
    >
      ${card.card !== null && !cropped && html`<${Face} id=${card.card} />`}
      ${cropped && html`<${Crop} scan=${scan} quad=${card.quad} />`}
      ${card.card === null && html`<span class="mark" aria-hidden="true">?</span>`}
      ${byPerson && html`<span class="mark" aria-hidden="true" title=${t("tiles-by-person")}>✓</span>`}
      ${doubt && html`<span class="doubt" aria-hidden="true">${doubt}</span>`}
      <span class="flower" aria-hidden="true">${shortName}</span>
    </button>
  </li>`;
}

function Group({ title, hint, cards, scan, onSelect }) {
  if (cards.length === 0) return null;
  return html`<section class=${classes("group stack", hint && "attention")}>
    <h3>${title} <span class="count">${cards.length}</span></h3>
    ${hint && html`<p>${hint}</p>`}
    <ul class="tiles">
      ${cards.map((card) => html`<${Tile} key=${card.index} scan=${scan} card=${card} onSelect=${onSelect} />`)}
    </ul>
  </section>`;
}

/** @param {{scan: Object, onSelect: (index: number) => void, onAdd: () => void}} props */
export function Tiles({ scan, onSelect, onAdd }) {
  const order = inDeckOrder(scan.cards.map(({ card }) => card));
  const where = (test) =>
    scan.cards.filter(({ card }) => test(card)).sort((a, b) => order.indexOf(a.card) - order.indexOf(b.card));
  const unnamed = where((card) => card === null);
  const all = { scan, onSelect };
  return html`<section class="cards" aria-label=${t("tiles-label")}>
    <header>
      <h2>${tn("cards", scan.cards.length)}</h2>
      <p class="hint">${t("tiles-hint")}</p>
    </header>
    <${Group} ...${all} title=${t("card-unnamed")} hint=${tn("tiles-unnamed-hint", unnamed.length)} cards=${unnamed} />
    ${KINDS.map((kind) => html`<${Group} key=${kind} ...${all} title=${t(`kind-${kind}`)} cards=${where((card) => kindOf(card) === kind)} />`)}
    <${Group} ...${all} title=${t("kind-foreign")} cards=${where((card) => kindOf(card) === null)} />
    <${Group} ...${all} title=${t("kind-back")} cards=${where((card) => card === "back")} />
    <button type="button" class="button quiet add" onClick=${onAdd}>${t("tiles-add")}</button>
  </section>`;
}
