// Saves a form with data-autosave two seconds after the last key, in longer typing each ten seconds, and when its page is
// left. What a browser cannot send any more while it leaves a page, it asks about. An editor that keeps texts elsewhere adds
// them to the data of the form (event "formdata"), and lets the form have an event "input" for each change. The server
// decides what becomes of a text. No time is compared with a clock that can be wrong.
const form = document.querySelector("form[data-autosave]");
const pause = 2000, longest = 10000, again = 5000; // milliseconds
const patience = 15000, patienceByByte = 0.1; // milliseconds until a save without an answer has failed
const largest = 60000; // bytes that a browser sends while it leaves a page
let typed = 0, stored = 0, sending = 0, refused = 0; // counts of changes
let timer, unsavedSince, sendingSince, fails, isSubmitted;

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
  const state = sending = typed, body = sent(), size = body.toString().length, name = form.elements.name.value;
  unsavedSince = undefined;
  sendingSince = performance.now();
  try {
    const answer = await fetch(form.dataset.autosave, { method: "POST", body, headers: { "HX-Request": "true" },
      keepalive: size < largest, signal: AbortSignal.timeout?.(patience + size * patienceByByte) });
    if (!answer.ok) throw new Error(answer.status);
    const { seen, name: named, text, draft } = await answer.json();
    form.elements.seen.value = seen;
    if (form.elements.name.value === name) form.elements.name.value = named;
    stored = Math.max(stored, state);
    fails = false;
    say(text, draft);
    document.dispatchEvent(new Event("session:used"));
    if (typed === stored) form.dispatchEvent(new Event("form:stored", { bubbles: true }));
  } catch (error) {
    fails = true;
    const text = form.getAttribute(`data-unsaved-${error.message}`);
    if (text && error.message !== "401") refused = state; // the same would be refused again
    say(text || form.dataset.unsaved, true);
  }
  if (sending === state) sending = 0;
  if (typed !== stored && typed !== refused) plan(fails ? again : pause);
}

for (const kind of ["input", "change"]) {
  document.addEventListener(kind, (event) => {
    if (event.target !== form && event.target.form !== form) return;
    typed++;
    unsavedSince ??= performance.now();
    if (!fails || refused || isSubmitted) plan(Math.min(pause, Math.max(0, unsavedSince + longest - performance.now())));
    isSubmitted = false;
  });
}
addEventListener("submit", (event) => { if (event.target === form) isSubmitted = !event.defaultPrevented; });
addEventListener("pageshow", () => { isSubmitted = false; });
document.addEventListener("visibilitychange", () => document.hidden && save(true));
addEventListener("pagehide", () => save(true));
addEventListener("beforeunload", (event) => {
  if (isSubmitted || typed === stored) return;
  const isLate = sending && performance.now() - sendingSince > pause;
  if (fails || isLate || sent().toString().length >= largest) event.preventDefault();
});
