// An input that belongs to a choice chooses it when a person types. The server does the same without this script.
document.addEventListener("input", (event) => {
  const choice = document.getElementById(event.target.dataset.chooses || "");
  if (choice) choice.checked = true;
});
