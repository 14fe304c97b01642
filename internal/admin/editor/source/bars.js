// The toolbar above the mail, the menu of blocks, and the window for a link. All are buttons outside of the text, which
// keys reach too: the arrow keys go from button to button.
import {NodeSelection} from "prosemirror-state";
import {toggleMark, setBlockType, wrapIn, lift} from "prosemirror-commands";
import {undo, redo, undoDepth, redoDepth} from "prosemirror-history";
import {liftListItem, wrapInList} from "prosemirror-schema-list";
import {icon} from "./icons.js";
import {schema} from "./schema.js";
import {addBelow, blockAt, insertAt, setAttribute} from "./keys.js";

const {nodes, marks} = schema;

// element returns an element with attributes, of which those that begin with "on" are listeners, and children.
export function element(name, attributes = {}, ...children) {
	const e = document.createElement(name);
	for (const [key, value] of Object.entries(attributes)) {
		if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
		else if (value === true) e.setAttribute(key, "");
		else if (value !== false && value !== undefined && value !== null) e.setAttribute(key, value);
	}
	e.append(...children.filter(c => c !== null && c !== undefined));
	return e;
}

// The types of blocks in the groups of the menu. A type that is not here has the same name among the texts.
const groups = [["words", ["words", "heading", "quote", "table"]], ["pictures", ["image", "video", "card"]], ["links", ["button", "menu", "social"]],
	["layout", ["columns", "columns3", "line", "space", "html"]]];
const keyOf = type => ({words: "text"})[type] || type;

export const nameOf = (texts, node) => texts[keyOf(node.type.name)];

// missing returns what a block needs before the mail is sent, in words: where a button leads, or what a picture shows.
export function missing(texts, {type, attrs}) {
	if ([nodes.button, nodes.video].includes(type) && !attrs.link.trim()) return texts.no_link;
	if (["menu", "social"].includes(type.name) && !attrs.items.some(i => i.link.trim())) return texts.no_links;
	return "alt" in attrs && (attrs.file || attrs.url) && !attrs.alt.trim() && !attrs.decoration ? texts.no_alt : "";
}

const inList = (state, type) => {
	const {$from} = state.selection;
	for (let d = $from.depth; d > 0; d--) if ($from.node(d).type === type) return true;
	return false;
};

// list makes a list of paragraphs, or paragraphs of it.
const list = type => (state, dispatch, view) => {
	if (inList(state, type)) return liftListItem(nodes.list_item)(state, dispatch, view);
	return wrapInList(type)(state, dispatch, view);
};

const quoted = (state, dispatch) => inList(state, nodes.blockquote) ? lift(state, dispatch) : wrapIn(nodes.blockquote)(state, dispatch);

function isMarked(state, type) {
	const {from, to, $from, empty} = state.selection;
	return empty ? !!type.isInSet(state.storedMarks || $from.marks()) : state.doc.rangeHasMark(from, to, type);
}

const aligned = (state, value) => blockAt(state)?.node.attrs.align === value;

// newToolbar returns the toolbar. Its update shows the state of the text.
export function newToolbar(view, {texts, fields, mail}) {
	const shown = [];
	const button = (key, label, command, {pressed, can, asks, ...more} = {}) => {
		const b = element("button", {type: "button", title: texts[key], "aria-label": texts[key], ...more, onclick: () => {
			command(view.state, view.dispatch, view);
			if (!asks) view.focus();
		}}, label);
		shown.push(state => {
			if (pressed) b.setAttribute("aria-pressed", pressed(state));
			b.disabled = !(can || command)(state);
		});
		return b;
	};
	const mark = (key, label, type, name) => button(key, element(name, {}, label), toggleMark(type), {pressed: s => isMarked(s, type)});
	const align = (key, label, value) => button(key, label, (state, dispatch) => {
		const at = blockAt(state);
		if (at && dispatch) setAttribute(view, at.pos, "align", value);
		return !!at && !["columns", "table", "line", "space"].includes(at.node.type.name);
	}, {pressed: s => aligned(s, value)});

	const style = element("select", {"aria-label": texts.style, onchange: () => {
		const level = +style.value;
		const at = blockAt(view.state);
		if (at?.node.type === nodes.heading) setAttribute(view, at.pos, "level", level || 1);
		else (level ? setBlockType(nodes.subheading, {level}) : setBlockType(nodes.paragraph))(view.state, view.dispatch);
		view.focus();
	}}, ...["style_text", "style_1", "style_2", "style_3"].map((key, i) => element("option", {value: i}, texts[key])));
	shown.push(state => {
		const {parent} = state.selection.$from;
		style.disabled = ![nodes.paragraph, nodes.subheading, nodes.heading].includes(parent.type);
		style.options[0].disabled = parent.type === nodes.heading;
		style.value = Math.min(3, parent.attrs.level || 0);
	});

	const field = fields.length > 0 && element("select", {"aria-label": texts.field, onchange: () => {
		const node = schema.node("field", {name: field.value});
		if (field.value) view.dispatch(view.state.tr.replaceSelectionWith(node).scrollIntoView());
		view.focus();
		if (field.value && !/_url$|^list_name$/.test(field.value)) askFallback(view);
		field.value = "";
	}}, element("option", {value: ""}, texts.field), ...fields.map(f => element("option", {value: f.value}, f.text)));
	if (field) shown.push(state => field.disabled = !state.selection.$from.parent.inlineContent || state.selection.$from.parent.type.spec.code);

	const bar = element("div", {class: "canvas-bar", role: "toolbar", "aria-label": texts.toolbar, "aria-controls": mail},
		button("undo", icon("undo"), undo, {can: s => undoDepth(s) > 0}), button("redo", icon("redo"), redo, {can: s => redoDepth(s) > 0}), style,
		mark("bold", "B", marks.strong, "b"), mark("italic", "I", marks.em, "i"), mark("strike", "S", marks.strike, "s"),
		button("link", icon("link"), (state, dispatch) => {
			if (dispatch) askLink(view, texts);
			return state.selection.$from.parent.type.allowsMarkType(marks.link);
		}, {asks: true, pressed: s => isMarked(s, marks.link)}),
		button("bullets", icon("bullets"), list(nodes.bullet_list), {pressed: s => inList(s, nodes.bullet_list)}),
		button("numbers", icon("numbers"), list(nodes.ordered_list), {pressed: s => inList(s, nodes.ordered_list)}),
		button("quoted", icon("quoted"), quoted, {pressed: s => inList(s, nodes.blockquote)}),
		align("left", icon("left"), ""), align("centred", icon("centred"), "center"), align("right", icon("right"), "right"), field || null);
	roving(bar);
	return {dom: bar, update: () => shown.forEach(f => f(view.state))};
}

// startingWith returns the next entry of a menu that begins with a letter.
function startingWith(menu, letter) {
	const all = [...menu.querySelectorAll("button")], at = all.indexOf(document.activeElement) + 1;
	return [...all.slice(at), ...all.slice(0, at)].find(b => b.textContent.toLowerCase().startsWith(letter.toLowerCase()));
}

// openSlash opens the menu for a "/" that is typed into an empty line of a text: the chosen block takes its place.
export function openSlash(view, data) {
	const {$from, empty} = view.state.selection, words = $from.depth > 1 && $from.node(-1);
	if (!empty || !words || words.type !== nodes.words || $from.parent.type !== nodes.paragraph || $from.parent.content.size || $from.indexAfter(-1) !== words.childCount) return false;
	const {left, right, top, bottom} = view.coordsAtPos($from.pos), place = {getBoundingClientRect: () => ({left, right, top, bottom})};
	openMenu(view, data, place, null, () => {
		view.focus();
		view.dispatch(view.state.tr.insertText("/"));
	});
	return true;
}

// roving lets the arrow keys go through the buttons of a toolbar or a menu. WAI-ARIA, toolbar pattern. Up and down open a choice:
// in a closed one, they would take its first entry at once.
export function roving(bar) {
	const all = () => [...bar.querySelectorAll("button, select")].filter(e => !e.disabled);
	bar.addEventListener("keydown", event => {
		const step = {ArrowRight: 1, ArrowLeft: -1}[event.key] || event.target.nodeName !== "SELECT" && {ArrowDown: 1, ArrowUp: -1}[event.key];
		if (event.target.nodeName === "SELECT" && ["ArrowDown", "ArrowUp"].includes(event.key) && event.target.showPicker) {
			event.preventDefault();
			event.target.showPicker();
		}
		if (!step || !bar.contains(event.target) || event.target.nodeName === "INPUT") return;
		const list = all();
		list[(list.indexOf(event.target) + step + list.length) % list.length]?.focus();
		event.preventDefault();
	});
}

// askFallback selects the merge field before the cursor: the panel asks what is shown to those without a value.
function askFallback(view) {
	const {doc, selection, tr} = view.state;
	if (doc.resolve(selection.from).nodeBefore?.type !== nodes.field) return;
	view.dispatch(tr.setSelection(NodeSelection.create(doc, selection.from - 1)));
	document.querySelector(".canvas-panel input")?.focus();
}

// isInLink reports whether the cursor is in a link.
export const isInLink = ({selection: {$from}}) => !!marks.link.isInSet($from.marks());

// askLink asks beside the selected words where they lead. If isLook is true, it only shows this until the cursor leaves the link.
export function askLink(view, texts, isLook) {
	closeAsk();
	const {state} = view, {$from, from, to, empty} = state.selection;
	if (!$from.parent.type.allowsMarkType(marks.link)) return;
	const [begin, end] = empty ? extent($from) : [from, to];
	const mark = marks.link.isInSet($from.marks()) || marks.link.isInSet(state.doc.nodeAt(from)?.marks || []);
	const input = element("input", {type: "text", inputmode: "url", placeholder: texts.example_link, value: mark?.attrs.href || ""});
	const done = href => {
		closeAsk();
		const {tr, selection} = view.state, [from, to] = isLook ? extent(selection.$from) : [begin, end]; // what is only shown may have been typed in
		if (href && from === to) tr.insert(from, schema.text(href, [marks.link.create({href})]));
		else {
			tr.removeMark(from, to, marks.link);
			if (href) tr.addMark(from, to, marks.link.create({href}));
		}
		view.dispatch(tr);
		view.focus();
	};
	const ask = element("div", {class: isLook ? "canvas-ask look" : "canvas-ask", role: "group", "aria-label": texts.link, onkeydown: event => {
		if (event.key === "Enter") event.preventDefault(), done(withScheme(input.value));
		if (event.key === "Escape") closeAsk(), view.focus();
	}}, element("label", {}, texts.leads, " ", input),
	element("button", {type: "button", onclick: () => done(withScheme(input.value))}, texts.apply),
	mark ? element("button", {type: "button", onclick: () => done("")}, texts.unlink) : null);
	const host = view.dom.closest(".canvas-work"), box = host.getBoundingClientRect(), at = view.coordsAtPos(begin), {bottom} = view.coordsAtPos(end);
	host.append(ask);
	ask.style.left = Math.max(0, Math.min(at.left - box.left, box.width - ask.offsetWidth)) + "px";
	ask.style.top = bottom - box.top + 6 + "px";
	addEventListener("pointerdown", outsideAsk, true);
	if (!isLook) input.focus();
}

// closeAsk removes the question for a link.
export function closeAsk() {
	document.querySelector(".canvas-ask")?.remove();
	removeEventListener("pointerdown", outsideAsk, true);
}

const outsideAsk = event => event.target.closest?.(".canvas-ask") || closeAsk();

// withScheme completes an address as people type it.
export function withScheme(text) {
	const to = text.trim();
	if (!to || /^([a-z][a-z0-9+.-]*:|#|\/|\{\{)/i.test(to)) return to;
	return /^[^\s@/]+@[^\s@/]+$/.test(to) ? "mailto:" + to : "https://" + to;
}

// extent returns the link around the cursor, or else the word.
function extent($at) {
	const {parent, parentOffset} = $at, start = $at.start();
	const mark = marks.link.isInSet($at.marks());
	let from = parentOffset, to = parentOffset, offset = 0;
	parent.forEach(child => {
		const end = offset + child.nodeSize;
		if (mark && mark.isInSet(child.marks) && offset <= parentOffset && end >= parentOffset) [from, to] = [Math.min(from, offset), Math.max(to, end)];
		offset = end;
	});
	if (!mark) {
		const text = parent.textBetween(0, parent.content.size, "", "\ufffc");
		while (from > 0 && /\p{L}|\p{N}/u.test(text[from - 1])) from--;
		while (to < text.length && /\p{L}|\p{N}/u.test(text[to])) to++;
	}
	return [start + from, start + to];
}

// openMenu shows the types of blocks beside a button, and inserts the chosen one. saved has blocks that the person has saved.
// It goes back to where it was opened if it is left without a choice.
export function openMenu(view, {texts, saved}, beside, pos, left = () => beside.focus()) {
	document.querySelector(".canvas-menu")?.remove();
	const inColumn = pos !== null && view.state.doc.resolve(pos).parent.type === nodes.column;
	const close = () => {
		menu.remove();
		removeEventListener("pointerdown", outside, true);
	};
	const outside = event => menu.contains(event.target) || (close(), left());
	const put = make => {
		close();
		const insert = what => {
			(pos === null ? addBelow(what) : insertAt(pos, what))(view.state, view.dispatch);
			view.focus();
		}, what = make();
		if (what.then) what.then(all => all.length && insert(all));
		else insert(what);
	};
	const entry = (type, label, about, make) => element("button", {type: "button", role: "menuitem", "data-kind": type, onclick: () => put(make)},
		icon(type), element("span", {}, label, about && element("small", {}, about)));
	const group = (label, entries) => entries.length > 0 && element("div", {role: "group", "aria-label": label}, element("small", {"aria-hidden": "true"}, label), ...entries);
	const menu = element("div", {class: "canvas-menu", role: "menu", "aria-label": texts.add, onkeydown: event => {
		if (event.key === "Escape" || event.key === "Tab") event.preventDefault(), close(), left();
		if (event.key.length === 1 && event.key !== " ") startingWith(menu, event.key)?.focus();
	}}, ...groups.map(([name, types]) => group(texts["group_" + name], types.filter(type => !inColumn || !type.startsWith("columns"))
		.map(type => entry(type, texts[keyOf(type)], texts["about_" + keyOf(type)], () => type)))),
	group(texts.saved_blocks, saved.all().map(s => entry("saved", s.name, "", () => saved.nodes(s)))) || null);
	roving(menu);
	const at = beside.getBoundingClientRect(), host = view.dom.closest(".canvas-work");
	host.append(menu);
	const box = host.getBoundingClientRect();
	menu.style.left = Math.max(0, Math.min(at.left - box.left, box.width - menu.offsetWidth)) + "px";
	const above = at.bottom + menu.offsetHeight > innerHeight && at.top > menu.offsetHeight;
	menu.style.top = (above ? at.top - box.top - menu.offsetHeight - 4 : at.bottom - box.top + 4) + "px";
	addEventListener("pointerdown", outside, true);
	menu.querySelector("button").focus();
	return menu;
}
