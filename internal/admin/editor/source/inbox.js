// The preview text above the mail, and how a phone shows sender, subject and preview text in its list of mails.
import {element} from "./bars.js";

// newInbox returns the elements and the text. It writes lengths below the subject, too.
export function newInbox(form, {texts, sender, blocks}, changed) {
	const {subject, from_name: name} = form.elements;
	const input = element("input", {type: "text", maxlength: 200, value: blocks.find(b => b.type === "preheader")?.text || ""});
	const count = element("small", {}), subjectCount = element("small", {}), shown = ["b", "span", "span"].map(e => element(e));
	shown[2].className = "second";
	const plain = text => text.replace(/\{\{[^{}|]*\|([^{}]*)\}\}/g, "$1").replace(/\{\{([^{}]*)\}\}/g, "$1");
	const letters = text => `${[...plain(text)].length} ${texts.letters}`;
	const update = () => {
		count.textContent = letters(input.value);
		subjectCount.textContent = letters(subject.value);
		[name?.value || sender, subject.value, input.value].forEach((text, i) => shown[i].textContent = plain(text));
	};
	input.addEventListener("keydown", event => event.key === "Enter" && event.preventDefault());
	input.addEventListener("input", () => {
		update();
		changed();
	});
	for (const e of [subject, name]) e?.addEventListener("input", update);
	subject.after(subjectCount);
	update();
	return {
		dom: element("div", {class: "canvas-inbox"}, element("label", {}, texts.preheader, input, count, " · ", element("small", {}, texts.preheader_note)),
			element("div", {class: "canvas-phone", role: "group", "aria-label": texts.on_phone}, ...shown)),
		// blocks returns the text as a block, if there is one.
		blocks: () => input.value.trim() ? [{type: "preheader", text: input.value.trim()}] : [],
		text: () => input.value,
		set(text) {
			input.value = text;
			update();
		},
	};
}
