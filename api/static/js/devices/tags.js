/** Pair tags with a deck's cards: tap a card, scan its tag; the next card follows. */
import { Problem, request } from "../api.js";
import { deckTitle, groupsOf, loadedPack, nameOf } from "../deck.js";
import { Face } from "../face.js";
import { t, tn } from "../i18n.js";
import { Notice } from "../notice.js";
import { classes, html, useEffect, useRef, useState } from "../view.js";
import { usePolling } from "./polling.js";
import { scanOf, useScans } from "./scanning.js";
import { Stickers } from "./stickers.js";
import { tagsByCard } from "./pairs.js";

const READERS_MS = 3_000;
const NOT_IN_EVERY_BOX = ["onifuda"];
const STILL_MS = 3_000; // some readers report a tag that was just paired again
const PATIENCE_MS = 120_000; // a card that waits longer was forgotten, and would block the readers of all tables

/** A card of the deck with its number of tags. */
function Slot({ id, tags, selected, struck, onTap }) {
  const name = nameOf(id);
  const state = tags.length > 0 ? tn("tags-has", tags.length) : t("tags-has-none");
  return html`<li class="slot">
    <button type="button" class=${classes("place tag-place stack gap-1 bare", tags.length > 0 && "paired", struck && "struck")} aria-pressed=${selected} data-card=${id} aria-label=${`${name}: ${state}`} onClick=${onTap}>
      <${Face} id=${id} />
      ${tags.length > 0 && html`<span class="badge tag-mark" aria-hidden="true">${tags.length > 1 ? tags.length : "✓"}</span>`}
      <span class="slot-name fine" aria-hidden="true">${name}</span>
    </button>
  </li>`;
}

/** The readers that are ready, listed while the page waits for a scan. */
function Readers() {
  const [names, setNames] = useState(null);
  usePolling(async () => {
    const { devices, drivers, worker } = await request("GET", "/api/devices");
    const reads = new Set(drivers.filter(({ does }) => does.includes("tags") || does.includes("codes")).map(({ driver }) => driver));
    setNames(devices.filter(({ on, driver, status }) => on && worker.running && reads.has(driver) && status?.state === "ready").map(({ name }) => name));
  }, READERS_MS);
  if (names === null) return null;
  return html`<p class="readers cluster gap-3">
    <b class="lamp" data-tone=${names.length > 0 ? "good" : "none"}>${names.length > 0 ? names.join(" · ") : t("tags-no-reader")}</b>
    ${names.length === 0 && html`<a href="/devices">${t("decks-readers-devices")}</a>`}
  </p>`;
}

/** Enter a tag's number by hand. */
function ByHand({ onScan }) {
  const [text, setText] = useState("");
  const pair = (event) => {
    event.preventDefault();
    onScan(scanOf(text, null));
    setText("");
  };
  return html`<details class="by-hand">
    <summary>${t("tags-by-hand")}</summary>
    <form onSubmit=${pair}>
      <input type="text" required maxlength="512" value=${text} aria-label=${t("tags-number")} placeholder="E0040150A1B2C3D4" autocapitalize="off" autocomplete="off" spellcheck="false" onInput=${(event) => setText(event.target.value)} />
      <button type="submit" class="button quiet">${t("tags-pair")}</button>
    </form>
  </details>`;
}

/** The current step: the card that waits for its tag, a question about a tag, or how to begin. */
function Panel({ card, tags, first, ask, unknown, feedback, onScan, onBegin, onMove, onLeave, onStop, onRemove, onUndo }) {
  if (ask) {
    return html`<section class="pairing asking" role="alertdialog" aria-label=${t("tags-is", { card: nameOf(ask.from) })}>
      <div class="pairing-cards line gap-1"><${Face} id=${ask.from} /><span aria-hidden="true">→</span><${Face} id=${card} /></div>
      <div class="pairing-words stack from-start">
        <h2>${t("tags-is", { card: nameOf(ask.from) })}</h2>
        <p>${t("tags-ask-text", { card: nameOf(card) })}</p>
        <div class="buttons">
          <button type="button" class="button primary" onClick=${onMove}>${t("tags-move")}</button>
          <button type="button" class="button quiet" onClick=${onLeave}>${t("tags-leave")}</button>
        </div>
      </div>
    </section>`;
  }
  return html`<section class=${classes("pairing", card && "waiting")}>
    ${card && html`<div class="pairing-cards line gap-1"><${Face} id=${card} /></div>`}
    <div class="pairing-words stack from-start">
      <h2>${card ? t("tags-scan", { card: nameOf(card) }) : unknown ? t("tags-unknown") : t("tags-begin")}</h2>
      ${unknown && !card && html`<p class="tag-code"><code>${unknown}</code></p>`}
      <p class=${classes("feedback", feedback?.tone)} role="status" aria-live="polite">${feedback?.text}</p>
      ${feedback?.undo && html`<button type="button" class="link" onClick=${() => onUndo(feedback.undo)}>${t("live-undo")}</button>`}
      ${card &&
      tags.length > 0 &&
      html`<ul class="tag-list cluster">
        ${tags.map((tag) => html`<li key=${tag}><code>${tag}</code><button type="button" class="cross" aria-label=${t("labeled", { label: t("remove"), text: tag })} onClick=${() => onRemove(tag)}>✕</button></li>`)}
      </ul>`}
      ${card ? html`<${Readers} />` : first && !unknown && html`<button type="button" class="button primary" onClick=${onBegin}>${t("tags-begin-with", { card: nameOf(first) })}</button>`}
      ${card &&
      html`<div class="pairing-foot cluster">
        <${ByHand} onScan=${onScan} />
        <button type="button" class="link" onClick=${onStop}>${t("tags-stop")}</button>
      </div>`}
    </div>
  </section>`;
}

/**
 * @param {{first: Object, may: boolean, last: number|null}} props `first`: the response of GET /api/decks/{deck}/tags;
 *   `may`: whether this browser may pair tags; `last`: the number of the last scan so far
 */
export function Tags({ first: { deck, pack, ...first }, may, last }) {
  const [pairs, setPairs] = useState(first.tags); // tag to card
  const [selected, setSelected] = useState(null);
  const [ask, setAsk] = useState(null); // {tag, from}: a tag that is paired with another card
  const [unknown, setUnknown] = useState(null); // a tag that was scanned before its card was tapped
  const [feedback, setFeedback] = useState(null);
  const [struck, setStruck] = useState(null); // the card that was paired or recognized last
  const [problem, setProblem] = useState(null);
  const grid = useRef(null);
  const newest = useRef({ tag: null, time: 0 });
  useEffect(() => {
    if (selected === null) return undefined;
    const timer = setTimeout(() => setSelected(null), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [selected, ask]);
  const byCard = tagsByCard(pairs);
  const order = loadedPack(pack).filter((id) => byCard.has(id) || !NOT_IN_EVERY_BOX.includes(id));
  const paired = order.filter((id) => byCard.has(id)).length;

  const select = (id) => {
    setSelected(id);
    setAsk(null);
    setUnknown(null);
    const place = id && grid.current?.querySelector(`[data-card="${id}"]`);
    place?.scrollIntoView({ block: "nearest", behavior: "smooth" });
  };
  /** The next card without a tag after `id`, cyclically; null if all have one. */
  const nextOf = (id, taken) => {
    const at = order.indexOf(id) + 1;
    return [...order.slice(at), ...order.slice(0, at)].find((one) => !taken.has(one)) ?? null;
  };
  const carryOut = async (tag, card, { move = false, then }) => {
    setProblem(null);
    try {
      const answer = await request("POST", `/api/decks/${encodeURIComponent(deck)}/tags`, { uid: tag, card, move });
      setPairs(answer.tags);
      then(tagsByCard(answer.tags));
    } catch (caught) {
      if (!(caught instanceof Problem)) throw caught;
      if (caught.slug === "tag-taken") return setAsk({ tag, from: caught.members.card });
      setProblem(caught);
    }
  };
  const pair = (tag, card, move = false) => {
    const before = pairs[tag] ?? null; // the card that it was paired with before
    return carryOut(tag, card, {
      move,
      then: (taken) => {
        const next = nextOf(card, taken);
        newest.current = { tag, time: Date.now() };
        setStruck(card);
        setFeedback({ tone: "good", text: t(next ? "tags-paired" : "tags-paired-all", { card: nameOf(card) }), undo: { tag, card, before } });
        select(next);
      },
    });
  };
  const undo = ({ tag, card, before }) =>
    carryOut(tag, before, {
      move: true,
      then: () => {
        setFeedback(null);
        select(card);
      },
    });
  const remove = (tag) => carryOut(tag, null, { then: () => setFeedback({ text: t("tags-removed", { tag }) }) });

  const take = ({ tag, sticker, device }) => {
    if (!may || tag === "") return;
    if (device && tag === newest.current.tag && Date.now() - newest.current.time < STILL_MS) return;
    const stands = sticker ?? pairs[tag];
    if (sticker) {
      setStruck(sticker);
      setFeedback({ text: t("tags-sticker", { card: nameOf(sticker) }) });
    } else if (stands && stands === selected) {
      setFeedback({ text: t("tags-is", { card: nameOf(stands) }) });
    } else if (stands && selected) {
      setAsk({ tag, from: stands });
    } else if (stands) {
      setStruck(stands);
      setUnknown(null);
      setFeedback({ tone: "good", text: t("tags-is", { card: nameOf(stands) }) });
    } else if (selected) {
      pair(tag, selected);
    } else {
      setFeedback(null);
      setUnknown(tag);
    }
  };
  const lost = useScans(deck, may ? last : null, selected !== null, take);
  const tap = (id) => {
    if (!may) return;
    if (unknown) return pair(unknown, id);
    setFeedback(null);
    select(id === selected ? null : id);
  };

  return html`<div class="tags stack gap-4 page">
    <header class="page-head stack">
      <p class="hint"><a class="target" href="/decks">${t("nav-decks")}</a></p>
      <h1>${t("tags-of", { deck: deck === pack ? t(`pack-${pack}`) : deckTitle(deck) })}</h1>
      <p>${t("tags-text")}</p>
      <div class="tags-progress stack gap-1">
        <progress value=${paired} max=${order.length}></progress>
        <b class="hint">${t("tags-progress", { n: paired, all: order.length })}</b>
      </div>
    </header>
    ${first.problem && html`<section class="notice stack panel" role="alert"><h2>${t("tags-damaged")}</h2><p>${first.problem}</p></section>`}
    ${(problem ?? lost) &&
    html`<${Notice} problem=${problem ?? lost}>
      ${problem && html`<button type="button" class="button quiet" onClick=${() => setProblem(null)}>${t("problem-dismiss")}</button>`}
    <//>`}
    ${!may && html`<section class="notice stack panel"><h2>${t("watching-title")}</h2><p><a href=${`/join?to=${encodeURIComponent(location.pathname)}`}>${t("problem-pair")}</a></p></section>`}
    <div class="tags-body stack gap-5">
      <div class="tag-grid stack gap-4" ref=${grid}>
        ${groupsOf(pack).map(({ title, more, cards }) => {
          const visible = cards.filter(({ id }) => order.includes(id));
          return (
            visible.length > 0 &&
            html`<section key=${title} class="slot-group stack gap-1">
              <h2>${title} <span class="fine">${more}</span></h2>
              <ul class="slots">
                ${visible.map(({ id }) => html`<${Slot} key=${id} id=${id} tags=${byCard.get(id) ?? []} selected=${id === selected} struck=${id === struck} onTap=${() => tap(id)} />`)}
              </ul>
            </section>`
          );
        })}
        <${Stickers} deck=${deck} />
      </div>
      ${may &&
      html`<${Panel}
        card=${selected}
        tags=${byCard.get(selected) ?? []}
        first=${nextOf(null, byCard)}
        ask=${ask}
        unknown=${unknown}
        feedback=${feedback}
        onScan=${take}
        onBegin=${() => select(nextOf(null, byCard))}
        onMove=${() => {
          pair(ask.tag, selected, true);
          setAsk(null);
        }}
        onLeave=${() => setAsk(null)}
        onStop=${() => select(null)}
        onRemove=${remove}
        onUndo=${undo}
      />`}
    </div>
  </div>`;
}
