/** Selects one of the legal moves word by word (`Move.words`). The moves come from the server. */

/**
 * The possible continuations of the words entered so far.
 * @param {{player: number, words: string[]}[]} moves
 * @param {string[]} entered the words so far
 * @returns {{nexts: string[], whole: Object|null, going: Object[]}} the possible next words; the move that is
 *   complete, if any; the moves that begin with the words
 */
export function after(moves, entered) {
  const going = moves.filter(({ words }) => entered.every((word, n) => words[n] === word));
  const whole = going.find(({ words }) => words.length === entered.length) ?? null;
  const nexts = [...new Set(going.filter((move) => move !== whole).map(({ words }) => words[entered.length]))];
  return { nexts, whole, going };
}

/** Append words for as long as only one word can follow. */
export function onward(moves, entered) {
  for (let complete = entered; ; ) {
    const { nexts, whole } = after(moves, complete);
    if (whole || nexts.length !== 1) return complete;
    complete = [...complete, nexts[0]];
  }
}
