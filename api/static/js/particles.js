/** English plurals and Korean particles (josa), as in companion/messages/particles.py; both are tested with the same table. */

const LAST = /[0-9A-Za-z\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+(?=[^0-9A-Za-z\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]*$)/;

/** The final consonant of each digit as Korean reads it (영, 일, 이, 삼 …). */
const DIGITS = { 0: "ng", 1: "l", 2: "", 3: "m", 4: "", 5: "", 6: "k", 7: "l", 8: "l", 9: "" };

/** The final consonant of the letters whose Korean names have one (엘, 알, 엠, 엔). */
const LETTERS = { l: "l", r: "l", m: "m", n: "n" };

/**
 * The particle for a word from two forms such as "은/는": one after a consonant, one after a vowel. A form with 으
 * ("으로/로") is not used after ㄹ either. If the reading of the word is unknown, both forms: "은(는)", "(으)로".
 * @param {string|number} word @param {string} forms
 */
export function particle(word, forms) {
  const [afterConsonant, afterVowel] = forms.split("/");
  const final = finalConsonant(String(word));
  if (final === null) return afterConsonant.startsWith("으") ? `(으)${afterVowel}` : `${afterConsonant}(${afterVowel})`;
  if (final === "" || (final === "l" && afterConsonant.startsWith("으"))) return afterVowel;
  return afterConsonant;
}

/** The English form for a count from two forms such as "card/cards". @param {number} count @param {string} forms */
export const plural = (count, forms) => forms.split("/")[count === 1 ? 0 : 1];

/** The final consonant of a word: empty after a vowel, null if the reading is unknown. */
function finalConsonant(word) {
  const found = LAST.exec(word);
  if (found === null) return null;
  const last = found[0].at(-1);
  if (last >= "가" && last <= "힣") {
    const jongseong = (last.charCodeAt(0) - "가".charCodeAt(0)) % 28;
    return jongseong === 8 ? "l" : jongseong ? "k" : "";
  }
  if (last in DIGITS) return DIGITS[last];
  if (last === "ん" || last === "ン") return "n";
  if (last >= "\u3040" && last <= "\u30ff") return "";
  if (last < "\u0080") return finalOfLetters(/[A-Za-z]*$/.exec(found[0])[0]);
  return null;
}

/** The final consonant of Latin letters: of the last letter's name in an abbreviation, otherwise of the word's sound. */
function finalOfLetters(letters) {
  if (letters === letters.toUpperCase()) return LETTERS[letters.at(-1).toLowerCase()] ?? "";
  const word = letters.toLowerCase();
  if ("lmn".includes(word.at(-1))) return word.at(-1);
  return word.endsWith("ng") || /[aeiouy](?:[bkpt]|c|ck)$/.test(word) ? "k" : "";
}
