// The panel beside the mail: what can be done with the block of the cursor, and what is not typed into the mail itself,
// such as where a button leads.
import {NodeSelection} from "prosemirror-state";
import {schema} from "./schema.js";
import {blockAt, copy, move, remove, setAttribute} from "./keys.js";
import {icon} from "./icons.js";
import {element, missing, nameOf, openMenu, withScheme} from "./bars.js";

// newPanel returns the panel. wrongAt says what the server has refused at a place.
export function newPanel(view, {texts, images, may_upload}, {announce, wrongAt, uploads}) {
	const dom = element("aside", {class: "canvas-panel", "aria-label": texts.panel});
	let shown = null; // the block that the panel shows
	const inputs = []; // with the attribute that each has

	const act = (key, label, command) => element("button", {type: "button", title: texts[key], "aria-label": texts[key], "data-do": key, onclick: event => {
		if (!command(view.state, view.dispatch)) return;
		const at = blockAt(view.state);
		announce(at ? `${nameOf(texts, at.node)}: ${at.index + 1} / ${at.parent.childCount}` : "");
		(dom.querySelector(`[data-do=${key}]`) || event.target).focus();
	}}, label);

	const input = (key, label, {number, choose, ...more} = {}) => {
		const read = () => number ? Math.max(0, Math.min(2000, parseInt(field.value, 10) || 0)) : field.value;
		const field = choose || element("input", {type: "text", ...number && {inputmode: "numeric"}, ...more});
		field.addEventListener(choose ? "change" : "input", () => shown && setAttribute(view, shown.pos, key, choose && key !== "align" ? +field.value : read()));
		if (key === "link") field.addEventListener("change", () => shown && setAttribute(view, shown.pos, key, field.value = withScheme(field.value)));
		inputs.push([key, field]);
		return element("label", {}, label, field);
	};

	const choice = options => element("select", {}, ...options.map(([value, text]) => element("option", {value}, text)));

	// parts returns the inputs of a block.
	function parts(node) {
		const link = () => input("link", texts.leads, {placeholder: texts.example_link, inputmode: "url"});
		switch (node.type.name) {
		case "image": return [
			images.length ? pictures(node) : null, may_upload ? fromComputer() : element("p", {class: "second"}, texts.no_image),
			input("alt", texts.alt), input("width", texts.width, {number: true}), link(), node.attrs.url ? input("url", texts.url) : null];
		case "button": return [link()];
		case "heading": return [input("level", texts.size, {choose: choice([[1, texts.style_1], [2, texts.style_2], [3, texts.style_3]])})];
		case "space": return [input("height", texts.height, {number: true})];
		case "field": return [input("fallback", texts.fallback), element("p", {class: "second"}, texts.fallback_note)];
		case "markdown": return [element("p", {class: "second"}, texts.markdown_note)];
		}
		return [];
	}

	// fromComputer returns an input for a file of the computer.
	function fromComputer() {
		const file = element("input", {type: "file", accept: "image/png,image/jpeg,image/gif,image/webp", onchange: () => {
			if (shown && file.files.length) uploads.add([...file.files], shown.pos, true);
		}});
		return element("label", {}, texts.upload, file);
	}

	// pictures returns the images of the Account, to choose one.
	function pictures(node) {
		const all = images.map(i => element("button", {type: "button", title: i.name, "aria-label": i.name, "aria-pressed": node.attrs.file === i.id, onclick: () => {
			const {pos} = shown, tr = view.state.tr;
			const attrs = {...view.state.doc.nodeAt(pos).attrs, file: i.id, url: "", width: Math.min(i.width, 2000)};
			view.dispatch(tr.setNodeMarkup(pos, null, attrs).setSelection(NodeSelection.create(tr.doc, pos)));
			shown = null;
			update();
			dom.querySelector("[aria-pressed=true]")?.focus();
		}}, element("img", {src: `/admin/images/${i.id}`, alt: "", loading: "lazy"})));
		return element("fieldset", {class: "pictures"}, element("legend", {}, texts.image), ...all);
	}

	function update() {
		const {selection} = view.state, isField = selection instanceof NodeSelection && selection.node.type === schema.nodes.field;
		const at = blockAt(view.state);
		const now = isField ? {node: selection.node, pos: selection.from} : at;
		if (!now || !shown || now.pos !== shown.pos || now.node.type !== shown.node.type || now.node.attrs.file !== shown.node.attrs.file) draw(now, at, isField);
		shown = now;
		if (!now) return;
		for (const [key, field] of inputs) if (document.activeElement !== field) field.value = now.node.attrs[key];
		for (const b of dom.querySelectorAll("[data-do=up], [data-do=down]")) b.disabled = !move(b.dataset.do === "up" ? -1 : 1)(view.state);
		const wrong = wrongAt(now.pos), says = dom.querySelector(".wrong");
		if (says) says.textContent = wrong ? wrong.text : missing(texts, now.node);
	}

	function draw(now, at, isField) {
		inputs.length = 0;
		const add = element("button", {type: "button", class: "canvas-add", "aria-haspopup": "menu", onclick: () => openMenu(view, texts, add, null)}, texts.add);
		if (!now) return dom.replaceChildren(element("p", {class: "second"}, texts.no_block), add);
		dom.replaceChildren(element("h2", {}, isField ? `${texts.field_title}: ${now.node.attrs.name}` : nameOf(texts, now.node)), element("div", {class: "row", role: "group", "aria-label": nameOf(texts, at.node)},
			act("up", icon("up"), move(-1)), act("down", icon("down"), move(1)), act("copy", icon("copy"), copy), act("remove", icon("remove"), remove)),
		...parts(now.node).filter(Boolean), element("p", {class: "wrong", role: "alert"}), add);
	}

	// No key sends the form from an input of the panel.
	dom.addEventListener("keydown", event => {
		if (event.key === "Enter" && event.target.nodeName === "INPUT") event.preventDefault();
		if (event.key === "Escape") view.focus();
	});
	return {dom, update};
}
