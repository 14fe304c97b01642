// Keeps what a user types into a form until the server has it: in this browser, for a week at most, and not after the user
// has signed out. Each form of a visit to a page has an entry of its own: the inputs that were changed, and what the page had
// seen of the record. A later page offers all entries of its forms. It puts the newest in without a question if the user has
// come back to it or has loaded it again, and nobody has changed the record since. A form that shows an entry goes on with it,
// as after a refusal. An entry is removed when the server has taken its form, or when the user drops it.
// Before a form is sent, the server is asked whether it responds: if not, the page stays, and says so. A form with an editor
// inside has the property "inside".
const { user = "" } = document.body.dataset; // and the Account
const mine = `typed ${user} `; // begins the keys of this user's entries
const signedOut = "typed out"; // is written when a user signs out, for the other pages of this browser
const week = 7 * 24 * 3600 * 1000, pause = 500, patience = 10 * 1000; // milliseconds
const largest = 1 << 20; // bytes of a form that the sign-in keeps
const noTexts = ["hidden", "password", "file", "submit", "button", "image", "reset"];
const records = ["do", "list", "contact", "address", "variant"]; // hidden inputs that say what a form changes

// isAsked reports whether a form changes something. What is typed into a search is in the address of its page.
const isAsked = (form) => form?.closest("main") && !form.dataset.passkey &&
  (form.method === "post" || form.querySelector("button.main"));

// nameOf begins the keys of a form's entries: where it goes, and which record it changes. Without inputs it has none.
function nameOf(form) {
  if (!user || !isAsked(form) || !inputsOf(form).size) return null;
  const to = new URL(form.getAttribute("action") || location.href, location.href);
  to.searchParams.delete("done");
  const hidden = [...form.querySelectorAll(":scope > [type=hidden]")].filter((input) => records.includes(input.name));
  return `${mine}${to.pathname}${to.search} ${hidden.map(({ name, value }) => `${name}=${value}`).join("&")} `;
}

// keyOf returns the key of the entry that a form of this page has, or null.
const keys = new WeakMap();
function keyOf(form) {
  const name = nameOf(form);
  if (name && !keys.has(form)) keys.set(form, name + Math.random().toString(36).slice(2));
  return name && keys.get(form);
}

const isBox = (input) => input.type === "checkbox" || input.type === "radio";
const valueOf = (input) => isBox(input) ? input.checked : input.value;

function firstValueOf(input) {
  if (isBox(input)) return input.defaultChecked;
  if (!input.options) return input.defaultValue;
  return ([...input.options].find((o) => o.defaultSelected) || input.options[0])?.value;
}

// inputsOf returns the inputs of a form by their names. Those with the same name have numbers.
function inputsOf(form) {
  const all = new Map(), counts = {};
  for (const input of form.elements) {
    if (!input.name || input.name === "typed" || noTexts.includes(input.type)) continue;
    counts[input.name] = (counts[input.name] || 0) + 1;
    all.set(`${input.name} ${counts[input.name]}`, input);
  }
  return all;
}

// seenBy returns the input that says which version of a record the form has shown.
const seenBy = (form) => form.elements.seen || form.elements.form_seen;

function read(key) {
  try { return JSON.parse(localStorage.getItem(key)); } catch { return null; }
}

function write(key, entry) {
  try { localStorage.setItem(key, JSON.stringify(entry)); } catch { /* there is no room, or no storage */ }
}

function remove(key) {
  try { localStorage.removeItem(key); } catch { /* there is no storage */ }
}

let isOut = false; // the user has signed out
function keep(form) {
  if (isOut) return;
  const key = keyOf(form), old = read(key), { page, number } = form.elements;
  const entry = { time: Date.now(), inputs: {}, inside: form.inside?.text(), seen: seenBy(form)?.value, page: page?.value,
    number: Number(number?.value) }; // of the last save that was sent
  for (const [name, input] of inputsOf(form)) {
    if (old?.inputs && name in old.inputs || valueOf(input) !== firstValueOf(input)) entry.inputs[name] = valueOf(input);
  }
  write(key, entry);
}

// Writing waits, because it takes some milliseconds for a long text.
const planned = new Set();
function flush(form) {
  if (planned.delete(form)) keep(form);
}
for (const kind of ["input", "change"]) {
  document.addEventListener(kind, (event) => {
    const form = event.target.form || event.target;
    if (!form.elements || !keyOf(form) || planned.has(form)) return;
    planned.add(form);
    setTimeout(flush, pause, form);
  });
}
const flushAll = () => { for (const form of [...planned]) flush(form); };
document.addEventListener("visibilitychange", flushAll);
addEventListener("pagehide", flushAll);
document.addEventListener("form:stored", (event) => {
  planned.delete(event.target);
  remove(keyOf(event.target));
  document.querySelector("[data-unsent]").hidden = true;
});

// A page whose user has signed out keeps nothing more until the server has taken something from it again.
function stop() {
  isOut = true;
  planned.clear();
}
function signOut() {
  stop();
  try {
    const [id] = user.split(".");
    for (const key of Object.keys(localStorage)) if (key.startsWith(`typed ${id}.`)) remove(key);
    localStorage.setItem(signedOut, id);
    localStorage.removeItem(signedOut);
  } catch { /* there is no storage */ }
}
addEventListener("storage", ({ key, newValue }) => { if (key === signedOut && newValue === user.split(".")[0]) stop(); });
document.addEventListener("session:used", () => { isOut = false; });

// differs reports whether a form does not show what was kept.
function differs(form, entry) {
  const inputs = inputsOf(form);
  return (entry.inside || "") !== (form.inside?.text() || "") ||
    Object.entries(entry.inputs).some(([name, value]) => !inputs.has(name) || valueOf(inputs.get(name)) !== value);
}

function put(form, entry) {
  const inputs = inputsOf(form);
  for (const [name, value] of Object.entries(entry.inputs)) {
    const input = inputs.get(name);
    if (!input) continue;
    if (isBox(input)) input.checked = value;
    else input.value = value;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }
  if (entry.inside) form.inside?.put(entry.inside);
  const seen = seenBy(form);
  if (seen && entry.seen) seen.value = entry.seen; // so the server finds a newer text
  form.dispatchEvent(new Event("input", { bubbles: true }));
}

// isStored reports whether a page has saved a text by itself while it was left.
const isStored = (form, { page, number }) => form.dataset.stored?.split(" ").some((save) => {
  const [by, last] = save.split(":");
  return by === page && Number(last) > number;
});

// offer asks whether to put an entry into a form, or puts it in and says so.
function offer(form, key, entry, isBack) {
  const note = document.querySelector("[data-typed]").cloneNode(true), [putBack, drop] = note.querySelectorAll("button");
  const time = new Date(entry.time).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
  const show = (state) => {
    for (const part of note.querySelectorAll("[data-state]")) {
      part.hidden = part.dataset.state !== state;
      part.textContent = part.textContent.replace("\ue000", time);
    }
    putBack.hidden = state === "back";
  };
  const back = () => {
    flush(form);
    keys.set(form, key);
    put(form, entry);
    show("back");
  };
  show("left");
  putBack.addEventListener("click", back);
  drop.addEventListener("click", () => {
    remove(key);
    note.remove();
    if (keyOf(form) !== key) return;
    planned.delete(form);
    location.reload();
  });
  form.addEventListener("form:stored", () => { if (keyOf(form) === key) note.remove(); });
  note.hidden = false;
  note.role = "status";
  form.prepend(note);
  if (isBack) back();
}

// The next page shows whether the server has taken a form: it leads to another page then.
const sentName = "typed sent";
function forgetWhatIsStored(visit) {
  const sent = sessionStorage.getItem(sentName);
  sessionStorage.removeItem(sentName);
  if (sent && visit?.type === "navigate" && visit.redirectCount > 0 && !document.querySelector("main .note.bad[role=alert]")) {
    remove(sent);
  }
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith("typed ") && !(read(key)?.time > Date.now() - week)) remove(key);
  }
  return sent;
}

function start() {
  const [visit] = performance.getEntriesByType("navigation");
  const sent = forgetWhatIsStored(visit);
  for (const form of document.querySelectorAll("main form")) {
    const name = nameOf(form), inputs = name && inputsOf(form), left = [];
    for (const key of name ? Object.keys(localStorage) : []) {
      const entry = key.startsWith(name) && read(key);
      if (!entry || !entry.inside && !Object.keys(entry.inputs).some((input) => inputs.has(input))) continue;
      const isShown = !differs(form, entry);
      if (isStored(form, entry)) remove(key);
      else if (!isShown) left.push({ key, entry });
      if (isShown || key === sent) keys.set(form, key);
    }
    left.sort((a, b) => a.entry.time - b.entry.time);
    const isBack = ["back_forward", "reload"].includes(visit?.type), newest = left.at(-1)?.entry;
    for (const { key, entry } of left) offer(form, key, entry, isBack && entry === newest && entry.seen === seenBy(form)?.value);
  }
}

// Scripts of the page make its editor first.
addEventListener("DOMContentLoaded", () => { try { start(); } catch { /* this browser stores nothing */ } });

let sending; // the form that was asked about, and then may go
function stay(form, state) {
  const note = document.querySelector("[data-unsent]");
  for (const part of note.children) part.hidden = part.dataset.state !== state;
  note.hidden = false;
  form.dispatchEvent(new Event("input", { bubbles: true }));
}

// needsSession reports whether a form would lose something if the user signs in first.
const needsSession = (form) => form.enctype === "multipart/form-data" || form.querySelector("[type=password]") ||
  new URLSearchParams(new FormData(form)).toString().length > largest;

// go notes which form goes, as it does now.
function go(form) {
  flush(form);
  const key = keyOf(form);
  try { if (key) sessionStorage.setItem(sentName, key); } catch { /* this browser stores nothing */ }
  if (form.matches("[action='/admin/sign-out']")) signOut();
}

addEventListener("submit", async (event) => {
  const form = event.target, { submitter } = event;
  if (!isAsked(form) || sending === form || !AbortSignal.timeout || !form.requestSubmit) return go(form);
  event.preventDefault();
  event.stopImmediatePropagation();
  if (sending === null) return; // it is asked about
  sending = null;
  try {
    flush(form);
    const answer = await fetch("/admin/stay", { method: "POST", headers: { "HX-Request": "true" }, signal: AbortSignal.timeout(patience) }).catch(() => null);
    if (!answer || answer.status >= 500) return stay(form, "away");
    if (answer.status === 401 && needsSession(form)) return stay(form, "ended");
    if (answer.ok) isOut = false;
    document.querySelector("[data-unsent]").hidden = true;
    sending = form;
    form.requestSubmit(submitter?.isConnected ? submitter : null);
  } finally {
    sending = undefined;
  }
}, true);
