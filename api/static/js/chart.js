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
    const sheet = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/static/vendor/uplot.css" });
    sheet.dataset.chart = "";
    document.head.append(sheet);
  }
  return library;
}

/** The color and dash of a line. @param {number} n from 0 */
export const lineStyle = (n) => ({ color: getComputedStyle(document.documentElement).getPropertyValue(`--line-${(n % MAX_LINES) + 1}`), dash: DASHES[(n + Math.floor(n / MAX_LINES)) % DASHES.length] });

function optionsOf(lines, label, width) {
  const style = getComputedStyle(document.documentElement);
  const axis = { stroke: style.getPropertyValue("--ink-soft"), grid: { stroke: style.getPropertyValue("--line"), width: 1 }, ticks: { show: false }, font: "13px system-ui, sans-serif" };
  return {
    width,
    height: HEIGHT,
    scales: { x: { time: false } },
    legend: { live: false },
    cursor: { drag: { setScale: false } },
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

/**
 * @param {{title: string, lines: {name: string, values: (number|null)[]}[], label?: (n: number) => string}} props
 *   `values`: one for each position on the x axis, from 0; `label`: the text under a position
 */
export function Chart({ title, lines, label = String }) {
  const box = useRef(null);
  useEffect(() => {
    let plot = null;
    let gone = false;
    const resized = new ResizeObserver(([{ contentRect }]) => plot?.setSize({ width: contentRect.width, height: HEIGHT }));
    load().then(({ default: UPlot }) => {
      if (gone) return;
      const data = [lines[0].values.map((_, n) => n), ...lines.map(({ values }) => values)];
      plot = new UPlot(optionsOf(lines, label, box.current.clientWidth), data, box.current);
      resized.observe(box.current);
    });
    return () => {
      gone = true;
      resized.disconnect();
      plot?.destroy();
    };
  }, [lines]);
  return html`<div class="chart" role="img" aria-label=${title} ref=${box}></div>`;
}
