/** Lists by day. */
import { day } from "./i18n.js";

/**
 * Entries under the name of their day, in their order: [[day, entries]…].
 * @template T @param {T[]} entries @param {(entry: T) => string} timeOf the ISO instant of an entry
 */
export function byDay(entries, timeOf) {
  const groups = new Map();
  for (const entry of entries) {
    const name = day(timeOf(entry));
    groups.set(name, [...(groups.get(name) ?? []), entry]);
  }
  return [...groups];
}
