// The reference page: the reader's key and List in the examples, search, and a button that sends a call. The key is kept
// in sessionStorage, which the browser deletes with the tab.
"use strict";

const find = (id) => document.getElementById(id);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const endpoint = new URL("jsonrpcserver", location.href);

// The examples show the address of this server.
for (const element of all(".origin")) {
  element.textContent = endpoint.href.slice(0, -"/api/jsonrpcserver".length);
}

function showKey() {
  for (const element of all(".key")) {
    element.textContent = find("key").value || "YOUR-KEY";
  }
}

function showLanguage() {
  for (const element of all(".snippet")) {
    const chosen = element.dataset.language === find("language").value;
    element.open = chosen;
    element.classList.toggle("away", !chosen);
  }
}

function search() {
  const words = find("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const article of all(".chapter article")) {
    const text = article.querySelector(".words").textContent.toLowerCase();
    const found = words.every((word) => text.includes(word));
    article.classList.toggle("away", !found);
    const link = document.querySelector(`nav a[href="#${article.id}"]`);
    link.parentElement.classList.toggle("away", !found);
  }
  for (const chapter of all(".chapter")) {
    chapter.classList.toggle("away", all("article:not(.away)", chapter).length === 0);
  }
  for (const list of all("nav ul")) {
    const empty = all("li:not(.away)", list).length === 0;
    list.classList.toggle("away", empty);
    list.previousElementSibling.classList.toggle("away", empty);
  }
}

// paramsOf returns the parameters of an example with the reader's List, and with times that lie a day ahead.
function paramsOf(element) {
  const params = element.dataset.params.replaceAll("TOMORROW", Math.floor(Date.now() / 1000) + 86400);
  return element.dataset.list ? params.replace(/^\[\d+/, "[" + (Number(find("list").value) || 1)) : params;
}

// addForm adds a form that sends the call of one method.
function addForm(element) {
  const details = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = "Try it";
  const label = document.createElement("label");
  label.textContent = "Parameters after the key";
  const params = document.createElement("textarea");
  params.spellcheck = false;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = element.dataset.writes ? "Send: this changes data" : "Send";
  const output = document.createElement("pre");
  output.setAttribute("aria-live", "polite");
  output.hidden = true;
  label.append(params);
  details.append(summary, label, button, output);
  details.addEventListener("toggle", () => { params.value ||= paramsOf(element); });
  button.addEventListener("click", () => send(element.dataset.method, params.value, output));
  element.append(details);
}

async function send(method, text, output) {
  output.hidden = false;
  output.textContent = "…";
  try {
    const params = [find("key").value, ...JSON.parse(text)];
    const reply = await fetch(endpoint + "?strict=1", {method: "POST", body: JSON.stringify({id: 1, method, params})});
    const body = await reply.text();
    try {
      output.textContent = JSON.stringify(JSON.parse(body), null, 2).slice(0, 100000);
    } catch {
      output.textContent = body;
    }
  } catch (error) {
    output.textContent = String(error);
  }
}

find("yours").hidden = false;
find("yours").addEventListener("submit", (event) => event.preventDefault());
find("key").value = sessionStorage.getItem("api_key") || "";
find("key").addEventListener("input", () => {
  sessionStorage.setItem("api_key", find("key").value);
  showKey();
});
find("list").addEventListener("input", showList);
find("language").addEventListener("input", showLanguage);
find("search").addEventListener("input", search);

function showList() {
  for (const element of all(".list")) {
    element.textContent = Number(find("list").value) || 1;
  }
}

for (const element of all(".try")) {
  addForm(element);
}
showKey();
showList();
showLanguage();
