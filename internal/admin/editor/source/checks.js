// What is probably wrong with the mail: a list below it, and marks at its blocks. The server finds it after each save, and
// asks the servers of links. No mark moves the cursor.
import {Plugin, PluginKey, Selection} from "prosemirror-state";
import {Decoration, DecorationSet} from "prosemirror-view";
import {element} from "./bars.js";

const key = new PluginKey("checks");

// checkMarks keeps the marks at their blocks while the mail changes.
export const checkMarks = new Plugin({
	key,
	state: {init: () => DecorationSet.empty, apply: (tr, set) => tr.getMeta(key) || set.map(tr.mapping, tr.doc)},
	props: {decorations(state) { return this.getState(state); }},
});

// noteAt returns what is probably wrong with the block at a place.
export const noteAt = (state, pos) => key.getState(state).find(pos, pos + 1).filter(d => d.from === pos).map(d => d.spec.text).join(" ");

const sidesOf = columns => columns.childCount === 3 ? ["left", "middle", "right"] : ["left", "right"];

// pathOf returns the path of a block as the server has it, such as 2 or 2.left.0. before is the number of blocks above the
// document.
export function pathOf(doc, pos, before) {
	const at = doc.resolve(pos), first = at.index(0) + before;
	return at.depth === 0 ? `${first}` : `${first}.${sidesOf(at.node(1))[at.index(1)]}.${at.index(2)}`;
}

// startOf returns where a child of a node begins.
function startOf(node, index) {
	let pos = 0;
	for (let i = 0; i < index; i++) pos += node.child(i).nodeSize;
	return pos;
}

// posOf returns the place of a block, or null.
function posOf(doc, path, before) {
	const [first, side, index] = path.split("."), i = first - before;
	if (!(i >= 0 && i < doc.childCount)) return null;
	const columns = doc.child(i), start = startOf(doc, i);
	if (index === undefined) return start;
	const c = sidesOf(columns).indexOf(side), column = c >= 0 && c < columns.childCount && columns.child(c);
	return column && index < column.childCount ? start + 1 + startOf(columns, c) + 1 + startOf(column, +index) : null;
}

// newChecks begins to check the mail. above returns the number of blocks above the document. A mail without blocks has no view.
export function newChecks(view, form, texts, above) {
	const list = document.querySelector("[data-checks]"), size = document.getElementById("size");
	if (!list) return;
	let asked = 0, shown = 0, last = null;

	const ask = async links => {
		const number = ++asked, doc = view?.state.doc, before = above(), body = new URLSearchParams(new FormData(form));
		if (links) body.set("links", "1");
		const answer = await fetch(list.dataset.checks, {method: "POST", body, headers: {"HX-Request": "true"}});
		if (!answer.ok || number < shown) return;
		shown = number;
		show(await answer.json(), doc, before);
	};

	function show({findings, size: text, kb}, doc, before) {
		if (size && text) size.textContent = text, size.previousElementSibling.value = kb;
		const all = findings || [], marks = new Map();
		list.replaceChildren(...all.map(f => element("p", {}, element("span", {class: f.level === "note" ? "tag" : "tag warn"}, texts.check), " ",
			f.block ? element("button", {type: "button", class: "plain", onclick: () => go(f.block)}, f.text) : f.text)));
		if (doc !== view?.state.doc || !view) return; // the next save comes soon
		for (const f of all) {
			const pos = f.block ? posOf(doc, f.block, before) : null;
			if (pos !== null) marks.set(pos, {block: f.block, text: [marks.get(pos)?.text, f.text].filter(Boolean).join(" ")});
		}
		view.dispatch(view.state.tr.setMeta("addToHistory", false).setMeta(key, DecorationSet.create(doc, [...marks].map(([pos, spec]) =>
			Decoration.node(pos, pos + doc.nodeAt(pos).nodeSize, {class: "noted", title: spec.text}, spec)))));
	}

	function go(block) {
		const mark = key.getState(view.state).find(undefined, undefined, spec => spec.block === block)[0];
		if (!mark) return;
		view.dispatch(view.state.tr.setSelection(Selection.near(view.state.doc.resolve(mark.from + 1))).scrollIntoView());
		view.focus();
	}

	const all = () => ask(false).then(() => ask(true)).catch(() => {}); // without a connection, the last list stays
	document.addEventListener("session:used", () => {
		const now = JSON.stringify([...new FormData(form)].filter(([name]) => name !== "number" && name !== "seen"));
		if (now !== last) all();
		last = now;
	});
	all();
}
