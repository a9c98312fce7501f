/** Line charts, drawn by uPlot, which is loaded with the first chart. */
import { html, useEffect, useRef } from "./view.js";

const HEIGHT = 240;
const DASHES = [[], [8, 4], [2, 3]];
export const MAX_LINES = 6;

let library = null;

/** Load uPlot and its style sheet. */
function load() {
  library ??= import("../vendor/uplot.js");
  if (!document.querySelector("link[data-chart]")) {
    const sheet = Object.assign(document.createElement("link"), { rel: "stylesheet", href: new URL("../vendor/uplot.css", import.meta.url).href });
    sheet.dataset.chart = "";
    document.head.append(sheet);
  }
  return library;
}

/** The value of a color of the style sheets, which a canvas can't look up itself. */
function colorOf(name) {
  const probe = document.createElement("i");
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** The color and dash of a line. @param {number} n from 0 */
export const lineStyle = (n) => ({ color: colorOf(`line-${(n % MAX_LINES) + 1}`), dash: DASHES[(n + Math.floor(n / MAX_LINES)) % DASHES.length] });

function optionsOf({ lines, label, span, marked, onPick }, width) {
  const axis = { stroke: colorOf("ink-soft"), grid: { stroke: colorOf("line"), width: 1 }, ticks: { show: false }, font: "13px system-ui, sans-serif" };
  return {
    width,
    height: HEIGHT,
    scales: { x: { time: false }, ...(span && { y: { range: () => span } }) },
    legend: { live: false },
    cursor: { drag: { setScale: false }, ...(onPick && { bind: { click: (plot) => () => plot.cursor.idx !== null && onPick(plot.cursor.idx) } }) },
    hooks: { draw: [(plot) => drawMark(plot, marked.current, axis.stroke)] },
    axes: [
      { ...axis, space: 80, incrs: [1, 2, 3, 4, 5, 6, 10, 12, 20, 24, 50, 100], values: (_, ticks) => ticks.map(label) },
      { ...axis, size: 56 },
    ],
    series: [
      {},
      ...lines.map(({ name }, n) => {
        const { color, dash } = lineStyle(n);
        return { label: name, stroke: color, width: 2.5, dash, spanGaps: true, points: { size: 6 } };
      }),
    ],
  };
}

/** Draw a vertical line at a position of the x axis, if there is one. */
function drawMark(plot, position, color) {
  if (position === null) return;
  const { ctx, bbox } = plot;
  const x = Math.round(plot.valToPos(position, "x", true));
  ctx.save();
  ctx.strokeStyle = color;
  ctx.lineWidth = devicePixelRatio * 2;
  ctx.setLineDash([]);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}

/**
 * @param {{title: string, lines: {name: string, values: (number|null)[]}[], label?: (n: number) => string, span?: number[], mark?: number, onPick?: (n: number) => void}} props
 *   `values`: one for each position on the x axis, from 0; `label`: the text under a position; `span`: the ends of the y axis;
 *   `mark`: a position with a vertical line; `onPick`: called with the position of a tap
 */
export function Chart({ title, lines, label = String, span = null, mark = null, onPick = null }) {
  const box = useRef(null);
  const drawn = useRef(null);
  const marked = useRef(mark);
  marked.current = mark;
  useEffect(() => {
    let plot = null;
    let gone = false;
    const resized = new ResizeObserver(([{ contentRect }]) => plot?.setSize({ width: contentRect.width, height: HEIGHT }));
    load().then(({ default: UPlot }) => {
      if (gone) return;
      const data = [lines[0].values.map((_, n) => n), ...lines.map(({ values }) => values)];
      plot = new UPlot(optionsOf({ lines, label, span, marked, onPick }, box.current.clientWidth), data, box.current);
      drawn.current = plot;
      resized.observe(box.current);
    });
    return () => {
      gone = true;
      drawn.current = null;
      resized.disconnect();
      plot?.destroy();
    };
  }, [lines]);
  useEffect(() => drawn.current?.redraw(false), [mark]);
  return html`<div class="chart" role="img" aria-label=${title} ref=${box}></div>`;
}
