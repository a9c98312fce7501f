/* The service worker. The server puts VERSION before it, a hash of all files of the pages. */

const CACHE = `hanafuda-companion-${VERSION}`;
const PAGES = ["/", "/tables", "/log", "/offline"];
const LISTS = ["/api/games", ...["hanafuda", "mekurifuda", "kabufuda", "western"].map((pack) => `/api/cards?pack=${pack}`)];
const KEPT = /^[/](?:tables|log|stats|rules|decks|t[/].+)?$/; // pages that are kept when they are opened; their HTML has no data
const MOST_TABLES = 12; // kept pages of tables
const PATIENCE_MS = 6_000; // before a page is opened from the copy; a phone at the edge of the network waits much longer for an error

const away = new Set(); // the clients whose page came from the copy: they need no answer for their files either

const isFixed = ({ pathname }) => pathname.startsWith("/files/") || pathname.startsWith("/texts/"); // the address names the version
const isFile = (url) => isFixed(url) || url.pathname.startsWith("/faces/") || LISTS.includes(url.pathname + url.search);

const bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

/** Keep a page if it is of this version and was not redirected to the pairing page. */
async function keepPage(path) {
  const answer = await fetch(path, { credentials: "same-origin" });
  if (answer.ok && !answer.redirected && answer.headers.get("App-Version") === VERSION) await put(path, answer);
}

async function put(path, answer) {
  const cache = await caches.open(CACHE);
  await cache.put(path, answer);
  const tables = (await cache.keys()).filter(({ url }) => new URL(url).pathname.startsWith("/t/"));
  await Promise.all(tables.slice(0, -MOST_TABLES).map((old) => cache.delete(old, { ignoreVary: true })));
}

async function keepList(path) {
  const answer = await fetch(path, { credentials: "same-origin" });
  if (answer.ok) await (await caches.open(CACHE)).put(path, answer);
}

async function install() {
  const { version, files } = await (await fetch("/app-shell.json", { credentials: "same-origin" })).json();
  if (version !== VERSION) throw new Error("the server was updated meanwhile"); // the browser tries again with the newer worker
  const cache = await caches.open(CACHE);
  await Promise.all(
    Object.entries(files).map(([path, { type, text, base64 }]) => cache.put(path, new Response(text ?? bytesOf(base64), { headers: { "Content-Type": type } }))),
  );
  await Promise.allSettled([...PAGES.map(keepPage), ...LISTS.map(keepList)]);
  await self.skipWaiting(); // safe at any time: the addresses of files name their version
}

async function activate() {
  const old = (await caches.keys()).filter((name) => name.startsWith("hanafuda-companion-") && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.clients.claim();
  const open = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  await Promise.allSettled(open.map(({ url }) => new URL(url).pathname).filter((path) => KEPT.test(path)).map(keepPage));
}

const copyOf = async (key) => (await caches.open(CACHE)).match(key, { ignoreVary: true });

async function page(event, { pathname }) {
  let late;
  const patience = new Promise((_, reject) => {
    late = setTimeout(() => reject(new Error("no answer in time")), PATIENCE_MS);
  });
  try {
    const answer = await Promise.race([fetch(event.request), patience]);
    if (answer.ok && answer.headers.get("App-Version") === VERSION && KEPT.test(pathname)) event.waitUntil(put(pathname, answer.clone()));
    return answer;
  } catch {
    away.add(event.resultingClientId);
    return (await copyOf(pathname)) ?? (await copyOf("/offline")) ?? Response.error();
  } finally {
    clearTimeout(late);
  }
}

async function file(event, url) {
  const copy = () => copyOf(event.request);
  if (isFixed(url) || away.has(event.clientId)) return (await copy()) ?? fetch(event.request);
  try {
    return await fetch(event.request);
  } catch {
    return (await copy()) ?? Response.error();
  }
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== self.location.origin) return;
  if (event.request.mode === "navigate") event.respondWith(page(event, url));
  else if (isFile(url)) event.respondWith(file(event, url));
});
