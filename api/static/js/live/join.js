/** Pairing this phone: the PIN that the host sees, or the code of the QR code that brought it here. */
import { Problem, request } from "../api.js";
import { t } from "../i18n.js";
import { sentenceOf } from "../notice.js";
import { html, useEffect, useState } from "../view.js";

const PIN = 6;
const LONGEST_NAME = 80;

/** Where to go on to: a page of ours, whatever the address says. */
function onward(query, me) {
  const to = query.get("to") ?? "/tables";
  const own = to.startsWith("/") && !to.startsWith("//") && !to.startsWith("/\\");
  const path = own ? to : "/tables";
  return me.seat && /^\/t\/[^/]+$/.test(path) ? `${path}/seat/${me.seat}` : path;
}

export function Join() {
  const query = new URLSearchParams(location.search);
  const code = query.get("code");
  const [pin, setPin] = useState("");
  const [name, setName] = useState("");
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  const [me, setMe] = useState(null);
  useEffect(() => {
    request("GET", "/api/me").then(setMe, () => {}); // the form works without
  }, []);

  const pair = async (event) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      const told = await request("POST", "/api/pair", { ...(code ? { code } : { pin }), name: name.trim() || null });
      location.assign(onward(query, told));
    } catch (caught) {
      if (!(caught instanceof Problem)) throw caught;
      setProblem(caught);
      setBusy(false);
    }
  };
  const ready = code !== null || pin.replace(/[^A-Za-z0-9]/g, "").length === PIN;
  return html`<form class="join" onSubmit=${pair}>
    <h1>${t("join.title")}</h1>
    <p class="hint">${t(code ? "join.text.code" : "join.text")}</p>
    ${me && me.role !== "viewer" && html`<p class="joined">✓ ${t(`join.role.${me.role}`, { name: me.name })} <a href=${onward(query, me)}>${t("join.go-on")}</a></p>`}
    ${!code &&
    html`<label class="field-label">
      <span>${t("join.pin")}</span>
      <input
        class="pin"
        name="pin"
        value=${pin}
        autocomplete="one-time-code"
        autocapitalize="characters"
        autocorrect="off"
        spellcheck="false"
        maxlength="9"
        required
        onInput=${(event) => setPin(event.target.value.toUpperCase())}
      />
    </label>`}
    <label class="field-label">
      <span>${t("join.name")}</span>
      <input name="name" value=${name} maxlength=${LONGEST_NAME} autocomplete="nickname" onInput=${(event) => setName(event.target.value)} />
    </label>
    ${problem && html`<p class="banner refused" role="alert">${sentenceOf(problem)}</p>`}
    <button type="submit" class="button primary big" disabled=${busy || !ready}>${t("join.do")}</button>
    <p class="fine">${t("join.watch")} <a href="/tables">${t("live.to-tables")}</a></p>
  </form>`;
}
