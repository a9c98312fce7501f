/** The form for a deck's name, pack, and pictures: the first step of enrolling it. */
import { PACKS } from "./deck.js";
import { FileInput, PICTURES } from "./file-input.js";
import { t, tn } from "./i18n.js";
import { html, useEffect, useMemo, useState } from "./view.js";

const MOST_PHOTOS = 4;
const COLUMNS = { hanafuda: 12, mekurifuda: 12, kabufuda: 10 };
const DRAWN_CARDS = ["pine-crane", "plum-warbler", "cherry-curtain"]; // the first cards of the layout are drawn with faces, the others blank

/** The names that the server accepts; it turns spaces into hyphens. */
export const NAME = "[\\p{L}\\p{N}_\\- ]+";

function PackChoice({ pack, chosen, onChoose }) {
  return html`<label class="choice-line panel">
    <input type="radio" name="pack" value=${pack} checked=${chosen} onChange=${() => onChoose(pack)} />
    <span><b>${t(`pack-${pack}`)}</b> <span class="fine">${t(`pack-${pack}-text`)}</span></span>
  </label>`;
}

/** The layout for the photograph: four rows; for hanafuda, one column per flower. */
function Layout({ pack }) {
  const columns = COLUMNS[pack];
  const places = Array.from({ length: 4 * columns }, (_, i) => [i % columns, Math.floor(i / columns)]);
  const width = columns * 13 + 3;
  return html`<svg class="layout" viewBox="0 0 ${width} 87" role="img" aria-label=${t("enroll-layout", { columns })}>
    <rect class="cloth" width=${width} height="87" rx="3" />
    ${places.map(([column, row]) =>
      pack === "hanafuda" && row === 0 && DRAWN_CARDS[column]
        ? html`<image key=${`${column}-0`} href=${`/faces/${DRAWN_CARDS[column]}.svg`} x=${3 + column * 13} y="3" width="10" height="17" preserveAspectRatio="none" />`
        : html`<rect key=${`${column}-${row}`} class="card" x=${3 + column * 13} y=${3 + row * 21} width="10" height="17" rx="1" />`,
    )}
  </svg>`;
}

function Photo({ file, number, onRemove }) {
  const [visible, setVisible] = useState(true);
  const url = useMemo(() => URL.createObjectURL(file), [file]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  return html`<li>
    ${visible
      ? html`<img src=${url} alt=${t("enroll-photo", { number })} onError=${() => setVisible(false)} />`
      : html`<span class="hint">${file.name}</span>`}
    <button type="button" class="cross" aria-label=${t("labeled", { label: t("remove"), text: t("enroll-photo", { number }) })} onClick=${onRemove}>✕</button>
  </li>`;
}

/**
 * @param {{deck: {name: string, pack: string, photos: File[], cards: File[]}, onChange: (deck: Object) => void,
 *   onSend: () => void}} props
 */
export function DeckForm({ deck, onChange, onSend }) {
  const { name, pack, photos, cards } = deck;
  const set = (changes) => onChange({ ...deck, ...changes });
  const addPhotos = (files) => set({ photos: [...photos, ...files].slice(0, MOST_PHOTOS), cards: [] });
  const pictures = photos.length + cards.length > 0;
  const send = (event) => {
    event.preventDefault();
    if (pictures) onSend();
  };
  return html`<form class="deck-form stack gap-5 page narrow" onSubmit=${send}>
    <header class="stack">
      <h1>${t("decks-new")}</h1>
      <p class="hint">${t("enroll-text")}</p>
    </header>
    <section class="step stack gap-3">
      <h2 class="line"><span class="number">1</span> ${t("enroll-what")}</h2>
      <fieldset class="packs stack">
        <legend class="unseen">${t("enroll-what")}</legend>
        ${PACKS.map((one) => html`<${PackChoice} key=${one} pack=${one} chosen=${one === pack} onChoose=${(chosen) => set({ pack: chosen })} />`)}
      </fieldset>
      <label class="deck-name stack gap-1">
        <span>${t("enroll-name")}</span>
        <input type="text" name="deck-name" required maxlength="40" pattern=${NAME} title=${t("enroll-name-rule")} autocomplete="off" value=${name} placeholder=${t("enroll-name-example")} onInput=${(event) => set({ name: event.target.value })} />
        <span class="fine">${t("enroll-name-rule")}</span>
      </label>
    </section>
    <section class="step stack gap-3">
      <h2 class="line"><span class="number">2</span> ${t("enroll-photograph")}</h2>
      <${Layout} pack=${pack} />
      <p>${t(`enroll-lay-${pack}`)}</p>
      <p class="hint">${t("enroll-lay")}</p>
      <div class="take cluster">
        ${photos.length < MOST_PHOTOS &&
        html`<${FileInput} class=${pictures ? "quiet" : "primary"} accept=${PICTURES} capture="environment" onFiles=${addPhotos}>${t(photos.length ? "enroll-take-more" : "home-take")}<//>
          <${FileInput} accept=${PICTURES} multiple onFiles=${addPhotos}>${t("home-choose")}<//>`}
      </div>
      ${photos.length > 0 &&
      html`<ul class="photos">
        ${photos.map(
          (file, i) =>
            html`<${Photo} key=${`${file.name}-${file.size}-${i}`} file=${file} number=${i + 1} onRemove=${() => set({ photos: photos.filter((_, j) => j !== i) })} />`,
        )}
      </ul>`}
      <details class="single" open=${cards.length > 0}>
        <summary>${t("enroll-single")}</summary>
        <p class="hint">${t("enroll-single-text")}</p>
        ${cards.length > 0 && html`<p role="status">✓ ${tn("enroll-single-chosen", cards.length)}</p>`}
        <${FileInput} accept=${PICTURES} multiple onFiles=${(files) => set({ cards: files, photos: [] })}>${t("enroll-single-choose")}<//>
      </details>
    </section>
    <section class="step stack gap-3">
      <h2 class="line"><span class="number">3</span> ${t("enroll-find-title")}</h2>
      <button type="submit" class="button primary big" disabled=${!pictures || !name.trim()}>${t("enroll-find")}</button>
      ${!(pictures && name.trim()) && html`<p class="hint">${t(name.trim() ? "enroll-find-no-pictures" : "enroll-find-no-name")}</p>`}
    </section>
  </form>`;
}
