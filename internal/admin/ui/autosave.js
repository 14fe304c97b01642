// Saves a form with data-autosave two seconds after the last key, and when its page is left. What a browser cannot send any
// more while it leaves a page, it asks about. An editor that keeps texts elsewhere adds them to the data of the form (event
// "formdata"), and lets the form have an event "input" for each change. The server decides what becomes of a text.
const form = document.querySelector("form[data-autosave]");
const pause = 2000, again = 5000; // milliseconds
const largest = 60000; // bytes that a browser sends while it leaves a page
let typed = 0, stored = 0, sending = 0; // counts of changes
let timer, fails, isSubmitted;

function say(text, isWrong) {
  const line = form.querySelector("[data-saved]");
  line.textContent = text;
  line.classList.toggle("wrong", Boolean(isWrong));
}

function plan(after) {
  clearTimeout(timer);
  timer = setTimeout(save, after);
}

function sent() {
  const { number } = form.elements; // it grows, also if the clock is put back
  number.value = Math.max(Date.now(), Number(number.value) + 1);
  return new URLSearchParams(new FormData(form));
}

async function save(isLast) {
  if (isSubmitted || typed === stored || sending === typed || sending && isLast !== true) return;
  const state = sending = typed, body = sent(), name = form.elements.name.value;
  try {
    const answer = await fetch(form.dataset.autosave, { method: "POST", body, headers: { "HX-Request": "true" },
      keepalive: body.toString().length < largest });
    if (!answer.ok) throw new Error(answer.status);
    const { seen, name: named, text, draft } = await answer.json();
    form.elements.seen.value = seen;
    if (form.elements.name.value === name) form.elements.name.value = named;
    stored = Math.max(stored, state);
    fails = false;
    say(text, draft);
    document.dispatchEvent(new Event("session:used"));
  } catch (error) {
    fails = true;
    say({ 401: form.dataset.signedOut, 422: form.dataset.refused }[error.message] || form.dataset.unsaved, true);
  }
  if (sending === state) sending = 0;
  if (typed !== stored) plan(fails ? again : pause);
}

for (const kind of ["input", "change"]) {
  document.addEventListener(kind, (event) => {
    if (event.target !== form && event.target.form !== form) return;
    typed++;
    if (!fails || isSubmitted) plan(pause);
    isSubmitted = false; // the user has stopped it
  });
}
form.addEventListener("submit", () => { isSubmitted = true; });
addEventListener("pageshow", () => { isSubmitted = false; });
document.addEventListener("visibilitychange", () => document.hidden && save(true));
addEventListener("pagehide", () => save(true));
addEventListener("beforeunload", (event) => {
  if (isSubmitted || typed === stored) return;
  if (fails || sent().toString().length >= largest) event.preventDefault();
});
