/**
 * The way from all that may be done to the one thing that was: word by word, as `Move.words` writes moves. The server lists
 * what is legal; nothing here knows a rule.
 */

/**
 * What may be said next.
 * @param {{player: number, words: string[]}[]} moves
 * @param {string[]} told the words so far
 * @returns {{nexts: string[], whole: Object|null, going: Object[]}} the next words; the move that is told already as it
 *   stands, if one is; the moves that the words lead to
 */
export function after(moves, entered) {
  const going = moves.filter(({ words }) => entered.every((word, n) => words[n] === word));
  const whole = going.find(({ words }) => words.length === entered.length) ?? null;
  const nexts = [...new Set(going.filter((move) => move !== whole).map(({ words }) => words[entered.length]))];
  return { nexts, whole, going };
}

/** Say what goes without saying: where only one word can follow, it has been said. */
export function onward(moves, entered) {
  for (let complete = entered; ; ) {
    const { nexts, whole } = after(moves, complete);
    if (whole || nexts.length !== 1) return complete;
    complete = [...complete, nexts[0]];
  }
}
