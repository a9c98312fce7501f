/** "What just happened?": the camera's pictures before and after the last turn, at one tap, for ten minutes. */
import { Dialog } from "../dialog.js";
import { t, textOf } from "../i18n.js";
import { classes, html, useState } from "../view.js";
import { Evidence } from "./evidence.js";

const LATELY_MS = 600_000;

/** The newest turn with pictures, if it is recent. */
const lately = ({ history }) => history.findLast(({ pictures, time }) => pictures?.before && pictures.after && Date.now() - Date.parse(time) < LATELY_MS);

/**
 * A button for the pictures; without a recent turn that has some, only its text.
 * @param {{state: Object, class: string, children?: any}} props `children`: the text, by default the question
 */
export function LastTurn({ state, class: className, children, ...attributes }) {
  const [open, setOpen] = useState(false);
  const entry = lately(state);
  if (!entry) return children === undefined ? null : html`<p class=${className} ...${attributes}>${children}</p>`;
  return html`<button type="button" class=${classes("last-turn", className)} aria-haspopup="dialog" title=${t("live-just-happened")} ...${attributes} onClick=${() => setOpen(true)}>${children ?? t("live-just-happened")}</button>
    ${open &&
    html`<${Dialog} title=${t("live-just-happened")} class="last-turn-pictures" onClose=${() => setOpen(false)}>
      <p>${textOf(entry.says)}</p>
      <${Evidence} pictures=${entry.pictures} />
    <//>`}`;
}
