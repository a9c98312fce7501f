/** The program's API as functions. They throw a Problem on failure. */
import { boot } from "./boot.js";
import { noteAnswer } from "./connection.js";

/** Why a request failed: a problem document of the server, or no connection. */
export class Problem extends Error {
  /**
   * @param {string} slug the last part of the problem's `type`, or "offline"
   * @param {number} status HTTP status, 0 without a response
   * @param {string} detail the server's explanation
   * @param {Object} members the whole problem document
   */
  constructor(slug, status, detail, members = {}) {
    super(detail);
    this.slug = slug;
    this.status = status;
    this.detail = detail;
    this.members = members;
  }
}

/** The server did not respond: wrong network, server stopped, phone asleep. */
const offline = () => new Problem("offline", 0, "");

/** Return the Problem of an error response. @param {number} status @param {string} text */
function problemOf(status, text) {
  try {
    const members = JSON.parse(text);
    const slug = String(members.type ?? "").split("/").pop();
    return new Problem(slug, status, members.detail ?? members.title ?? "", members);
  } catch {
    return new Problem("", status, ""); // not a problem document: a proxy responded, not the server
  }
}

let bearer = null; // the token of a page that is a machine

/** Send a token with all requests of this page. @param {string|null} token */
export const authorize = (token) => {
  bearer = token;
};

/** @param {string} method @param {string} path @param {Object|FormData} [body] JSON, or a form with files */
export async function request(method, path, body) {
  const options = { method, headers: { Accept: "application/json", "Accept-Language": boot.lang } };
  if (bearer !== null) options.headers.Authorization = `Bearer ${bearer}`;
  if (body instanceof FormData) {
    options.body = body;
  } else if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let answer, text;
  try {
    answer = await fetch(path, options);
    text = await answer.text();
  } catch {
    noteAnswer(null);
    throw offline();
  }
  noteAnswer(answer);
  if (!answer.ok) throw problemOf(answer.status, text);
  return text ? JSON.parse(text) : null;
}

const POLL_MS = 1_000; // between two questions for the result of a queued picture, times 1 to MAX_PAUSES
const MAX_PAUSES = 5;
const PLACES_PER_PAUSE = 5; // far back in the queue, asking seldom is enough

/** Wait. @param {number} ms @param {AbortSignal} signal */
const pause = (ms, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), { once: true });
  });

const QUEUED = "hanafuda-companion.queued"; // storage key of the queued picture for which this tab waits
const AWAY = new Set([0, 502, 503, 504]); // statuses without a connection, and while a server or the database starts again

/** The queued picture for which this tab waited before it was loaded again, or null. */
export function queuedPicture() {
  try {
    return JSON.parse(sessionStorage.getItem(QUEUED));
  } catch {
    return null; // storage is not available
  }
}

/** Remember the queued picture for which this tab waits; null: none. @param {Object|null} queued */
export function rememberQueued(queued) {
  try {
    if (queued) sessionStorage.setItem(QUEUED, JSON.stringify(queued));
    else sessionStorage.removeItem(QUEUED);
  } catch {
    // Without storage a page that is loaded again does not wait; the scan is in the log.
  }
}

/**
 * Wait for the result of a picture that scan workers read, and return it. A server that restarts does not end this: the picture is
 * stored.
 * @param {{place: number, workers: number, poll: string}} queued
 * @param {(progress: {place: number, workers: number}) => void} onProgress `place`: in the queue, 0 while the picture is being read
 * @param {AbortSignal} signal
 */
export async function untilRead(queued, onProgress, signal) {
  const { poll } = queued;
  let progress = queued;
  while (progress.id === undefined) {
    onProgress(progress);
    await pause(POLL_MS * Math.min(MAX_PAUSES, 1 + Math.floor(progress.place / PLACES_PER_PAUSE)), signal);
    progress = await request("GET", poll).catch((problem) => {
      if (AWAY.has(problem.status)) return progress;
      rememberQueued(null);
      throw problem;
    });
    signal.throwIfAborted();
  }
  return progress;
}

const scanPath = (id) => `/api/scans/${encodeURIComponent(id)}`;

export const getCards = (pack) => request("GET", `/api/cards?pack=${pack}`);
export const getDecks = () => request("GET", "/api/decks");
export const getGames = () => request("GET", "/api/games");
export const getNight = (id) => request("GET", `/api/nights/${encodeURIComponent(id)}`);
export const getReplay = (table, round) => request("GET", `/api/tables/${encodeURIComponent(table)}/rounds/${round}`);
export const getDispute = (table, seq) => request("GET", `/api/tables/${encodeURIComponent(table)}/disputes/${seq}`);
export const getDisputes = (night, skip = 0) => request("GET", `/api/disputes?${new URLSearchParams({ skip: String(skip), ...(night && { night }) })}`);
/** Report events at a table. @param {string} table @param {Object[]} events */
export const postEvents = (table, events) => request("POST", `/api/tables/${encodeURIComponent(table)}/events`, { events });
/** Rules by name or share code, compared with others if given. @param {string} name @param {string} [against] */
export const getRules = (name, against) =>
  request("GET", `/api/rules/${encodeURIComponent(name)}${against ? `?against=${encodeURIComponent(against)}` : ""}`);
export const getSamples = () => request("GET", "/api/samples");
export const getScan = (id) => request("GET", scanPath(id));
export const patchScan = (id, changes) => request("PATCH", scanPath(id), changes);
export const deleteScan = (id) => request("DELETE", scanPath(id));

const enrollmentPath = (id) => `/api/enrollments/${encodeURIComponent(id)}`;

export const getEnrollment = (id) => request("GET", enrollmentPath(id));
export const patchEnrollment = (id, changes) => request("PATCH", enrollmentPath(id), changes);
export const keepDeck = (enrollment, replace) => request("POST", "/api/decks", { enrollment, replace });
export const forgetDeck = (name) => request("DELETE", `/api/decks/${encodeURIComponent(name)}`);

/** A page of the log, newest first. @param {boolean} kept @param {string|null} before the cursor of the next page */
export function getScans(kept, before) {
  const query = new URLSearchParams({ kept: kept ? "1" : "0", limit: "30" });
  if (before) query.set("before", before);
  return request("GET", `/api/scans?${query}`);
}

/** The address of the log as a file. @param {"json"|"csv"} format */
export const exportPath = (format) => `/api/scans.${format}?kept=1`;

/** Fetch a picture of this server as a file to upload. @param {string} url @param {string} name */
export async function getFile(url, name) {
  let answer, blob;
  try {
    answer = await fetch(url);
    blob = await answer.blob();
  } catch {
    throw offline();
  }
  if (!answer.ok) throw problemOf(answer.status, await blob.text());
  return new File([blob], name, { type: blob.type });
}

/**
 * Send files. XMLHttpRequest, because fetch does not report the progress of an upload.
 * @param {string} path
 * @param {FormData} form
 * @param {(fraction: number) => void} onSent called with the fraction of the files that was sent, 0–1
 * @param {AbortSignal} [signal] @param {Object<string, string>} [headers]
 * @returns {Promise<Object>} the response
 */
function upload(path, form, onSent, signal, headers = {}) {
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest();
    call.open("POST", path);
    call.setRequestHeader("Accept", "application/json");
    call.setRequestHeader("Accept-Language", boot.lang);
    for (const [name, value] of Object.entries(headers)) call.setRequestHeader(name, value);
    call.upload.onprogress = (event) => event.lengthComputable && onSent(event.loaded / event.total);
    call.onload = () =>
      call.status < 300 ? resolve(JSON.parse(call.responseText)) : reject(problemOf(call.status, call.responseText));
    call.onerror = () => reject(offline());
    call.onabort = () => reject(signal.reason);
    signal?.addEventListener("abort", () => call.abort());
    call.send(form);
  });
}

/**
 * Upload a picture to scan, and return the response of POST /api/scan: the result, or a queued picture.
 * @param {File} file
 * @param {{game: string, rules: string, deck?: string}} settings `deck`: detected if missing
 * @param {(fraction: number) => void} onSent @param {AbortSignal} signal
 */
export async function postScan(file, { game, rules, deck }, onSent, signal) {
  const form = new FormData();
  form.set("game", game);
  form.set("rules", rules);
  if (deck) form.set("deck", deck);
  form.set("image", file, file.name);
  const answer = await upload("/api/scan", form, onSent, signal, { Prefer: "wait=1" });
  rememberQueued(answer.id === undefined ? answer : null);
  return answer;
}

/**
 * Upload the pictures of a deck; returns the response of POST /api/enrollments.
 * @param {{name: string, pack: string, photos: File[], cards: File[]}} deck `photos` of the whole deck laid out, or `cards`: one picture per card
 * @param {(fraction: number) => void} onSent @param {AbortSignal} signal
 */
export function postEnrollment({ name, pack, photos, cards }, onSent, signal) {
  const form = new FormData();
  form.set("name", name);
  form.set("pack", pack);
  for (const photo of photos) form.append("photos", photo, photo.name);
  for (const card of cards) form.append("cards", card, card.name);
  return upload("/api/enrollments", form, onSent, signal);
}

/** Upload a picture of a table or a player. @param {string} path @param {File} file */
export function postTablePicture(path, file) {
  const form = new FormData();
  form.set("image", file, file.name);
  return upload(path, form, () => {});
}

/** Upload a deck file, such as one from a friend. @param {File} file @param {boolean} replace */
export function postDeckFile(file, replace) {
  const form = new FormData();
  form.set("file", file, file.name);
  form.set("replace", replace ? "1" : "0");
  return upload("/api/decks/files", form, () => {});
}

/** Import a file of exported evenings. @param {File} file */
export function postEventFile(file) {
  const form = new FormData();
  form.set("file", file, file.name);
  return upload("/api/nights/import", form, () => {});
}
