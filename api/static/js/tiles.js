/** The cards of a pile as small faces by kind; each opens the sheet that names it. */
import { flowerOf, inDeckOrder, KINDS, kindOf, nameOf } from "./deck.js";
import { Crop } from "./crop.js";
import { Face } from "./face.js";
import { percent, t, tn } from "./i18n.js";
import { classes, html } from "./view.js";

const DOUBTFUL = 0.8; // below this the program's own doubt is shown on the face

function Tile({ scan, card, onSelect }) {
  const byPerson = card.by === "person";
  const doubtful = !byPerson && card.card !== null && card.confidence < DOUBTFUL;
  const name = nameOf(card.card);
  return html`<li>
    <button
      type="button"
      class=${classes("tile", byPerson && "by-person", card.card === null && "unnamed")}
      aria-label=${t("tiles.change", { card: name })}
      title=${name}
      data-index=${card.index}
      onClick=${() => onSelect(card.index)}
    >
      ${card.card === null ? html`<${Crop} scan=${scan} quad=${card.quad} label="" />` : html`<${Face} id=${card.card} />`}
      ${card.card === null && html`<span class="mark">?</span>`}
      ${byPerson && html`<span class="mark" title=${t("tiles.by-person")}>✓</span>`}
      ${doubtful && html`<span class="doubt">${percent(card.confidence)}</span>`}
      <span class="flower">${card.card && card.card !== "back" ? flowerOf(card.card) : ""}</span>
    </button>
  </li>`;
}

function Group({ title, cards, look, scan, onSelect, children }) {
  return html`<section class=${classes("group", look)}>
    <h3>${title} <span class="count">${cards.length}</span></h3>
    ${children}
    <ul class="tiles">
      ${cards.map((card) => html`<${Tile} key=${card.index} scan=${scan} card=${card} onSelect=${onSelect} />`)}
    </ul>
  </section>`;
}

/** @param {{scan: Object, onSelect: (index: number) => void, onAdd: () => void}} props */
export function Tiles({ scan, onSelect, onAdd }) {
  const unnamed = scan.cards.filter(({ card }) => card === null);
  const backs = scan.cards.filter(({ card }) => card === "back");
  const order = inDeckOrder(scan.cards.map(({ card }) => card));
  const ofKind = (kind) =>
    scan.cards
      .filter(({ card }) => card && kindOf(card) === kind)
      .sort((a, b) => order.indexOf(a.card) - order.indexOf(b.card));
  return html`<section class="cards" aria-label=${t("tiles.label")}>
    <header>
      <h2>${tn("tiles.title", scan.cards.length)}</h2>
      <p class="hint">${t("tiles.hint")}</p>
    </header>
    ${unnamed.length > 0 &&
    html`<${Group} title=${t("tiles.unnamed")} look="attention" cards=${unnamed} scan=${scan} onSelect=${onSelect}>
      <p>${tn("tiles.unnamed.hint", unnamed.length)}</p>
    <//>`}
    ${KINDS.map((kind) => ({ kind, cards: ofKind(kind) }))
      .filter(({ cards }) => cards.length > 0)
      .map(
        ({ kind, cards }) =>
          html`<${Group} key=${kind} title=${t(`kind.${kind}`)} cards=${cards} scan=${scan} onSelect=${onSelect} />`,
      )}
    ${backs.length > 0 && html`<${Group} title=${t("kind.back")} cards=${backs} scan=${scan} onSelect=${onSelect} />`}
    <button type="button" class="button quiet add" onClick=${onAdd}>${t("tiles.add")}</button>
  </section>`;
}
