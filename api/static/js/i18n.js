/** The words of the page, its numbers and its dates, in the page's language. */
import { boot } from "./boot.js";

export const lang = boot.lang;

// Of the reader's own ways to write dates and numbers, the first in the page's language (en-GB has no AM and PM).
const locale = navigator.languages.find((one) => one.split("-")[0] === lang) ?? lang;

const plurals = new Intl.PluralRules(lang);
const percents = new Intl.NumberFormat(locale, { style: "percent" });
const numbers = new Intl.NumberFormat(locale);
const times = new Intl.DateTimeFormat(locale, { hour: "numeric", minute: "2-digit" });
const days = new Intl.DateTimeFormat(locale, { weekday: "long", year: "numeric", month: "long", day: "numeric" });
const lists = new Intl.ListFormat(lang);
const relativeDays = new Intl.RelativeTimeFormat(lang, { numeric: "auto" });

/**
 * The sentence of `key`, with `{name}` replaced by values.
 * @param {string} key @param {Object<string, string|number>} [values]
 */
export function t(key, values = {}) {
  const sentence = boot.messages[key];
  if (sentence === undefined) throw new Error(`no words for ${key}`);
  return sentence.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

/**
 * The sentence of `key` for `n` things: the key's `.one` or `.other`, as the language counts.
 * @param {string} key @param {number} n @param {Object<string, string|number>} [values]
 */
export function tn(key, n, values = {}) {
  const form = `${key}.${plurals.select(n)}`;
  return t(form in boot.messages ? form : `${key}.other`, { n: numbers.format(n), ...values });
}

/** Whether there are words for `key`. @param {string} key */
export const has = (key) => key in boot.messages;

/** The page's language out of a record of names. @param {Object<string, string|null>} names */
export const own = (names) => names[lang] ?? names.en;

/** Several things in a sentence. @param {string[]} things */
export const listed = (things) => lists.format(things);

/** 0–1 as percent. @param {number} share */
export const percent = (share) => percents.format(share);

/** Time of day of an ISO instant. @param {string} iso */
export const timeOfDay = (iso) => times.format(new Date(iso));

/** The day of an ISO instant, "today" and "yesterday" by name. @param {string} iso */
export function day(iso) {
  const midnight = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate());
  const ago = Math.round((midnight(new Date()) - midnight(new Date(iso))) / 86_400_000);
  if (ago > 1) return days.format(new Date(iso));
  const name = relativeDays.format(-ago, "day");
  return name[0].toLocaleUpperCase(lang) + name.slice(1);
}

const MINUTE_S = 60;
const HOUR_S = 3_600;

/** How long ago something was, in the largest unit that says enough. @param {number} seconds */
export function ago(seconds) {
  if (seconds < MINUTE_S) return tn("host.ago.seconds", Math.max(0, Math.round(seconds)));
  if (seconds < HOUR_S) return tn("host.ago.minutes", Math.round(seconds / MINUTE_S));
  return tn("host.ago.hours", Math.round(seconds / HOUR_S));
}
