/** Export and import of the evenings, below their list. */
import { postEventFile, request } from "./api.js";
import { FileInput } from "./file-input.js";
import { listed, t, tn } from "./i18n.js";
import { Notice } from "./notice.js";
import { html, useEffect, useState } from "./view.js";

/** @param {{empty: boolean, onImported: () => void}} props `empty`: there is nothing to export */
export function Transfer({ empty, onImported }) {
  const [me, setMe] = useState(null);
  const [merged, setMerged] = useState(null);
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    request("GET", "/api/me").then(setMe, () => {}); // without it one can still read
  }, []);
  const bringIn = async ([file]) => {
    setProblem(null);
    setMerged(null);
    try {
      setMerged(await postEventFile(file));
      onImported();
    } catch (caught) {
      setProblem(caught);
    }
  };
  const imported = merged ? merged.new.length + merged.extended.length : 0;
  const scorer = ["host", "scorer"].includes(me?.role);
  return html`<section class="transfer stack from-start">
    ${!empty &&
    html`<p class="exports cluster gap-4 hint">
      ${t("log-nights-export")} ${scorer && html`<a href="/api/nights.jsonl" download>${t("log-nights-export-events")}</a>`}
      <a href="/api/rounds.csv" download>${t("log-nights-export-rounds")}</a>
    </p>`}
    ${problem && html`<${Notice} problem=${problem} />`}
    ${me?.role === "host" &&
    html`<${FileInput} accept=".jsonl" onFiles=${bringIn}>${t("log-nights-import-file")}<//>`}
    ${merged &&
    html`<p role="status">
      ${imported > 0 ? tn("log-nights-imported", imported) : t("log-nights-none-new")}
      ${merged.conflict.length > 0 && html`<br />${t("log-nights-conflict", { tables: listed(merged.conflict) })}`}
    </p>`}
  </section>`;
}
