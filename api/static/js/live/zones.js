/**
 * The zones of a table over the camera's picture. A corner, or a whole zone by its center, is moved by finger, mouse, or arrow
 * keys. A zone is `{zone, polygon}`: its name, and its corners in picture px.
 */
import { t } from "../i18n.js";
import { classes, html, useRef, useState } from "../view.js";
import { playerAt } from "./display-parts.js";

const STEP_PX = 4;
const STRIDE_PX = 24; // with the shift key
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** The name of a zone. @param {Object} state @param {string} zone */
export function zoneName(state, zone) {
  const [kind, seat] = zone.split("-");
  return seat ? t(`host-zone-${kind}`, { name: playerAt(state, Number(seat)) }) : t(`host-zone-${kind}`);
}

const corners = (polygon) => polygon.map((point) => point.join(",")).join(" ");
const middle = (polygon, axis) => polygon.reduce((sum, point) => sum + point[axis], 0) / polygon.length;

const MOST_CORNERS = 8; // handles of a zone
const TOO_NEAR = 0.02; // fraction of the picture's width; nearer corners are merged

/** A polygon reduced to corners that fingers can grab separately. */
function simpler(polygon, [width]) {
  const apart = polygon.filter(([x, y], i) => {
    const [px, py] = polygon.at(i - 1);
    return Math.hypot(x - px, y - py) > TOO_NEAR * width;
  });
  const every = Math.ceil(apart.length / MOST_CORNERS);
  const kept = apart.filter((_, i) => i % every === 0);
  return kept.length < 3 ? polygon : kept;
}

/** Move corners by a step, but not out of the picture. */
function moved(polygon, which, [dx, dy], [width, height]) {
  const within = (value, most) => Math.min(most, Math.max(0, Math.round(value)));
  return polygon.map(([x, y], i) => (which === null || which === i ? [within(x + dx, width), within(y + dy, height)] : [x, y]));
}

/**
 * @param {{state: Object, zones: {zone: string, polygon: number[][]}[], size: number[], editing: boolean,
 *   chosen: string|null, onChoose: (zone: string) => void, onMoved: (zones: Object[]) => void}} props
 *   `size`: width and height of the picture, px; `onMoved`: called at the end of a movement
 */
export function Zones({ state, zones, size, editing, chosen, onChoose, onMoved }) {
  const surface = useRef(null);
  const grip = useRef(null); // the grabbed corner (null: the whole zone), the start point, and the polygon at the start
  const [moving, setMoving] = useState(null); // the polygon of the chosen zone during a movement
  const drawn = zones.map((each) => (editing && each.zone === chosen ? { ...each, polygon: moving ?? simpler(each.polygon, size) } : each));
  const selected = drawn.find(({ zone }) => zone === chosen);
  const at = ([x, y]) => ({ left: `${(x / size[0]) * 100}%`, top: `${(y / size[1]) * 100}%` });
  const place = ({ clientX, clientY }) => {
    const box = surface.current.getBoundingClientRect();
    return [((clientX - box.left) / box.width) * size[0], ((clientY - box.top) / box.height) * size[1]];
  };
  const put = (polygon) => onMoved(zones.map((each) => (each.zone === chosen ? { ...each, polygon } : each)));

  const take = (which) => (event) => {
    event.preventDefault();
    event.currentTarget.focus?.();
    event.currentTarget.setPointerCapture(event.pointerId);
    grip.current = { which, from: place(event), polygon: selected.polygon };
    setMoving(selected.polygon);
  };
  const drag = (event) => {
    if (!grip.current) return;
    const { which, from, polygon } = grip.current;
    const to = place(event);
    setMoving(moved(polygon, which, [to[0] - from[0], to[1] - from[1]], size));
  };
  const release = () => {
    if (!grip.current) return;
    grip.current = null;
    put(moving);
    setMoving(null);
  };
  const press = (which) => (event) => {
    const direction = ARROWS[event.key];
    if (!direction) return;
    event.preventDefault();
    const step = event.shiftKey ? STRIDE_PX : STEP_PX;
    put(moved(selected.polygon, which, direction.map((sign) => sign * step), size));
  };
  const drags = { onPointerMove: drag, onPointerUp: release, onPointerCancel: release };

  return html`<div class=${classes("zones", editing && "editing")} ref=${surface}>
    <svg viewBox=${`0 0 ${size[0]} ${size[1]}`} aria-hidden="true">
      ${drawn.map(
        ({ zone, polygon }) =>
          html`<g key=${zone} class=${classes("zone", zone === chosen && "chosen", zoneClass(zone))} data-zone=${zone}>
            <polygon
              points=${corners(polygon)}
              onClick=${() => editing && onChoose(zone)}
              onPointerDown=${editing && zone === chosen ? take(null) : undefined}
              ...${zone === chosen ? drags : {}}
            />
          </g>`,
      )}
    </svg>
    ${drawn.map(
      ({ zone, polygon }) =>
        html`<span key=${zone} class=${classes("zone-name", zoneClass(zone))} style=${at([middle(polygon, 0), Math.min(...polygon.map(([, y]) => y))])}>${zoneName(state, zone)}</span>`,
    )}
    ${editing &&
    selected &&
    selected.polygon.map(
      ([x, y], i) =>
        html`<button
          key=${i}
          type="button"
          class="corner centered bare"
          data-corner=${i}
          aria-label=${t("host-corner", { zone: zoneName(state, chosen), n: i + 1 })}
          style=${at([x, y])}
          onPointerDown=${take(i)}
          onKeyDown=${press(i)}
          ...${drags}
        ></button>`,
    )}
  </div>`;
}

/** The class for a zone's color: its player's, or that of the middle. */
function zoneClass(zone) {
  const seat = zone.split("-")[1];
  return seat ? `seat-${seat}` : `zone-${zone}`;
}
