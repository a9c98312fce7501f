/** The page that enrolls a deck: name it, photograph it, check the names. */
import { keepDeck, patchEnrollment, postEnrollment, Problem } from "./api.js";
import { boot } from "./boot.js";
import { deckTitle, loadDeck } from "./deck.js";
import { Confirm } from "./dialog.js";
import { DeckForm } from "./deck-form.js";
import { DeckSheet } from "./deck-sheet.js";
import { percent, t, tn } from "./i18n.js";
import { Notice } from "./notice.js";
import { html, useRef, useState } from "./view.js";

function Sending({ sent, onCancel }) {
  return html`<div class="sending stack gap-4 page narrow progress center" role="status">
    <h1>${t(sent < 1 ? "enroll-sending-title" : "sending-looking")}</h1>
    <p>${sent < 1 ? t("sending-sending", { share: percent(sent) }) : t("enroll-looking")}</p>
    ${sent < 1 ? html`<progress value=${sent} max="1"></progress>` : html`<progress></progress>`}
    <button type="button" class="link" onClick=${onCancel}>${t("cancel")}</button>
  </div>`;
}

const Done = ({ deck }) =>
  html`<section class="deck-done stack gap-5 page center">
    <p class="seal" aria-hidden="true">✓</p>
    <h1>${t("enroll-done-title", { deck: deckTitle(deck.name) })}</h1>
    <p>${tn("enroll-done-text", deck.cards)}</p>
    <div class="buttons">
      <a class="button primary" href="/">${t("log-empty-scan")}</a>
      <a class="button quiet" href=${deck.file} download>${t("decks-file")}</a>
      <a class="button quiet" href="/decks">${t("enroll-done-all")}</a>
    </div>
    <p class="fine">${t("enroll-done-command")} <code>${`companion scan … --deck ${deck.name}`}</code></p>
  </section>`;

/** Upload the pictures of a deck and return the detected cards. */
async function detectCards(deck, onSent, signal) {
  if ([...deck.photos, ...deck.cards].some(({ size }) => size > boot.maxBytes)) {
    throw new Problem("too-many-bytes", 413, t("problem-too-many-bytes", { max: boot.maxBytes / 2 ** 20 }));
  }
  const found = await postEnrollment(deck, onSent, signal);
  await loadDeck(found.pack);
  return found;
}

/** @param {{first: Object|null, lost: Problem|null}} props `first`: a deck being enrolled, as the server has it; `lost`: why it is no longer there */
export function Enroll({ first, lost }) {
  const [deck, setDeck] = useState({ name: "", pack: "hanafuda", photos: [], cards: [] });
  const [found, setFound] = useState(first);
  const [sent, setSent] = useState(null);
  const [known, setKnown] = useState(null);
  const [asking, setAsking] = useState(false);
  const [problem, setProblem] = useState(lost && { caught: lost });
  const [busy, setBusy] = useState(false);
  const pending = useRef(null);

  const send = async () => {
    const call = new AbortController();
    pending.current = call;
    setProblem(null);
    setSent(0);
    try {
      const fresh = await detectCards(deck, setSent, call.signal);
      history.pushState(null, "", `/decks/new/${fresh.id}`); // so that it survives a reload or a change of language
      setFound(fresh);
      scrollTo(0, 0);
    } catch (caught) {
      if (call.signal.aborted) return;
      if (!(caught instanceof Problem)) throw caught;
      setProblem({ caught });
      scrollTo(0, 0);
    } finally {
      if (pending.current === call) setSent(null);
    }
  };
  const carryOut = async (action) => {
    setProblem(null);
    setBusy(true);
    try {
      await action();
    } catch (caught) {
      if (!(caught instanceof Problem)) throw caught;
      setProblem({ caught, again: () => carryOut(action) });
    }
    setBusy(false);
  };
  const change = (changes) => carryOut(async () => setFound(await patchEnrollment(found.id, changes)));
  const keep = (name, replace) =>
    carryOut(async () => {
      const now = name === found.name ? found : await patchEnrollment(found.id, { name });
      setFound(now);
      if (now.replaces && !replace) return setAsking(true);
      try {
        setKnown(await keepDeck(now.id, replace));
      } catch (caught) {
        if (caught.slug !== "deck-taken" || replace) throw caught;
        return setAsking(true); // somebody else has kept a deck of this name in the meantime
      }
      scrollTo(0, 0);
    });
  const back = () => {
    setDeck((now) => ({ ...now, name: found.name, pack: found.pack }));
    setFound(null);
    setProblem(null);
    history.pushState(null, "", "/decks/new");
    scrollTo(0, 0);
  };
  const cancel = () => {
    pending.current.abort();
    setSent(null);
  };

  if (known) return html`<${Done} deck=${known} />`;
  if (sent !== null) return html`<${Sending} sent=${sent} onCancel=${cancel} />`;
  const notice =
    problem &&
    html`<${Notice} problem=${problem.caught}>
      ${problem.again && !(problem.caught.status >= 400 && problem.caught.status < 500)
        ? html`<button type="button" class="button primary" onClick=${problem.again}>${t("problem-again")}</button>`
        : html`<button type="button" class="button quiet" onClick=${() => setProblem(null)}>${t("problem-dismiss")}</button>`}
      ${found && problem.caught.slug === "no-such-enrollment" && html`<button type="button" class="button primary" onClick=${back}>${t("enroll-again")}</button>`}
    <//>`;
  if (!found) return html`<div class="enroll stack gap-5 page">${notice}<${DeckForm} deck=${deck} onChange=${setDeck} onSend=${send} /></div>`;
  return html`<div class="enroll stack gap-5 page" aria-busy=${busy}>
    <${DeckSheet} found=${found} busy=${busy} onChange=${change} onKeep=${(name) => keep(name, false)} onBack=${back}>${notice}<//>
    ${asking &&
    html`<${Confirm}
      title=${t("decks-replace-title", { deck: deckTitle(found.name) })}
      text=${t("decks-replace-text")}
      yes=${t("decks-replace")}
      onYes=${() => {
        setAsking(false);
        keep(found.name, true);
      }}
      onClose=${() => setAsking(false)}
    />`}
  </div>`;
}
