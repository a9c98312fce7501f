/** The tags of each card. */

/** @param {Object<string, string>} pairs tag to card @returns {Map<string, string[]>} */
export function tagsByCard(pairs) {
  const tags = new Map();
  for (const [tag, card] of Object.entries(pairs)) tags.set(card, [...(tags.get(card) ?? []), tag]);
  return tags;
}
