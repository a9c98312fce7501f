/** A button that chooses files, or takes a photograph. */
import { classes, html } from "./view.js";

/** The types of pictures, for `accept`; some browsers do not count HEIC among `image/*`. */
export const PICTURES = "image/*,.heic,.heif";

/**
 * @param {{class?: string, title?: string, onFiles: (files: File[]) => void, children: any}} props further ones are attributes of the input:
 *   accept, capture, multiple, disabled, aria-label
 */
export function FileInput({ class: className = "quiet", title, onFiles, children, ...input }) {
  const chosen = ({ target }) => {
    const files = [...target.files];
    target.value = ""; // so that choosing the same file again triggers the event
    if (files.length > 0) onFiles(files);
  };
  return html`<label class=${classes("button", className)} title=${title}><input type="file" ...${input} onChange=${chosen} /><span>${children}</span></label>`;
}
