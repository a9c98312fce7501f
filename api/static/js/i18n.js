/** Texts, numbers, and dates in the page's language. */
import { FluentBundle, FluentResource } from "../vendor/fluent-bundle.js";
import { boot } from "./boot.js";
import { particle, plural } from "./particles.js";

export const lang = boot.lang;

// The browser's variant of the page's language: en-GB writes times without AM and PM.
const locale = navigator.languages.find((one) => one.split("-")[0] === lang) ?? lang;

const percents = new Intl.NumberFormat(locale, { style: "percent" });
const numbers = new Intl.NumberFormat(locale);
const times = new Intl.DateTimeFormat(locale, { hour: "numeric", minute: "2-digit" });
const decimals = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const months = new Intl.DateTimeFormat(locale, { year: "numeric", month: "short" });
const monthNames = new Intl.DateTimeFormat(locale, { month: "long" });
const dates = new Intl.DateTimeFormat(locale, { year: "numeric", month: "short", day: "numeric" });
const days = new Intl.DateTimeFormat(locale, { weekday: "long", year: "numeric", month: "long", day: "numeric" });
const relativeDays = new Intl.RelativeTimeFormat(lang, { numeric: "auto" });

const spansAgo = new Intl.RelativeTimeFormat(lang);
const languages = new Intl.DisplayNames(lang, { type: "language" });

const bundle = new FluentBundle([locale, lang], {
  functions: {
    JOSA: ([word, forms]) => particle(word.valueOf(), forms.valueOf()),
    PLURAL: ([count, forms]) => plural(count.valueOf(), forms.valueOf()),
  },
  useIsolating: false,
});
bundle.addResource(new FluentResource(await (await fetch(boot.catalog)).text()));

/**
 * A message of the server: a catalog code with parameters, or, in an old log, a sentence by language.
 * @typedef {{code: string, params?: Object<string, string|number|Message|Array>}|{en: string, ja: string}} Message
 */

/**
 * The text of a catalog message.
 * @param {string} code @param {Object<string, string|number>} [values] the values of its variables
 */
export function t(code, values = {}) {
  const message = bundle.getMessage(code);
  if (!message?.value) throw new Error(`no message ${code}`);
  return bundle.formatPattern(message.value, values, []);
}

/**
 * The text of a catalog message that depends on a number, its variable `count`.
 * @param {string} code @param {number} count @param {Object<string, string|number>} [values]
 */
export const tn = (code, count, values = {}) => t(code, { count, ...values });

/** Whether the catalog has a message. @param {string} code */
export const has = (code) => bundle.hasMessage(code);

/** The text of a server message in the page's language; empty without a message. @param {Message|string|null|undefined} message */
export function textOf(message) {
  if (!message) return "";
  if (typeof message === "string") return message;
  if (!message.code) return message[lang] ?? message.en;
  if (message.code === "text") return String(valueOf(message.params[lang] ?? message.params.other ?? message.params.en));
  const values = Object.entries(message.params ?? {}).map(([name, value]) => [name, valueOf(value)]);
  return has(message.code) ? t(message.code, Object.fromEntries(values)) : message.code;
}

const valueOf = (value) => (Array.isArray(value) ? listed(value.map(valueOf)) : typeof value === "object" ? textOf(value) : value);

/** A list of items, as in a sentence. @param {string[]} things */
export function listed(things) {
  if (things.length < 2) return things.join("");
  if (things.length === 2) return t("list-two", { first: things[0], second: things[1] });
  const start = things.slice(1, -1).reduce((list, next) => t("list-middle", { start: list, next }), things[0]);
  return t("list-last", { start, last: things.at(-1) });
}

/** A fraction, 0–1, in percent. @param {number} fraction */
export const percent = (fraction) => percents.format(fraction);

/** A whole number. @param {number} number */
export const whole = (number) => numbers.format(number);

/** A number with two digits after the decimal point. @param {number} number */
export const decimal = (number) => decimals.format(number);

/** The name of a month. @param {number} month from 1 to 12 */
export const monthName = (month) => monthNames.format(new Date(2000, month - 1));

/** A month and its year. @param {string} month such as "2026-11" */
export const monthOf = (month) => months.format(new Date(`${month}-01T00:00:00`));

/** The date of an ISO date or instant. @param {string} iso */
export const dateOf = (iso) => dates.format(new Date(iso.includes("T") ? iso : `${iso}T00:00:00`));

/** Time of day of an ISO instant. @param {string} iso */
export const timeOfDay = (iso) => times.format(new Date(iso));

/** The day of an ISO instant; "today" and "yesterday" as words. @param {string} iso */
export function day(iso) {
  const midnight = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate());
  const ago = Math.round((midnight(new Date()) - midnight(new Date(iso))) / 86_400_000);
  if (ago > 1) return days.format(new Date(iso));
  const name = relativeDays.format(-ago, "day");
  return name[0].toLocaleUpperCase(lang) + name.slice(1);
}

const MINUTE_S = 60;
const HOUR_S = 3_600;

/** A time span ago in its largest unit, such as "5 minutes ago". @param {number} seconds */
export function ago(seconds) {
  if (seconds < MINUTE_S) return spansAgo.format(-Math.max(0, Math.round(seconds)), "second");
  if (seconds < HOUR_S) return spansAgo.format(-Math.round(seconds / MINUTE_S), "minute");
  return spansAgo.format(-Math.round(seconds / HOUR_S), "hour");
}

/** A time span such as "5 minutes". @param {number} seconds */
export function duration(seconds) {
  const unit = seconds < MINUTE_S ? "second" : "minute";
  const amount = seconds < MINUTE_S ? seconds : Math.floor(seconds / MINUTE_S);
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(amount);
}

/** What a language is called. @param {string} code such as "ja" */
export const languageName = (code) => languages.of(code);
