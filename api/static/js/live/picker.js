/** Choose one card of many: hanafuda in one tap on a grid of the pack, other cards by suit or rank, then the card. */
import { groupOf, inDeckOrder, loadedPack, nameOf } from "../deck.js";
import { Face } from "../face.js";
import { t } from "../i18n.js";
import { classes, html, useState } from "../view.js";

const FEW = 8;

function Cards({ ids, onPick, disabled }) {
  return html`<div class="pick-cards">
    ${ids.map(
      (id) =>
        html`<button key=${id} type="button" class="pick-card stack gap-1" data-card=${id} disabled=${disabled} onClick=${() => onPick(id)}>
          <${Face} id=${id} />
          <span>${nameOf(id)}</span>
        </button>`,
    )}
  </div>`;
}

/** The whole pack, each card always in the same place; those that cannot be chosen are faded. */
function Grid({ pack, ids, marked, onPick, disabled }) {
  return html`<div class="pick-grid">
    ${pack.map(
      (id) =>
        html`<button
          key=${id}
          type="button"
          class=${classes("pick-card stack gap-1", marked.has(id) && "takes")}
          data-card=${id}
          aria-label=${nameOf(id)}
          title=${nameOf(id)}
          disabled=${disabled || !ids.includes(id)}
          onClick=${() => onPick(id)}
        >
          <${Face} id=${id} />
        </button>`,
    )}
  </div>`;
}

/** Cards of packs without a grid: the flowers, suits, or ranks, and the cards of the chosen one. `open`: a card whose group is open at first */
function Groups({ ids, marked, open, onPick, disabled }) {
  const groups = new Map();
  for (const id of inDeckOrder(ids)) {
    const group = groupOf(id);
    if (!groups.has(group.key)) groups.set(group.key, { ...group, ids: [] });
    groups.get(group.key).ids.push(id);
  }
  const [chosen, setChosen] = useState(open === null ? null : groupOf(open).key);
  return html`<div class="pick-groups">
      ${[...groups.values()].map(
        ({ key, title, ids: cards }) =>
          html`<button
            key=${key}
            type="button"
            class=${classes("pick-group stack gap-1", key === chosen && "chosen", cards.some((id) => marked.has(id)) && "takes")}
            aria-pressed=${key === chosen}
            data-group=${key}
            onClick=${() => setChosen(key)}
          >
            <${Face} id=${cards[0]} />
            <span>${title}</span>
            <small aria-hidden="true">${cards.length}</small>
          </button>`,
      )}
    </div>
    ${chosen && groups.has(chosen) && html`<${Cards} ids=${groups.get(chosen).ids} onPick=${onPick} disabled=${disabled} />`}`;
}

/**
 * @param {{ids: string[], likely?: string[], marked?: Set<string>, open?: string|null, onPick: (id: string) => void}} props
 *   `likely`: cards displayed first, in their order; `marked`: cards that capture something; `open`: a card whose group is open at first
 */
export function Picker({ ids, likely = [], marked = new Set(), open = null, onPick, disabled }) {
  if (ids.length <= FEW) return html`<${Cards} ids=${inDeckOrder(ids)} onPick=${onPick} disabled=${disabled} />`;
  const pack = loadedPack("hanafuda");
  return html`<div class="picker stack gap-3">
    ${likely.length > 0 &&
    html`<section>
      <h3>${t("sheet-likely")}</h3>
      <${Cards} ids=${likely} onPick=${onPick} disabled=${disabled} />
    </section>`}
    ${ids.every((id) => pack.includes(id))
      ? html`<${Grid} pack=${pack} ids=${ids} marked=${marked} onPick=${onPick} disabled=${disabled} />`
      : html`<${Groups} ids=${ids} marked=${marked} open=${open} onPick=${onPick} disabled=${disabled} />`}
  </div>`;
}
