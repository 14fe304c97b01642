// Says some minutes before the session ends that it will, and keeps it alive at the press of a button. Requests of other
// tabs keep it alive too, so the tabs share the time of the last one. Without this script nothing typed is lost either:
// the sign-in keeps it.
const session = document.querySelector("[data-session]");
const warnedBefore = 5 * 60 * 1000;
const lastEnd = Date.now() + 1000 * session.dataset.longest; // which no request moves

// What a browser without storage knows is what this tab knows.
const shared = {
  get end() {
    try { return Math.max(this.own, Number(localStorage.getItem("session-end"))); } catch { return this.own; }
  },
  set end(time) {
    this.own = time;
    try { localStorage.setItem("session-end", time); } catch { /* it is this tab's alone */ }
  },
};

function used() {
  shared.end = Date.now() + 1000 * session.dataset.idle;
  look();
}

function look() {
  const left = Math.min(shared.end, lastEnd) - Date.now();
  session.hidden = left > warnedBefore;
  const state = left <= 0 ? "ended" : lastEnd - Date.now() <= warnedBefore ? "last" : "soon";
  for (const part of session.children) part.hidden = part.dataset.state !== state;
}

session.querySelector("button").addEventListener("click", async () => {
  const answer = await fetch("/admin/stay", { method: "POST", headers: { "HX-Request": "true" } });
  if (answer.ok) return used();
  if (answer.status === 401) shared.end = shared.own = 0;
  look();
});
document.addEventListener("htmx:afterOnLoad", used);
document.addEventListener("session:used", used); // another script has sent a request
used();
setInterval(look, 10 * 1000);
