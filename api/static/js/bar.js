/** A bar of buttons at the bottom of a page: one line; what does not fit is behind "More". */
import { t } from "./i18n.js";
import { classes, html, useLayoutEffect, useRef, useState } from "./view.js";

/** The buttons of a bar, as far as they take part in its line. @param {HTMLElement} items */
const buttonsOf = (items) => [...items.children].filter((one) => !one.matches("dialog, .bar-note"));

/** Leave the buttons of the first line, unless the bar is open. @param {HTMLElement} items @param {HTMLElement} more @param {boolean} open */
function fit(items, more, open) {
  const buttons = buttonsOf(items);
  const beyond = () => buttons.filter((one) => one.offsetTop < buttons[0].offsetTop);
  for (const one of buttons) one.hidden = false;
  more.hidden = true;
  if (beyond().length === 0) return;
  more.hidden = false;
  if (!open) for (const one of beyond()) one.hidden = true;
}

/**
 * @param {{class?: string, children: any}} props `children`: the buttons, the most important first, which is the last to give way. A
 *   `bar-note` among them stands above the bar
 */
export function Bar({ class: className, children }) {
  const items = useRef(null);
  const more = useRef(null);
  const [open, setOpen] = useState(false);
  useLayoutEffect(() => {
    const measure = () => fit(items.current, more.current, open);
    const observer = new ResizeObserver(measure);
    for (const one of [items.current, ...buttonsOf(items.current)]) observer.observe(one);
    measure();
    return () => observer.disconnect();
  });
  return html`<footer class=${classes("bar", className)}>
    <div ref=${items} class="bar-items" onClick=${() => setOpen(false)}>${children}</div>
    <button ref=${more} type="button" class="button quiet bar-more" aria-expanded=${open} aria-label=${t("bar-more")} title=${t("bar-more")} onClick=${() => setOpen(!open)}>
      <span aria-hidden="true">⋯</span>
    </button>
  </footer>`;
}
