/** Choose one card of many, in one tap on a grid of the pack. */
import { inDeckOrder, nameOf, packOf } from "../deck.js";
import { Face } from "../face.js";
import { useGridKeys } from "../grid-keys.js";
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

/**
 * The whole pack, each card always in the same place.
 * @param {{pack: string[], classOf: (id: string) => string|false, nameFor?: (id: string) => string, isDisabled: (id: string) => boolean,
 *   isPressed?: (id: string) => boolean, onPick: (id: string) => void}} props by card: how it is marked, what it is called, whether it can be
 *   chosen, and whether it is chosen, where several can be
 */
export function Grid({ pack, classOf, nameFor = nameOf, isDisabled, isPressed, onPick }) {
  const { grid, tabOf } = useGridKeys(pack.filter((id) => !isDisabled(id)));
  return html`<div class="pick-grid" ...${grid}>
    ${pack.map(
      (id) =>
        html`<button key=${id} type="button" class=${classes("pick-card", classOf(id))} data-card=${id} aria-label=${nameFor(id)} aria-pressed=${isPressed?.(id)} title=${nameOf(id)} tabindex=${tabOf(id)} disabled=${isDisabled(id)} onClick=${() => onPick(id)}>
          <${Face} id=${id} />
        </button>`,
    )}
  </div>`;
}

/**
 * @param {{ids: string[], likely?: string[], marked?: Set<string>, disabled: boolean, onPick: (id: string) => void}} props `likely`: cards
 *   displayed first, in their order; `marked`: cards that capture something
 */
export function Picker({ ids, likely = [], marked = new Set(), onPick, disabled }) {
  if (ids.length <= FEW) return html`<${Cards} ids=${inDeckOrder(ids)} onPick=${onPick} disabled=${disabled} />`;
  return html`<div class="picker stack gap-3">
    ${likely.length > 0 &&
    html`<section>
      <h3>${t("sheet-likely")}</h3>
      <${Cards} ids=${likely} onPick=${onPick} disabled=${disabled} />
    </section>`}
    <${Grid} pack=${packOf(ids[0])} classOf=${(id) => marked.has(id) && "takes"} isDisabled=${(id) => disabled || !ids.includes(id)} onPick=${onPick} />
  </div>`;
}
