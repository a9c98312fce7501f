/** Choose one card of many: in one tap on a grid of the pack, few cards with their names. */
import { inDeckOrder, nameOf, packOf } from "../deck.js";
import { Face } from "../face.js";
import { t } from "../i18n.js";
import { classes, html } from "../view.js";

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

/**
 * @param {{ids: string[], likely?: string[], marked?: Set<string>, onPick: (id: string) => void}} props
 *   `likely`: cards displayed first, in their order; `marked`: cards that capture something
 */
export function Picker({ ids, likely = [], marked = new Set(), onPick, disabled }) {
  if (ids.length <= FEW) return html`<${Cards} ids=${inDeckOrder(ids)} onPick=${onPick} disabled=${disabled} />`;
  return html`<div class="picker stack gap-3">
    ${likely.length > 0 &&
    html`<section>
      <h3>${t("sheet-likely")}</h3>
      <${Cards} ids=${likely} onPick=${onPick} disabled=${disabled} />
    </section>`}
    <${Grid} pack=${packOf(ids[0])} ids=${ids} marked=${marked} onPick=${onPick} disabled=${disabled} />
  </div>`;
}
