// The mail below the editor follows what is typed, without saving it: the form is sent to another frame, which takes the
// place of the shown one when it is ready. A frame that was shown keeps no place in the history of the browser.
import {element} from "./bars.js";

const pause = 120; // milliseconds after the last key

// newLive keeps the mail up to date.
export function newLive(form, listPath) {
	if (!document.querySelector("iframe.mail.six")) return; // there is no mail to show
	let timer = 0, number = 0, busy = false, again = false;

	function show() {
		if (busy) return again = true;
		busy = true;
		again = false;
		const shown = document.querySelector("iframe.mail.six"), name = `mail-${++number}`;
		const next = element("iframe", {sandbox: "", title: shown.title, class: shown.className, name});
		Object.assign(next.style, {position: "absolute", visibility: "hidden", width: shown.offsetWidth + "px"});
		const sent = element("form", {method: "post", action: `${form.getAttribute("action")}/mail`, target: name, hidden: ""},
			...[...new FormData(form)].map(([key, value]) => element("textarea", {name: key}, value)));
		shown.after(next);
		document.body.append(sent);
		next.addEventListener("load", () => {
			next.removeAttribute("style");
			shown.remove();
			sent.remove();
			busy = false;
			document.dispatchEvent(new Event("mail:shown"));
			if (again) show();
		});
		sent.submit();
	}

	const soon = () => {
		clearTimeout(timer);
		timer = setTimeout(show, pause);
	};
	for (const kind of ["input", "change"]) document.addEventListener(kind, event => (event.target === form || event.target.form === form) && soon());

	// The input of a Contact offers addresses that contain what is typed.
	const contact = form.elements.contact, offered = contact?.list;
	if (!offered) return;
	const offer = async () => {
		const query = new URLSearchParams({list: form.elements.list.value, q: contact.value});
		const answer = await fetch(`${listPath}?${query}`).catch(() => null);
		if (answer?.ok) offered.replaceChildren(...(await answer.json()).map(value => element("option", {value})));
	};
	let asked = 0;
	contact.addEventListener("input", () => {
		clearTimeout(asked);
		asked = setTimeout(offer, 150);
	});
	contact.addEventListener("focus", offer);
}
