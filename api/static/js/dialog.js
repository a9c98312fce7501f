/** A dialog over the page: a bottom sheet on a phone, a side panel on a wide screen. */
import { t } from "./i18n.js";
import { classes, html, useLayoutEffect, useRef } from "./view.js";

/**
 * @param {{title: string, class?: string, onClose: () => void, children: any}} props
 *   Escape, the close button, and a tap outside the dialog close it.
 */
export function Dialog({ title, class: className, onClose, children }) {
  const dialog = useRef(null);
  useLayoutEffect(() => dialog.current.showModal(), []);
  const besides = (event) => event.target === dialog.current && onClose();
  return html`<dialog ref=${dialog} class=${classes("dialog", className)} aria-label=${title} onClick=${besides} onClose=${onClose}>
    <div class="dialog-body stack gap-4">
      <header class="dialog-head line gap-0 between">
        <h2>${title}</h2>
        <button type="button" class="cross" aria-label=${t("dialog-close")} onClick=${onClose}>✕</button>
      </header>
      ${children}
    </div>
  </dialog>`;
}

/**
 * A confirmation before something that cannot be undone.
 * @param {{title: string, text: string, yes: string, onYes: () => void, onClose: () => void}} props
 */
export const Confirm = ({ title, text, yes, onYes, onClose }) =>
  html`<${Dialog} title=${title} class="confirm" onClose=${onClose}>
    <p>${text}</p>
    <div class="buttons">
      <button type="button" class="button quiet" onClick=${onClose}>${t("cancel")}</button>
      <button type="button" class="button danger" onClick=${onYes}>${yes}</button>
    </div>
  <//>`;
