// A picker without this script is a search with a button, and boxes to tick. With it, the search works while a user types,
// as the combobox pattern of ARIA says: the arrow keys go through what was found, Enter chooses, Escape empties the search.
const search = (box) => box.querySelector("input[type=search]");
const found = (box) => box.querySelector("[data-found]");

// as puts what an element has into a new one of another name, in its place.
function as(name, old) {
  const e = document.createElement(name);
  e.append(...old.childNodes);
  old.replaceWith(e);
  return e;
}

// asOptions makes the boxes that were found options of the combobox.
function asOptions(box) {
  const list = found(box);
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", search(box).closest("label").textContent.trim());
  if (list.querySelector("[type=checkbox]")) list.setAttribute("aria-multiselectable", "true");
  [...list.children].forEach((label, n) => {
    const option = as("div", label); // a label may have no role
    option.setAttribute("role", "option");
    option.id = list.id + "-" + n;
    option.setAttribute("aria-selected", "false");
    option.querySelector("input").hidden = true;
  });
  if (!list.children.length) list.removeAttribute("role");
  search(box).setAttribute("aria-expanded", String(list.children.length > 0));
  activate(box, null);
}

function activate(box, option) {
  for (const other of found(box).children) other.classList.toggle("active", other === option);
  if (option) {
    search(box).setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  } else {
    search(box).removeAttribute("aria-activedescendant");
  }
}

// load sends the form as the button would, and takes what was found from the page that answers.
async function load(box) {
  const button = box.querySelector("button[name=pick]");
  const form = button.form;
  const data = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === "string") data.append(name, value);
  data.append("pick", button.value);
  const get = (button.getAttribute("formmethod") || form.method) === "get";
  const url = new URL(button.getAttribute("formaction") || form.getAttribute("action") || location.href, location.href);
  if (get) url.search = data;
  const asked = (box.asked = Symbol());
  const reply = await fetch(url, get ? {} : { method: "post", body: data }).catch(() => null);
  if (!reply || box.asked !== asked) return; // the user has typed on
  const page = new DOMParser().parseFromString(await reply.text(), "text/html").getElementById(box.id);
  if (!page || box.asked !== asked) return;
  const isChosen = (label) => [...box.querySelectorAll("[data-chosen] input:checked")].some((input) =>
    input.value === label.querySelector("input").value);
  found(box).replaceChildren(...[...found(page).children].filter((label) => !isChosen(label)));
  box.querySelector("[data-more]").textContent = page.querySelector("[data-more]").textContent;
  asOptions(box);
}

// choose moves an option to the chosen ones. Of several radio buttons, only the last one stays.
function choose(box, option) {
  const input = option.querySelector("input");
  const chosen = box.querySelector("[data-chosen]");
  if (input.type === "radio") chosen.replaceChildren();
  const label = as("label", option);
  label.className = "check";
  input.hidden = false;
  input.checked = true;
  chosen.append(label);
  asOptions(box);
  search(box).focus();
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

function keys(box, event) {
  const options = [...found(box).children];
  const at = options.findIndex((option) => option.classList.contains("active"));
  switch (event.key) {
    case "ArrowDown":
      activate(box, options[Math.min(at + 1, options.length - 1)]);
      break;
    case "ArrowUp":
      activate(box, options[at - 1]);
      break;
    case "Enter": // never sends the form
      if (at >= 0) choose(box, options[at]);
      break;
    case "Escape":
      search(box).value = "";
      load(box);
      break;
    default:
      return;
  }
  event.preventDefault();
}

function begin(box) {
  const input = search(box);
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-autocomplete", "list");
  input.setAttribute("aria-controls", found(box).id);
  box.querySelector("button[name=pick]").hidden = true;
  input.addEventListener("input", () => {
    clearTimeout(box.timer);
    box.timer = setTimeout(() => load(box), 150);
  });
  input.addEventListener("keydown", (event) => keys(box, event));
  // A browser sends a form at keypress, which some dispatch although keydown has been answered.
  input.addEventListener("keypress", (event) => event.key === "Enter" && event.preventDefault());
  found(box).addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (!option) return;
    event.preventDefault();
    choose(box, option);
  });
  asOptions(box);
}

for (const box of document.querySelectorAll("[data-picker]")) begin(box);
