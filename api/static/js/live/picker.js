/** Choose one card of many: first its flower, suit, or rank, then the card. */
import { faceOf, groupOf, inDeckOrder, nameOf } from "../deck.js";
import { Face } from "../face.js";
import { t } from "../i18n.js";
import { classes, html, useState } from "../view.js";

const FEW = 8;

function Cards({ ids, onPick, disabled }) {
  return html`<div class="pick-cards">
    ${ids.map(
      (id) =>
        html`<button key=${id} type="button" class="pick-card" data-card=${id} disabled=${disabled} onClick=${() => onPick(id)}>
          <${Face} id=${id} />
          <span>${nameOf(id)}</span>
        </button>`,
    )}
  </div>`;
}

/**
 * @param {{ids: string[], likely?: string[], marked?: Set<string>, open?: string|null, onPick: (id: string) => void}} props
 *   `likely`: cards displayed first, in their order; `marked`: cards that capture something; `open`: a card whose group is open at first
 */
export function Picker({ ids, likely = [], marked = new Set(), open = null, onPick, disabled }) {
  const groups = new Map();
  for (const id of inDeckOrder(ids)) {
    const group = groupOf(id);
    if (!groups.has(group.key)) groups.set(group.key, { ...group, ids: [] });
    groups.get(group.key).ids.push(id);
  }
  const [chosen, setChosen] = useState(open === null ? null : groupOf(open).key);
  if (ids.length <= FEW) return html`<${Cards} ids=${inDeckOrder(ids)} onPick=${onPick} disabled=${disabled} />`;
  return html`<div class="picker">
    ${likely.length > 0 &&
    html`<section>
      <h3>${t("sheet-likely")}</h3>
      <${Cards} ids=${likely} onPick=${onPick} disabled=${disabled} />
    </section>`}
    <div class="pick-groups">
      ${[...groups.values()].map(
        ({ key, title, ids: cards }) =>
          html`<button
            key=${key}
            type="button"
            class=${classes("pick-group", key === chosen && "chosen", cards.some((id) => marked.has(id)) && "takes")}
            aria-pressed=${key === chosen}
            data-group=${key}
            onClick=${() => setChosen(key)}
          >
            ${faceOf(cards[0]) && html`<${Face} id=${cards[0]} />`}
            <span>${title}</span>
            <small aria-hidden="true">${cards.length}</small>
          </button>`,
      )}
    </div>
    ${chosen && groups.has(chosen) && html`<${Cards} ids=${groups.get(chosen).ids} onPick=${onPick} disabled=${disabled} />`}
  </div>`;
}
