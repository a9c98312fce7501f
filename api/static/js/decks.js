/** The page of the known decks: those shipped with the program and those enrolled here. */
import { forgetDeck, getDecks, postDeckFile, Problem } from "./api.js";
import { PACKS, deckTitle } from "./deck.js";
import { Confirm } from "./dialog.js";
import { FileInput } from "./file-input.js";
import { day, t, tn } from "./i18n.js";
import { Notice } from "./notice.js";
import { classes, html, useEffect, useState } from "./view.js";

/** The address of the page that pairs tags with a deck's cards. @param {string} deck */
const tagsOf = (deck) => `/decks/${encodeURIComponent(deck)}/tags`;

function Deck({ deck, fresh, onForget }) {
  const made = deck.own && deck.made ? t("decks-made", { day: day(deck.made) }) : "";
  return html`<li class=${classes("known-deck cluster gap-4 between panel", fresh && "fresh")} data-deck=${deck.name}>
    <div>
      <h3>${deckTitle(deck.name)}</h3>
      ${deck.problem
        ? html`<p class="warning">${t("decks-broken")}</p>`
        : html`<p class="fine">${[t(`pack-${deck.pack}`), tn("cards", deck.cards), made].filter(Boolean).join(" · ")}</p>`}
    </div>
    ${deck.own &&
    html`<div class="buttons">
      ${!deck.problem &&
      html`<a class="button quiet" href=${tagsOf(deck.name)} aria-label=${t("labeled", { label: t("decks-tags"), text: deckTitle(deck.name) })}>${t("decks-tags")}</a>
        <a class="button quiet" href=${deck.file} download aria-label=${t("labeled", { label: t("decks-file"), text: deckTitle(deck.name) })}>${t("decks-file")}</a>`}
      <button type="button" class="button quiet" aria-label=${t("labeled", { label: t("delete"), text: deckTitle(deck.name) })} onClick=${onForget}>${t("delete")}</button>
    </div>`}
  </li>`;
}

function Group({ title, empty, decks, fresh, onForget }) {
  if (decks.length === 0 && !empty) return null;
  return html`<section class="stack from-start">
    <h2>${title}</h2>
    ${decks.length === 0 && html`<p class="hint">${empty}</p>`}
    <ul class="known-decks wide-pair">
      ${decks.map((deck) => html`<${Deck} key=${deck.name} deck=${deck} fresh=${deck.name === fresh} onForget=${() => onForget(deck)} />`)}
    </ul>
  </section>`;
}

/** Imports a deck file, such as one from a friend. @param {{onFile: (file: File) => void}} props */
const TakeIn = ({ onFile }) =>
  html`<section class="take-in stack from-start">
    <h2>${t("decks-friend")}</h2>
    <p class="hint">${t("decks-friend-text")}</p>
    <${FileInput} onFiles=${([file]) => onFile(file)}>${t("decks-friend-choose")}<//>
  </section>`;

/** Links to the tags of each deck's cards; those of the packs if no deck is enrolled. */
const Readers = () =>
  html`<section class="stack">
    <h2>${t("decks-readers")}</h2>
    <p class="hint">${t("decks-readers-text")}</p>
    <div class="buttons">
      ${PACKS.map((pack) => html`<a key=${pack} class="button quiet" href=${tagsOf(pack)}>${t(`pack-${pack}`)}</a>`)}
      <a class="button quiet" href="/devices">${t("decks-readers-devices")}</a>
    </div>
  </section>`;

export function Decks() {
  const [decks, setDecks] = useState(null);
  const [problem, setProblem] = useState(null);
  const [leaving, setLeaving] = useState(null);
  const [taken, setTaken] = useState(null);
  const [fresh, setFresh] = useState(null);

  /** Change the decks, then fetch them again. */
  const carryOut = async (action) => {
    setProblem(null);
    try {
      await action();
      setDecks((await getDecks()).decks);
    } catch (caught) {
      if (!(caught instanceof Problem)) throw caught;
      setProblem({ caught, again: () => carryOut(action) });
    }
  };
  useEffect(() => {
    carryOut(async () => {});
  }, []);

  const takeIn = (file, replace) =>
    carryOut(async () => {
      try {
        setFresh((await postDeckFile(file, replace)).name);
      } catch (caught) {
        if (caught.slug !== "deck-taken") throw caught;
        setTaken({ file, name: caught.members.deck });
      }
    });
  const hopeless = problem?.caught.status >= 400 && problem?.caught.status < 500;

  return html`<div class="decks stack gap-5 page">
    <header class="page-head stack">
      <h1>${t("decks-title")}</h1>
      <p>${t("decks-text")}</p>
      <a class="button primary big" href="/decks/new">${t("decks-new")}</a>
    </header>
    ${problem &&
    html`<${Notice} problem=${problem.caught}>
      ${hopeless
        ? html`<button type="button" class="button quiet" onClick=${() => setProblem(null)}>${t("problem-dismiss")}</button>`
        : html`<button type="button" class="button primary" onClick=${problem.again}>${t("problem-again")}</button>`}
    <//>`}
    ${decks === null && !problem && html`<p class="loading" role="status">${t("app-loading")}</p>`}
    ${fresh && html`<p class="kept" role="status">✓ ${t("decks-taken-in", { deck: deckTitle(fresh) })}</p>`}
    ${decks &&
    html`<${Group} title=${t("decks-own")} empty=${t("decks-none")} decks=${decks.filter(({ own }) => own)} fresh=${fresh} onForget=${setLeaving} />
      <${TakeIn} onFile=${(file) => takeIn(file, false)} />
      <${Readers} />
      <${Group} title=${t("decks-shipped")} decks=${decks.filter(({ own }) => !own)} />`}
    ${leaving &&
    html`<${Confirm}
      title=${t("delete-title", { name: deckTitle(leaving.name) })}
      text=${t("decks-forget-text")}
      yes=${t("delete")}
      onYes=${() => {
        setLeaving(null);
        carryOut(() => forgetDeck(leaving.name));
      }}
      onClose=${() => setLeaving(null)}
    />`}
    ${taken &&
    html`<${Confirm}
      title=${t("decks-replace-title", { deck: deckTitle(taken.name) })}
      text=${t("decks-replace-text")}
      yes=${t("decks-replace")}
      onYes=${() => {
        setTaken(null);
        takeIn(taken.file, true);
      }}
      onClose=${() => setTaken(null)}
    />`}
  </div>`;
}
