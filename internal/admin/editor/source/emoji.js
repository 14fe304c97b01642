// A choice of emoji for a line of text: those of newsletters. Others come from the keyboard of the system. The arrow keys go from
// one to the next, Enter takes one, Escape goes back to the text, and Tab goes on from there.
import {element, roving} from "./bars.js";

const all = "😀 😊 😍 🥳 😉 🤔 😢 🙏 👋 👍 👏 💪 ❤️ 💚 ✨ ⭐ 🔥 🎉 🎁 🎈 🎄 🎃 🐣 🌸 🌻 🌱 🍂 ❄️ ☀️ 🌈 📣 📅 ⏰ ⏳ ✅ ❗ ❓ 💡 📖 📰 ✉️ 🛒 🏷️ 💶 🚚 🎵 ⚽ 🚲 ☕ 🍰".split(" ");

// emojiButton returns the button beside an input.
export function emojiButton(input, label) {
	const button = element("button", {type: "button", class: "plain canvas-smile", title: label, "aria-label": label, "aria-haspopup": "true", "aria-expanded": "false", onclick: () => box ? close() : open()}, "😀");
	let box = null;
	const close = () => {
		box?.remove();
		box = null;
		button.setAttribute("aria-expanded", "false");
		removeEventListener("pointerdown", outside, true);
	};
	const outside = event => box.contains(event.target) || event.target === button || close();
	const take = emoji => {
		close();
		input.focus();
		input.setRangeText(emoji, input.selectionStart, input.selectionEnd, "end");
		input.dispatchEvent(new Event("input", {bubbles: true}));
	};
	function open() {
		box = element("div", {class: "canvas-emoji", role: "toolbar", "aria-label": label, onkeydown: event => {
			if (event.key === "Escape" || event.key === "Tab") close(), input.focus();
		}}, ...all.map(e => element("button", {type: "button", class: "plain", onclick: () => take(e)}, e)));
		roving(box);
		button.after(box);
		button.setAttribute("aria-expanded", "true");
		addEventListener("pointerdown", outside, true);
		box.firstChild.focus();
	}
	return button;
}
