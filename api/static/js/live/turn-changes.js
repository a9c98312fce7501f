/** The sentences about turns after a correction: what it changed in total, and what was played meanwhile. */
import { listed, t, textOf } from "../i18n.js";

/** The turns of a round by the numbers of their moves. @param {Object[]} history @param {number|undefined} round */
const turnsOf = (history, round) =>
  new Map(history.filter((line) => line.round === round && line.turn !== null).flatMap((line) => line.moves.map(({ seq }) => [seq, line])));

const turnWith = (turns, seq, moves = []) => turns.get(seq) ?? moves.map((move) => turns.get(move.seq)).find(Boolean);

const isSame = (was, is) => JSON.stringify(was?.says) === JSON.stringify(is?.says);

/**
 * @typedef {Object} TurnChange
 * @property {"corrected"|"added"|"deleted"} kind
 * @property {Object} line the turn's line in the history as it is now, or was before it was deleted
 */

/**
 * The turns of the current round that corrections changed, each once and only if it reads otherwise than before, and the new turns.
 * @param {Object[]} events @param {Object} before @param {Object} after the states before and after them
 * @returns {{changes: TurnChange[], played: Object[]}} `played`: lines of the history
 */
export function turnChanges(events, before, after) {
  const [old, now] = [before, after].map(({ history }) => turnsOf(history, after.round?.number));
  const changes = new Map();
  for (const { kind, seq, data } of events) {
    if (kind !== "corrected" && kind !== "inserted") continue;
    const move = kind === "corrected" ? data.of : seq;
    const is = turnWith(now, move, old.get(move)?.moves);
    const was = turnWith(old, move, is?.moves);
    if (!isSame(was, is)) changes.set(is ?? was, { kind: !was ? "added" : !is ? "deleted" : "corrected", line: is ?? was });
  }
  const lines = events.flatMap(({ kind, seq }) => (kind === "moved" && now.has(seq) ? [now.get(seq)] : []));
  return { changes: [...changes.values()], played: [...new Set(lines)].filter((line) => !changes.has(line)) };
}

/** One sentence about all changed turns; none if no turn changed. @param {TurnChange[]} changes @returns {string[]} */
export function changesSaid(changes) {
  if (changes.length === 0) return [];
  if (changes.length > 1) return [t("speech-turns-corrected", { turns: listed(changes.map(({ line }) => String(line.turn))) })];
  const [{ kind, line }] = changes;
  return [t(`speech-turn-${kind}`, { n: line.turn, turn: textOf(line.says) })];
}
