/** One card cropped from the photograph and turned upright, for the sheet that names it. */
import { center, frame } from "./geometry.js";
import { html } from "./view.js";

const MARGIN = 1.16; // factor of the card's size: some surroundings help to recognize its position

/** @param {{scan: Object, quad: import("./geometry.js").Quad, label?: string}} props */
export function Crop({ scan, quad, label }) {
  const { width, height, turn } = frame(quad);
  const [x, y] = center(quad);
  const [w, h] = [width * MARGIN, height * MARGIN];
  const upright = `rotate(${(-turn * 180) / Math.PI}) translate(${-x} ${-y})`;
  return html`<svg class="crop" viewBox="${-w / 2} ${-h / 2} ${w} ${h}" role="img" aria-label=${label} aria-hidden=${!label}>
    <image
      href=${scan.view}
      width=${scan.reading.width}
      height=${scan.reading.height}
      preserveAspectRatio="none"
      transform=${upright}
    />
  </svg>`;
}
