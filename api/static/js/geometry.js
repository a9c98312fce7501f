/** Geometry in a picture. A quad is a card's four corners in picture px, clockwise from its own top-left corner. */

/** @typedef {[number, number]} Point @typedef {[Point, Point, Point, Point]} Quad */

/** The center of a quad. @param {Quad} quad @returns {Point} */
export function center(quad) {
  const mean = (axis) => quad.reduce((sum, point) => sum + point[axis], 0) / 4;
  return [mean(0), mean(1)];
}

const length = ([ax, ay], [bx, by]) => Math.hypot(bx - ax, by - ay);

/** The width, height, and rotation (radians, clockwise) of a quad. @param {Quad} quad */
export function frame(quad) {
  const [topLeft, topRight, bottomRight, bottomLeft] = quad;
  return {
    width: (length(topLeft, topRight) + length(bottomLeft, bottomRight)) / 2,
    height: (length(topLeft, bottomLeft) + length(topRight, bottomRight)) / 2,
    turn: Math.atan2(topRight[1] - topLeft[1], topRight[0] - topLeft[0]),
  };
}

/** Whether a point is inside a convex quad. @param {Point} point @param {Quad} quad */
export function inside([x, y], quad) {
  return quad.every(([ax, ay], i) => {
    const [bx, by] = quad[(i + 1) % 4];
    return (bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0;
  });
}

/** Possible label positions in a quad: its center, then halfway to each corner. @param {Quad} quad */
export function labelPoints(quad) {
  const [cx, cy] = center(quad);
  return [[cx, cy], ...quad.map(([x, y]) => [(x + cx) / 2, (y + cy) / 2])];
}

/** Whether two boxes {x, y, width, height} overlap. */
export function overlap(a, b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/**
 * The card for a tap at `point`: the topmost card there, or the nearest one within `reach` (px).
 * @param {{quad: Quad}[]} cards the topmost last @param {Point} point @param {number} reach
 */
export function nearestCard(cards, point, reach) {
  const hit = cards.filter(({ quad }) => inside(point, quad)).at(-1);
  if (hit) return hit;
  const near = cards
    .map((card) => ({ card, distance: length(center(card.quad), point) }))
    .filter(({ distance }) => distance <= reach)
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.card;
}
