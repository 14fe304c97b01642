// The preview text above the mail, the lengths of what an inbox shows, and how a phone shows it in its list of mails.
import {element} from "./bars.js";
import {emojiButton} from "./emoji.js";

// newInbox begins to count what is typed. A mail of blocks has a preview text, whose input this script adds.
export function newInbox(form, {texts, sender, blocks}) {
	const {subject, from_name: name} = form.elements, shown = document.querySelector(".canvas-phone").children;
	const input = blocks && element("input", {type: "text", maxlength: 200, value: blocks.find(b => b.type === "preheader")?.text || ""});
	const all = [name, subject, input].filter(Boolean), counts = all.map(() => element("small", {}));
	const plain = text => text.replace(/\{\{[^{}|]*\|([^{}]*)\}\}/g, "$1").replace(/\{\{([^{}]*)\}\}/g, "$1");
	const update = () => all.forEach((field, i) => {
		counts[i].textContent = texts.count.replace("\ue000", [...plain(field.value)].length);
		shown[i].textContent = plain(field.value || (field === name ? sender : ""));
	});
	if (input) {
		input.addEventListener("keydown", event => event.key === "Enter" && event.preventDefault());
		name.closest("label").after(element("label", {}, texts.preheader, input));
	}
	all.forEach((field, i) => {
		field.closest("label").after(element("div", {class: "canvas-count"}, counts[i], field === name ? null : emojiButton(field, texts.emoji), field === input ? element("small", {}, texts.preheader_note) : null));
		field.addEventListener("input", update);
	});
	update();
	return {
		// blocks returns the text as a block, if there is one.
		blocks: () => input.value.trim() ? [{type: "preheader", text: input.value.trim()}] : [],
		text: () => input.value,
		set(text) {
			input.value = text;
			update();
		},
	};
}
