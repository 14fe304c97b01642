// Keeps what a user types into a form until the server has it: in this browser, for a week at most, and not after the user
// has signed out. If the form is opened again, it gets these texts back, or offers them. Before a form is sent, the server
// is asked whether it responds: if not, the page stays, and says so. A form with an editor inside has the property "inside".
const mine = `typed ${document.body.dataset.user} `; // begins the names of what this user has typed
const week = 7 * 24 * 3600 * 1000, pause = 500, patience = 10 * 1000; // milliseconds
const largest = 1 << 20; // bytes of a form that the sign-in keeps
const noTexts = ["hidden", "password", "file", "submit", "button", "image", "reset"];

// keyOf names a form by where it goes, or returns null: what is typed into a search is in the address of its page.
function keyOf(form) {
  if (!form?.closest("main") || form.dataset.passkey || form.method !== "post" && !form.querySelector("button.main")) return null;
  const to = new URL(form.getAttribute("action") || location.href, location.href);
  to.searchParams.delete("done");
  return mine + to.pathname + to.search;
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

function read(key) {
  try { return JSON.parse(localStorage.getItem(key)); } catch { return null; }
}

function write(key, entry) {
  try { localStorage.setItem(key, JSON.stringify(entry)); } catch { /* there is no room, or no storage */ }
}

function keep(form) {
  const key = keyOf(form), old = read(key), { page, number } = form.elements;
  const entry = { time: Date.now(), inputs: {}, inside: form.inside?.text(), page: page?.value, number: Number(number?.value) };
  for (const [name, input] of inputsOf(form)) {
    if (old?.inputs && name in old.inputs || valueOf(input) !== firstValueOf(input)) entry.inputs[name] = valueOf(input);
  }
  write(key, entry);
}

// Writing waits, because it takes some milliseconds for a long text.
const planned = new Map();
function flush(form) {
  clearTimeout(planned.get(form));
  if (planned.delete(form)) keep(form);
}
for (const kind of ["input", "change"]) {
  document.addEventListener(kind, (event) => {
    const form = event.target.form || event.target;
    if (form.elements && keyOf(form) && !planned.has(form)) planned.set(form, setTimeout(flush, pause, form));
  });
}
const flushAll = () => { for (const form of [...planned.keys()]) flush(form); };
document.addEventListener("visibilitychange", flushAll);
addEventListener("pagehide", flushAll);
document.addEventListener("form:stored", (event) => {
  clearTimeout(planned.get(event.target));
  planned.delete(event.target);
  localStorage.removeItem(keyOf(event.target));
  document.querySelector("[data-unsent]").hidden = true;
});

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
  form.dispatchEvent(new Event("input", { bubbles: true }));
}

// isStored reports whether a page has saved a text by itself while it was left.
const isStored = (form, { page, number }) => form.dataset.stored?.split(" ").some((save) => {
  const [by, last] = save.split(":");
  return by === page && Number(last) >= number;
});

// offer gives a form its texts back if the user has come back to it or has loaded it again, and else asks.
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
    put(form, entry);
    show("back");
  };
  show("left");
  putBack.addEventListener("click", back);
  drop.addEventListener("click", () => {
    planned.delete(form);
    localStorage.removeItem(key);
    if (putBack.hidden) location.reload();
    note.remove();
  });
  form.addEventListener("form:stored", () => note.remove());
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
    localStorage.removeItem(sent);
  }
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith("typed ") && !(read(key)?.time > Date.now() - week)) localStorage.removeItem(key);
  }
}

function start() {
  const [visit] = performance.getEntriesByType("navigation");
  forgetWhatIsStored(visit);
  for (const form of document.querySelectorAll("main form")) {
    const key = keyOf(form), entry = key && read(key);
    if (!entry) continue;
    if (isStored(form, entry)) localStorage.removeItem(key);
    else if (differs(form, entry)) offer(form, key, entry, ["back_forward", "reload"].includes(visit?.type));
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

addEventListener("submit", async (event) => {
  const form = event.target, key = keyOf(form), { submitter } = event;
  if (form.matches("[action='/admin/sign-out']")) {
    for (const name of Object.keys(localStorage)) if (name.startsWith(mine)) localStorage.removeItem(name);
  }
  if (!key || sending === form) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (sending === null) return; // it is asked about
  sending = null;
  flush(form);
  const answer = await fetch("/admin/stay", { method: "POST", headers: { "HX-Request": "true" }, signal: AbortSignal.timeout(patience) }).catch(() => null);
  sending = undefined;
  if (!answer || answer.status >= 500) return stay(form, "away");
  if (answer.status === 401 && needsSession(form)) return stay(form, "ended");
  document.querySelector("[data-unsent]").hidden = true;
  try { sessionStorage.setItem(sentName, key); } catch { /* this browser stores nothing */ }
  sending = form;
  form.requestSubmit(submitter?.isConnected ? submitter : null);
  sending = undefined;
}, true);
