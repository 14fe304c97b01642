// The panel beside the mail: what can be done with the block of the cursor, and what is not typed into the mail itself,
// such as where a button leads.
import {NodeSelection, TextSelection} from "prosemirror-state";
import {isSample, schema} from "./schema.js";
import {blockAt, copy, move, onTable, remove, setAttribute, setHead, setShares} from "./keys.js";
import {icon} from "./icons.js";
import {theme} from "./looks.js";
import {networkOf, networks} from "./social.js";
import {newCropper} from "./crop.js";
import {element, missing, nameOf, openMenu, withScheme} from "./bars.js";

const layouts = ["50,50", "33,67", "67,33", "25,75", "75,25", "33,33,33", "25,50,25"];

// newPanel returns the panel. wrongAt says what the server has refused at a place.
export function newPanel(view, data, {announce, wrongAt, isRefused, uploads, pathOf}) {
	const {texts, images, may_upload, saved, conditions} = data;
	const dom = element("aside", {class: "canvas-panel", "aria-label": texts.panel});
	let shown = null; // the block that the panel shows
	let unchanged = null; // the columns whose number could not be changed
	const inputs = []; // each with what it shows of a block
	let open = false; // the colours are shown

	const act = (key, label, command) => element("button", {type: "button", title: texts[key], "aria-label": texts[key], "data-do": key, onclick: () => {
		if (!command(view.state, view.dispatch)) return;
		const at = blockAt(view.state);
		announce(at ? `${nameOf(texts, at.node)}: ${at.index + 1} / ${at.parent.childCount}` : "");
		dom.querySelector(`[data-do=${key}]:enabled`)?.focus();
	}}, label);

	const set = (key, value) => shown && setAttribute(view, shown.pos, key, value);

	const input = (key, label, {number, choose, most = 2000, ...more} = {}) => {
		const read = () => number ? Math.max(0, Math.min(most, parseInt(field.value, 10) || 0)) : field.value;
		const field = choose || element("input", {type: "text", ...number && {inputmode: "numeric"}, ...more});
		field.addEventListener(choose ? "change" : "input", () => set(key, choose && number ? +field.value : read()));
		if (key === "link") field.addEventListener("change", () => set(key, field.value = withScheme(field.value)));
		inputs.push([node => node.attrs[key], field]);
		return element("label", {}, label, field);
	};

	const choice = options => element("select", {}, ...options.map(([value, text]) => element("option", {value}, text)));

	// parts returns the inputs of a block.
	function parts(node) {
		const link = () => input("link", texts.leads, {placeholder: texts.example_link, inputmode: "url"});
		const picture = () => [images.length ? pictures(node) : null, may_upload ? fromComputer() : element("p", {class: "second"}, texts.no_image), input("alt", texts.alt), decoration(), cropper(node), node.attrs.url && !isSample(node.attrs.url) ? input("url", texts.url) : null];
		switch (node.type.name) {
		case "image": return [...picture(), input("width", texts.width, {number: true}), input("caption", texts.caption), link()];
		case "video": return [...picture(), link(), element("p", {class: "second"}, texts.video_note)];
		case "card": return [...picture(), link(), input("place", texts.place, {choose: choice([["", texts.place_above], ["left", texts.place_left], ["right", texts.place_right]])})];
		case "button": return [link()];
		case "menu": case "social": return [items(node)];
		case "table": return [tableTools(), head()];
		case "heading": return [input("level", texts.size, {number: true, choose: choice([[1, texts.style_1], [2, texts.style_2], [3, texts.style_3]])})];
		case "columns": return [layout(node)];
		case "space": return [input("height", texts.height, {number: true, most: 300})];
		case "field": return [input("fallback", texts.fallback), element("p", {class: "second"}, texts.fallback_note)];
		case "markdown": return [element("p", {class: "second"}, texts.markdown_note)];
		}
		return [];
	}

	const sharesOf = node => Array.from({length: node.childCount}, (_, i) => node.child(i).attrs.share).join();

	function layout(node) {
		const own = sharesOf(node), all = layouts.includes(own) ? layouts : [...layouts, own];
		const field = choice(all.map(s => [s, s.replaceAll(",", " : ")]));
		field.addEventListener("change", () => {
			if (setShares(view, shown.pos, field.value.split(",").map(Number))) return;
			field.value = sharesOf(shown.node);
			unchanged = shown.node;
			dom.querySelector(".wrong").textContent = texts.columns_kept;
		});
		inputs.push([sharesOf, field]);
		return element("label", {}, texts.shares, field);
	}

	const tableTools = () => element("div", {class: "canvas-cells", role: "group", "aria-label": texts.table},
		...[["row", 1], ["row", -1], ["column", 1], ["column", -1]].map(([what, step]) => element("button", {type: "button", "data-do": `${what}${step}`, onclick: () => {
			onTable(what, step)(view.state, view.dispatch);
			view.focus();
		}}, texts[`${what}_${step > 0 ? "add" : "remove"}`])));

	function head() {
		const field = element("input", {type: "checkbox", onchange: () => shown && setHead(view, shown.pos, field.checked)});
		inputs.push([node => node.child(0).child(0).attrs.head, field]);
		return element("label", {class: "tick"}, field, " ", texts.head);
	}

	// items returns the inputs of the links of a menu or of social links.
	function items(node) {
		const isMenu = node.type === schema.nodes.menu;
		const change = fn => {
			const all = view.state.doc.nodeAt(shown.pos).attrs.items.map(i => ({...i}));
			fn(all);
			set("items", all);
		};
		const line = (item, i) => {
			const field = (key, label, more) => {
				const e = element("input", {type: "text", "aria-label": `${label} ${i + 1}`, placeholder: label, ...more, oninput: () => change(all => all[i][key] = e.value)});
				if (key === "link") e.addEventListener("change", () => change(all => all[i].link = e.value = withScheme(e.value)));
				inputs.push([n => n.attrs.items[i]?.[key] ?? "", e]);
				return e;
			};
			const network = isMenu ? null : element("select", {"aria-label": `${texts.network} ${i + 1}`, onchange: () => change(all => all[i].network = network.value)},
				...networks.map(n => element("option", {value: n.name}, n.title)));
			if (network) inputs.push([n => n.attrs.items[i] ? networkOf(n.attrs.items[i]).name : "", network]);
			return element("div", {class: "canvas-item"}, isMenu ? field("text", texts.link_text) : network, field("link", texts.example_link, {inputmode: "url"}),
				element("button", {type: "button", title: texts.remove, "aria-label": `${texts.remove} ${i + 1}`, onclick: () => {
					change(all => all.splice(i, 1));
					dom.querySelectorAll(".canvas-items button")[i].focus(); // of the next link, or the one that adds
				}}, icon("remove")));
		};
		return element("div", {class: "canvas-items"}, ...node.attrs.items.map(line), element("button", {type: "button", disabled: node.attrs.items.length >= 20, onclick: () => {
			change(all => all.push({network: "", text: "", link: ""}));
			[...dom.querySelectorAll(".canvas-items input")].at(-1).focus();
		}}, texts.add_link));
	}

	function decoration() {
		const field = element("input", {type: "checkbox", onchange: () => set("decoration", field.checked)});
		inputs.push([n => n.attrs.decoration, field]);
		return element("label", {class: "tick"}, field, " ", texts.decoration);
	}

	// cropper returns the inputs of the part of a file that is shown.
	function cropper({attrs: {file}}) {
		if (!file) return null;
		const crop = newCropper(texts, file, text => set("crop", text));
		inputs.push([n => n.attrs.crop, crop]);
		return crop.dom;
	}

	// looks returns the inputs of what the block has in place of the theme.
	function looks(node) {
		const type = node.type.name;
		if (["field", "space", "markdown"].includes(type)) return null;
		const colour = (key, usual) => {
			const field = element("input", {type: "color", oninput: () => set(key, field.value)});
			const none = element("button", {type: "button", title: texts.as_theme, "aria-label": `${texts[key]}: ${texts.as_theme}`, onclick: () => {
				set(key, "");
				field.focus();
			}}, "×");
			inputs.push([n => {
				none.disabled = !n.attrs[key];
				field.classList.toggle("unset", !n.attrs[key]);
				return n.attrs[key] || usual;
			}, field]);
			return element("label", {class: "canvas-colour"}, texts[key], element("span", {}, field, none));
		};
		const isFilled = ["button", "video"].includes(type);
		const details = element("details", {class: "canvas-more", open, ontoggle: () => open = details.open}, element("summary", {}, texts.looks),
			colour("colour", isFilled ? "#ffffff" : theme.text), type === "line" ? null : colour("ground", isFilled ? theme.accent : theme.card),
			input("padding", texts.padding, {number: true, most: 100}), input("corner", texts.corner, {number: true, most: 60}));
		return details;
	}

	// who returns what leads to the page that chooses who sees a block, and its column.
	function who(at) {
		const of = (rest, key, path, text) => [rest[key] ? element("p", {class: "second"}, texts.some.replace("\ue000", conditions[JSON.stringify(rest[key])] || "…")) : null,
			element("button", {name: "do", class: "plain", onclick: event => event.target.value = `condition:${path()}`}, text)];
		const {parent, pos} = at, column = parent.type.name === "column" && view.state.doc.resolve(pos);
		const side = () => pathOf(pos).split(".").slice(0, 2).join(".");
		return [...of(at.node.attrs.rest || {}, "show_if", () => pathOf(pos), texts.who),
			...column ? of(column.node(1).attrs.rest, `${side().split(".")[1]}_if`, side, texts.who_column) : []].filter(Boolean);
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
		const all = images.map(i => element("button", {type: "button", title: i.name, "aria-label": i.name, "aria-pressed": String(node.attrs.file === i.id), onclick: () => {
			const {pos} = shown, tr = view.state.tr;
			const old = view.state.doc.nodeAt(pos).attrs;
			const attrs = {...old, file: i.id, url: "", crop: "", width: Math.min(i.width, 2000), ...isSample(old.url) && {alt: ""}};
			view.dispatch(tr.setNodeMarkup(pos, null, attrs).setSelection(NodeSelection.create(tr.doc, pos)));
			shown = null;
			update();
			dom.querySelector("[aria-pressed=true]")?.focus();
		}}, element("img", {src: `/admin/images/${i.id}?w=240`, alt: "", loading: "lazy"})));
		return element("fieldset", {class: "pictures"}, element("legend", {}, texts.image), ...all);
	}

	// isSame reports whether the inputs of a block fit another one.
	const isSame = (a, b) => a.pos === b.pos && a.node.type === b.node.type && a.node.attrs.file === b.node.attrs.file && a.node.attrs.items?.length === b.node.attrs.items?.length;

	// update shows the block of the cursor. The focus stays in the panel if the button or input that has it goes away, or is of no
	// use any more.
	function update() {
		const hadFocus = dom.contains(document.activeElement);
		show();
		const at = document.activeElement;
		if (hadFocus && (!dom.contains(at) || at.matches(":disabled"))) dom.querySelector(":enabled")?.focus();
	}

	function show() {
		const {selection} = view.state, isField = selection instanceof NodeSelection && selection.node.type === schema.nodes.field;
		const at = blockAt(view.state);
		const now = isField ? {node: selection.node, pos: selection.from} : at;
		if (!now || !shown || !isSame(now, shown)) draw(now, at, isField);
		shown = now;
		if (!now) return;
		for (const [get, field] of inputs) {
			const value = get(now.node);
			if (field.type === "checkbox") field.checked = value;
			else if (document.activeElement !== field || field.type === "color") field.value = value;
		}
		for (const b of dom.querySelectorAll("[data-do=up], [data-do=down]")) b.disabled = !move(b.dataset.do === "up" ? -1 : 1)(view.state);
		for (const b of dom.querySelectorAll(".canvas-cells button")) b.disabled = !onTable(b.dataset.do.replace(/-?\d/, ""), +b.dataset.do.replace(/[a-z]/g, ""))(view.state);
		const wrong = wrongAt(now.pos), says = dom.querySelector(".wrong");
		says?.classList.toggle("mild", !isRefused(now.pos));
		if (says) says.textContent = unchanged === now.node ? texts.columns_kept : wrong || missing(texts, now.node);
	}

	function draw(now, at, isField) {
		inputs.length = 0;
		const add = element("button", {type: "button", class: "canvas-add", "aria-haspopup": "menu", onclick: () => openMenu(view, data, add, null)}, texts.add);
		if (!now) return dom.replaceChildren(element("p", {class: "second"}, texts.no_block), add);
		dom.replaceChildren(element("h2", {}, isField ? `${texts.field_title}: ${now.node.attrs.name}` : nameOf(texts, now.node)), element("div", {class: "row", role: "group", "aria-label": nameOf(texts, at.node)},
			act("up", icon("up"), move(-1)), act("down", icon("down"), move(1)), act("copy", icon("copy"), copy), act("remove", icon("remove"), remove)),
		...[...parts(now.node), looks(now.node), saved.form(at)].filter(Boolean), ...isField ? [] : who(at), element("p", {class: "wrong", role: "alert"}), add);
	}

	// No key sends the form from an input of the panel.
	dom.addEventListener("keydown", event => {
		const isInput = event.key === "Enter" && event.target.nodeName === "INPUT", {selection, tr} = view.state;
		if (isInput) event.preventDefault();
		if (isInput && selection.node?.type === schema.nodes.field) { // the text goes on behind the merge field
			view.dispatch(tr.setSelection(TextSelection.create(tr.doc, selection.to)));
			view.focus();
		}
		if (event.key === "Escape") view.focus();
	});
	return {dom, update};
}
