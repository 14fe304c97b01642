// An input that belongs to a choice chooses it when a person types. The server does the same without this script.
document.addEventListener("input", (event) => {
  const choice = document.getElementById(event.target.dataset.chooses || "");
  if (choice) choice.checked = true;
});

// Only a script knows the time zone of the browser. The person sees it chosen, and saves it.
for (const choice of document.querySelectorAll("select[data-zone]")) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!zone) continue;
  if (![...choice.options].some((o) => o.value === zone)) choice.add(new Option(zone, zone)); // an older name
  choice.value = zone;
}
