/** The sheet of a deck being enrolled: each detected card with its proposed name, uncertain ones first; a tap corrects it. */
import { groupsOf, nameOf } from "./deck.js";
import { NAME } from "./deck-form.js";
import { Dialog } from "./dialog.js";
import { Face } from "./face.js";
import { listed, t, tn } from "./i18n.js";
import { classes, html, useState } from "./view.js";

const NOT_IN_EVERY_BOX = ["onifuda"];

const Crop = ({ place, alt = "" }) => html`<img class="place-crop" src=${place.picture} alt=${alt} width="64" height="96" />`;

/** An uncertain card: its photograph beside the card that it was recognized as. */
function Doubt({ place, onRight, onOther }) {
  const name = nameOf(place.card);
  return html`<li class="doubt-card line gap-3 panel" data-number=${place.number}>
    <${Crop} place=${place} alt=${t("found-crop", { number: place.number })} />
    ${place.card !== null && html`<${Face} id=${place.card} />`}
    <div class="stack">
      <p class="doubt-name">${place.card === null ? t("card-unnamed") : t("found-is-it", { card: name })}</p>
      <div class="buttons">
        <button type="button" class="button primary" onClick=${onRight}>${t("found-right")}</button>
        <button type="button" class="button quiet" onClick=${onOther}>${t("found-another")}</button>
      </div>
    </div>
  </li>`;
}

function Slot({ card, place, missing, onTap }) {
  const name = nameOf(card);
  if (!place) {
    return html`<li class=${classes("slot stack gap-1 center", missing && "missing")}>
      <span class="gap fine centered">${t(missing ? "found-gap" : "found-alike")}</span> <span class="slot-name fine">${name}</span>
    </li>`;
  }
  return html`<li class="slot">
    <button type="button" class=${classes("place stack gap-1 center bare", place.doubtful && "doubtful")} data-card=${card} aria-label=${t(place.doubtful ? "found-change-doubtful" : "tiles-change", { card: name })} onClick=${onTap}>
      <${Crop} place=${place} />
      ${place.doubtful && html`<span class="badge" aria-hidden="true">?</span>`}
      <span class="slot-name fine" aria-hidden="true">${name}</span>
    </button>
  </li>`;
}

function Choice({ id, place, current, onChoose }) {
  const name = nameOf(id);
  return html`<button type="button" class=${classes("choice stack gap-1 bare", current && "current")} aria-pressed=${current} aria-label=${place && !current ? t("found-swaps", { card: name }) : name} title=${name} data-card=${id} onClick=${() => onChoose(id)}>
    <${Face} id=${id} />
  </button>`;
}

/** The sheet that asks which card is at a position of the photograph. */
function WhichCard({ found, place, onChoose, onClose }) {
  const named = new Map(found.places.map((one) => [one.card, one]));
  const choice = (id) => html`<${Choice} key=${id} id=${id} place=${named.get(id)} current=${id === place.card} onChoose=${onChoose} />`;
  return html`<${Dialog} title=${t("sheet-title")} class="sheet" onClose=${onClose}>
    <div class="sheet-now">
      <${Crop} place=${place} alt=${t("found-crop", { number: place.number })} />
      <div>
        <p class="now">${place.card === null ? t("card-unnamed") : nameOf(place.card)}</p>
        <p class="hint">${t("found-swap-hint")}</p>
        <div class="buttons">
          ${place.doubtful && html`<button type="button" class="button primary" onClick=${() => onChoose(place.card)}>${t("found-right")}</button>`}
          ${place.card !== null && html`<button type="button" class="button quiet" onClick=${() => onChoose(null)}>${t("found-no-name")}</button>`}
        </div>
      </div>
    </div>
    ${place.others.length > 0 &&
    html`<section>
      <h3>${t("sheet-likely")}</h3>
      <div class="choices likely">${place.others.map(choice)}</div>
    </section>`}
    <section>
      <h3>${t("sheet-all")}</h3>
      <ol class="months stack">
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

/** All cards in pack order, with an empty slot for each missing card. */
function AllPlaces({ found, onTap }) {
  const named = new Map(found.places.map((place) => [place.card, place]));
  const nameless = found.places.filter(({ card }) => card === null);
  return html`<section class="all-places stack gap-3">
    <h2>${tn("found-all-places", found.places.length)}</h2>
    <p class="hint">${t("found-tap")}</p>
    ${groupsOf(found.pack).map(({ title, more, cards }) => {
      const visible = cards.filter(({ id }) => named.has(id) || !NOT_IN_EVERY_BOX.includes(id));
      return (
        visible.length > 0 &&
        html`<section key=${title} class="slot-group stack gap-1">
          <h3>${title} <span class="fine">${more}</span></h3>
          <ul class="slots">
            ${visible.map(({ id }) => html`<${Slot} key=${id} card=${id} place=${named.get(id)} missing=${found.missing.includes(id)} onTap=${() => onTap(named.get(id))} />`)}
          </ul>
        </section>`
      );
    })}
    ${nameless.length > 0 &&
    html`<section class="slot-group stack gap-1">
      <h3>${t("card-unnamed")}</h3>
      <ul class="slots">
        ${nameless.map((place) => html`<${Slot} key=${place.number} card=${null} place=${place} onTap=${() => onTap(place)} />`)}
      </ul>
    </section>`}
  </section>`;
}

function Missing({ found, onBack }) {
  const { missing } = found;
  if (missing.length === 0) return null;
  return html`<section class="group stack attention missing-cards">
    <h2>${tn("found-missing", missing.length)}</h2>
    <p>${missing.length <= 6 ? listed(missing.map(nameOf)) : t("found-missing-many")}</p>
    <p class="hint">${t("found-missing-text")}</p>
    <button type="button" class="button quiet" onClick=${onBack}>${t("enroll-take-more")}</button>
  </section>`;
}

/**
 * @param {{found: Object, busy: boolean, onChange: (changes: Object) => void, onKeep: (name: string) => void,
 *   onBack: () => void, children: any}} props `found`: the response of GET /api/enrollments/{id}; children: the error notice
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
  return html`<article class="deck-sheet stack gap-5">
    <header class="stack">
      <h1>${t("found-title")}</h1>
      <p class="hint">${doubts.length ? tn("found-doubts", doubts.length) : t("found-no-doubts")}</p>
    </header>
    ${children}
    <${Missing} found=${found} onBack=${onBack} />
    ${doubts.length > 0 &&
    html`<section class="stack gap-3">
      <h2>${tn("found-look", doubts.length)}</h2>
      <ul class="wide-pair">
        ${doubts.map(
          (one) => html`<${Doubt} key=${one.number} place=${one} onRight=${() => named(one, one.card)} onOther=${() => setSelected(one.number)} />`,
        )}
      </ul>
    </section>`}
    <${AllPlaces} found=${found} onTap=${({ number }) => setSelected(number)} />
    <p><button type="button" class="link" onClick=${onBack}>${t("enroll-again")}</button></p>
    <form class="keep" onSubmit=${keep}>
      ${doubts.length > 0 && html`<p class="page warning" role="status">${tn("found-open", doubts.length)}</p>`}
      <div class="keep-line">
        <input type="text" required maxlength="40" pattern=${NAME} title=${t("enroll-name-rule")} value=${name} aria-label=${t("enroll-name")} onInput=${(event) => setName(event.target.value)} />
        <button type="submit" class="button primary" disabled=${busy}>${t("found-keep")}</button>
      </div>
    </form>
    ${place && html`<${WhichCard} key=${selected} found=${found} place=${place} onChoose=${choose} onClose=${() => setSelected(null)} />`}
  </article>`;
}
