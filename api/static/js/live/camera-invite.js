/** The QR code with which a phone becomes the camera of a table. */
import { Dialog } from "../dialog.js";
import { t } from "../i18n.js";
import { sentenceOf } from "../notice.js";
import { html, useState } from "../view.js";
import { Qr, useInvitation } from "./pairings.js";

/** The dialog with the code. @param {{table: string, onClose: () => void}} props */
export function CameraInvite({ table, onClose }) {
  const { made, problem } = useInvitation({ role: "camera", table });
  return html`<${Dialog} title=${t("camera-use-phone")} class="camera-invite" onClose=${onClose}>
    <p>${t("camera-invite-text")}</p>
    ${problem && html`<p class="banner cluster gap-4 between refused" role="alert">${sentenceOf(problem)}</p>`}
    ${made && html`<div class="scannable stack center" data-link=${made.link}><${Qr} svg=${made.qr} label=${t("camera-use-phone")} /></div>`}
  <//>`;
}

/** For a host: the button for that dialog. @param {{now: import("./store.js").Now}} props */
export function UsePhone({ now }) {
  const [open, setOpen] = useState(false);
  if (now.me?.role !== "host") return null;
  return html`<button type="button" class="button quiet" onClick=${() => setOpen(true)}>${t("camera-use-phone")}</button>
    ${open && html`<${CameraInvite} table=${now.state.table.id} onClose=${() => setOpen(false)} />`}`;
}
