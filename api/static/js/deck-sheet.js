/** The sheet of a deck being learnt: each card found with the name proposed, the doubtful ones first; a tap puts it right. */
import { faceOf, groupsOf, nameOf } from "./deck.js";
import { Dialog } from "./dialog.js";
import { Face } from "./face.js";
import { listed, t, tn } from "./i18n.js";
import { classes, html, useState } from "./view.js";

const Crop = ({ place, alt = "" }) => html`<img class="place-crop" src=${place.picture} alt=${alt} width="64" height="96" />`;

/** A card to look at: what was photographed beside what it is taken for. */
function Doubt({ place, onRight, onOther }) {
  const name = nameOf(place.card);
  return html`<li class="doubt-card" data-number=${place.number}>
    <${Crop} place=${place} alt=${t("deck-sheet.crop", { number: place.number })} />
    ${place.card !== null && faceOf(place.card) !== null && html`<${Face} id=${place.card} />`}
    <div>
      <p class="doubt-name">${place.card === null ? t("deck-sheet.nameless") : t("deck-sheet.is-it", { card: name })}</p>
      <div class="buttons">
        <button type="button" class="button primary" onClick=${onRight}>${t("deck-sheet.right")}</button>
        <button type="button" class="button quiet" onClick=${onOther}>${t("deck-sheet.other")}</button>
      </div>
    </div>
  </li>`;
}

function Slot({ card, place, onTap }) {
  const name = nameOf(card);
  if (!place) {
    return html`<li class="slot missing"><span class="gap">${t("deck-sheet.gap")}</span> <span class="slot-name">${name}</span></li>`;
  }
  return html`<li class="slot">
    <button type="button" class=${classes("place", place.doubtful && "doubtful")} data-card=${card} aria-label=${t(place.doubtful ? "deck-sheet.change-doubtful" : "tiles.change", { card: name })} onClick=${onTap}>
      <${Crop} place=${place} />
      ${place.doubtful && html`<span class="mark" aria-hidden="true">?</span>`}
      <span class="slot-name" aria-hidden="true">${name}</span>
    </button>
  </li>`;
}

function Choice({ id, place, current, onChoose }) {
  const name = nameOf(id);
  return html`<button type="button" class=${classes("choice", current && "current")} aria-pressed=${current} aria-label=${place && !current ? t("deck-sheet.swaps", { card: name }) : name} title=${name} data-card=${id} onClick=${() => onChoose(id)}>
    <${Face} id=${id} />
  </button>`;
}

/** Asks which card a place is. */
function WhichCard({ found, place, onChoose, onClose }) {
  const named = new Map(found.places.map((one) => [one.card, one]));
  const choice = (id) => html`<${Choice} key=${id} id=${id} place=${named.get(id)} current=${id === place.card} onChoose=${onChoose} />`;
  return html`<${Dialog} title=${t("sheet.title")} class="sheet" onClose=${onClose}>
    <div class="sheet-now">
      <${Crop} place=${place} alt=${t("deck-sheet.crop", { number: place.number })} />
      <div>
        <p class="now">${place.card === null ? t("deck-sheet.nameless") : nameOf(place.card)}</p>
        <p class="hint">${t("deck-sheet.swap.hint")}</p>
        <div class="buttons">
          ${place.doubtful && html`<button type="button" class="button primary" onClick=${() => onChoose(place.card)}>${t("deck-sheet.right")}</button>`}
          ${place.card !== null && html`<button type="button" class="button quiet" onClick=${() => onChoose(null)}>${t("deck-sheet.no-name")}</button>`}
        </div>
      </div>
    </div>
    ${place.others.length > 0 &&
    html`<section>
      <h3>${t("deck-sheet.perhaps")}</h3>
      <div class="choices likely">${place.others.map(choice)}</div>
    </section>`}
    <section>
      <h3>${t("deck-sheet.all")}</h3>
      <ol class="months">
        ${groupsOf(found.pack).map(
          ({ title, more, cards }) =>
            html`<li key=${title}>
              <p class="month"><b>${title}</b> <span>${more}</span></p>
              <div class="choices">${cards.map(({ id }) => choice(id))}</div>
            </li>`,
        )}
      </ol>
    </section>
  <//>`;
}

/** All cards in the pack's order, an empty place where one is missing. */
function AllPlaces({ found, onTap }) {
  const named = new Map(found.places.map((place) => [place.card, place]));
  const expected = new Set(found.missing);
  const nameless = found.places.filter(({ card }) => card === null);
  return html`<section class="all-places">
    <h2>${tn("deck-sheet.all-places", found.places.length)}</h2>
    <p class="hint">${t("deck-sheet.tap")}</p>
    ${groupsOf(found.pack).map(({ title, more, cards }) => {
      const shown = cards.filter(({ id }) => named.has(id) || expected.has(id));
      return (
        shown.length > 0 &&
        html`<section key=${title} class="slot-group">
          <h3>${title} <span class="fine">${more}</span></h3>
          <ul class="slots">
            ${shown.map(({ id }) => html`<${Slot} key=${id} card=${id} place=${named.get(id)} onTap=${() => onTap(named.get(id))} />`)}
          </ul>
        </section>`
      );
    })}
    ${nameless.length > 0 &&
    html`<section class="slot-group">
      <h3>${t("deck-sheet.nameless")}</h3>
      <ul class="slots">
        ${nameless.map((place) => html`<${Slot} key=${place.number} card=${null} place=${place} onTap=${() => onTap(place)} />`)}
      </ul>
    </section>`}
  </section>`;
}

function Missing({ found, onBack }) {
  const { missing } = found;
  if (missing.length === 0) return null;
  return html`<section class="group attention missing-cards">
    <h2>${tn("deck-sheet.missing", missing.length)}</h2>
    <p>${missing.length <= 6 ? listed(missing.map(nameOf)) : t("deck-sheet.missing.many")}</p>
    <p class="hint">${t("deck-sheet.missing.text")}</p>
    <button type="button" class="button quiet" onClick=${onBack}>${t("deck-sheet.photo")}</button>
  </section>`;
}

/**
 * @param {{found: Object, busy: boolean, onChange: (changes: Object) => void, onKeep: (name: string) => void,
 *   onBack: () => void, children: any}} props `found`: the answer of GET /api/enrolments/{id}; children: what went wrong
 */
export function DeckSheet({ found, busy, onChange, onKeep, onBack, children }) {
  const [selected, setSelected] = useState(null);
  const [name, setName] = useState(found.name);
  const doubts = found.places.filter(({ doubtful }) => doubtful);
  const named = (place, card) => onChange({ fixes: [{ number: place.number, card }] });
  const choose = (card) => {
    setSelected(null);
    named(place, card);
  };
  const keep = (event) => {
    event.preventDefault();
    onKeep(name);
  };
  const place = found.places.find(({ number }) => number === selected);
  return html`<article class="deck-sheet">
    <header>
      <h1>${t("deck-sheet.title")}</h1>
      <p class="hint">${doubts.length ? tn("deck-sheet.doubts", doubts.length) : t("deck-sheet.no-doubts")}</p>
    </header>
    ${children}
    <${Missing} found=${found} onBack=${onBack} />
    ${doubts.length > 0 &&
    html`<section class="doubts">
      <h2>${tn("deck-sheet.look", doubts.length)}</h2>
      <ul>
        ${doubts.map(
          (one) => html`<${Doubt} key=${one.number} place=${one} onRight=${() => named(one, one.card)} onOther=${() => setSelected(one.number)} />`,
        )}
      </ul>
    </section>`}
    <${AllPlaces} found=${found} onTap=${({ number }) => setSelected(number)} />
    <p><button type="button" class="link" onClick=${onBack}>${t("enroll.again")}</button></p>
    <form class="keep" onSubmit=${keep}>
      ${doubts.length > 0 && html`<p class="open-doubts" role="status">${tn("deck-sheet.open", doubts.length)}</p>`}
      <div class="keep-line">
        <input type="text" required maxlength="40" value=${name} aria-label=${t("enroll.name")} onInput=${(event) => setName(event.target.value)} />
        <button type="submit" class="button primary" disabled=${busy}>${t("deck-sheet.keep")}</button>
      </div>
    </form>
    ${place && html`<${WhichCard} key=${selected} found=${found} place=${place} onChoose=${choose} onClose=${() => setSelected(null)} />`}
  </article>`;
}
