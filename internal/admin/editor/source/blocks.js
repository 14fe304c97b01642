// Blocks as the server has them, and the document. contents has the HTML that the server made of each text in Markdown,
// in the order of the blocks.
import {DOMParser as Parser} from "prosemirror-model";
import {schema} from "./schema.js";
import {markdownOf} from "./markdown.js";

const parser = Parser.fromSchema(schema);

// originals has the Markdown from the server by what the editor would write: a text that no person changed stays as it is.
const originals = new Map();

// docOf returns the document of blocks.
export function docOf(blocks, contents) {
	const queue = [...contents];
	return schema.node("doc", null, blocks.map(b => nodeOf(b, queue)).filter(Boolean));
}

// nodeOf returns the node of a block, and takes the contents that it needs.
export function nodeOf(block, queue) {
	const {type, text = "", level, height, by = "", file, url, alt, crop, decoration, width, link, align, html = "", left, middle, right, shares, caption, title = "", label = "",
		button = "", place, items, rows, head, colour, ground, padding, corner, ...rest} = block;
	const common = {rest, align: align || "", colour: colour || "", ground: ground || "", padding: padding || 0, corner: corner || 0};
	const picture = {...common, file: file || 0, url: url || "", alt: alt || "", crop: crop || "", decoration: !!decoration, width: width || 0, link: link || ""};
	switch (type) {
	case "heading": return schema.node("heading", {...common, level: level || 1}, lineOf(text));
	case "button": return schema.node("button", {...common, link: link || ""}, lineOf(text));
	case "image": return schema.node("image", {...picture, caption: caption || ""});
	case "video": return schema.node("video", picture, lineOf(text));
	case "card": return cardOf({title, text, label, button}, {...picture, place: place || ""}, queue.shift() ?? "");
	case "menu": case "social": return schema.node(type, {...common, items: (items || []).map(i => ({network: "", text: "", link: "", ...i}))});
	case "table": return rows?.length ? schema.node("table", common, rows.map((row, i) => schema.node("row", null, row.map(t => schema.node("cell", {head: !!head && !i}, lineOf(t)))))) : emptyTable(common);
	case "space": return schema.node("space", {...common, height: height || 0});
	case "line": return schema.node("line", common);
	case "html": return schema.node("html", common, html ? schema.text(html) : null);
	case "columns": {
		const widths = shares || [50, 50], sides = widths.length === 3 ? [left, middle, right] : [left, right];
		return schema.node("columns", common, sides.map((side, i) => schema.node("column", {share: widths[i]}, (side || []).map(b => nodeOf(b, queue)).filter(Boolean))));
	}
	case "text": case "quote": return wordsOf(type, text, by, common, queue.shift() ?? "");
	}
	return null;
}

// emptyTable returns a table of two columns, with a head.
export const emptyTable = attrs => schema.node("table", attrs, [true, false, false].map(head => schema.node("row", null, [0, 1].map(() => schema.node("cell", {head})))));

function cardOf({title, text, label, button}, attrs, html) {
	const body = wordsOf("text", text, "", {}, html);
	if (body.type.name === "markdown") { // the text has more than the editor knows
		const all = schema.node("body", null, text.split(/\n\n+/).map(t => schema.node("paragraph", null, t ? schema.text(t) : null)));
		originals.set(markdownOf(all), text);
		return schema.node("card", attrs, [schema.node("title", null, lineOf(title)), all, schema.node("label", null, lineOf(label)), schema.node("action", null, lineOf(button))]);
	}
	return schema.node("card", attrs, [schema.node("title", null, lineOf(title)), schema.node("body", null, body.content), schema.node("label", null, lineOf(label)), schema.node("action", null, lineOf(button))]);
}

// lineOf returns a text without marks.
export function lineOf(text) {
	const all = [];
	pieces(text, t => all.push(schema.text(t)), (name, fallback) => all.push(schema.node("field", {name, fallback})));
	return all;
}

// pieces splits a text at its merge fields, as package merge of the server does.
function pieces(text, onText, onField) {
	let from = 0;
	for (const m of text.matchAll(/\{\{((?:(?!\{\{|\}\}).)*?)\}\}/gs)) {
		const [, name, fallback = ""] = /^([^|]*)(?:\|(.*))?$/s.exec(m[1]);
		if (!name.trim()) continue;
		if (m.index > from) onText(text.slice(from, m.index));
		onField(name.trim(), fallback.trim());
		from = m.index + m[0].length;
	}
	if (from < text.length) onText(text.slice(from));
}

function wordsOf(type, text, by, common, html) {
	const body = new DOMParser().parseFromString(html, "text/html").body;
	if (!isKnown(body)) return schema.node("markdown", {...common, rest: {...common.rest, ...by && {by}}, type}, text ? schema.text(text) : null);
	for (const p of body.querySelectorAll("p, li")) if (/^\u00a0$/.test(p.textContent) && !p.children.length) p.textContent = "";
	for (const code of body.querySelectorAll("pre > code")) code.textContent = code.textContent.replace(/([^\n]\n*)\n$/, "$1");
	chips(body);
	const flow = parser.parse(body, {topNode: schema.node("words", common, schema.node("paragraph"))});
	const node = type === "text" ? flow
		: schema.node("quote", common, [...Array(flow.childCount).keys()].map(i => flow.child(i)).concat(schema.node("by", null, lineOf(by))));
	originals.set(markdownOf(node), text);
	return node;
}

const known = {P: [], STRONG: [], EM: [], DEL: [], BR: [], HR: [], UL: [], OL: ["start"], LI: [], BLOCKQUOTE: [], PRE: [], CODE: ["class"],
	A: ["href", "title"], H1: [], H2: [], H3: [], H4: [], H5: [], H6: []};

// isKnown reports whether the document can have all of some HTML.
const isKnown = body => [...body.querySelectorAll("*")].every(e => known[e.nodeName] && e.getAttributeNames().every(a => known[e.nodeName].includes(a)));

// chips replaces merge fields in texts by elements.
export function chips(body) {
	const texts = body.ownerDocument.createTreeWalker(body, NodeFilter.SHOW_TEXT), all = [];
	while (texts.nextNode()) if (texts.currentNode.data.includes("{{") && !texts.currentNode.parentElement.closest("pre")) all.push(texts.currentNode);
	for (const text of all) {
		const inPlace = [];
		pieces(text.data, t => inPlace.push(t), (name, fallback) => {
			const chip = body.ownerDocument.createElement("span");
			chip.dataset.field = name;
			chip.dataset.fallback = fallback;
			inPlace.push(chip);
		});
		text.replaceWith(...inPlace);
	}
}

// blocksOf returns the blocks of a document.
export function blocksOf(doc) {
	const all = [];
	doc.forEach(node => all.push(blockOf(node)));
	return all;
}

function blockOf(node) {
	const {rest, ...attrs} = node.attrs;
	const block = {type: {words: "text", markdown: attrs.type}[node.type.name] || node.type.name, ...rest};
	const put = (key, value) => {
		if (value) block[key] = value;
	};
	switch (node.type.name) {
	case "words": put("text", ofText(node)); break;
	case "quote":
		put("text", ofText(node));
		put("by", ofLine(node.lastChild));
		break;
	case "markdown": put("text", node.textContent); break;
	case "heading": case "button": case "video": put("text", ofLine(node)); break;
	case "html": put("html", node.textContent); break;
	case "card":
		put("title", ofLine(node.child(0)));
		put("text", ofText(node.child(1)));
		put("label", ofLine(node.child(2)));
		put("button", ofLine(node.child(3)));
		break;
	case "menu": case "social": put("items", attrs.items.map(({network, text, link}) => ({...network && {network}, ...text && {text}, link}))); break;
	case "table":
		block.rows = rowsOf(node);
		put("head", node.child(0).child(0).attrs.head);
		break;
	case "columns": {
		const shares = [], sides = node.childCount === 3 ? ["left", "middle", "right"] : ["left", "right"];
		node.forEach((column, _, i) => {
			shares.push(column.attrs.share);
			if (column.childCount) block[sides[i]] = blocksOf(column);
		});
		if (shares.join() !== "50,50") block.shares = shares;
	}
	}
	for (const key of ["level", "file", "url", "alt", "crop", "decoration", "width", "height", "caption", "place", "link", "align", "colour", "ground", "padding", "corner"]) put(key, attrs[key]);
	return block;
}

// rowsOf returns the cells of a table. All rows get as many as the longest one.
function rowsOf(table) {
	const rows = [];
	table.forEach(row => {
		rows.push([]);
		row.forEach(cell => rows.at(-1).push(ofLine(cell)));
	});
	const most = Math.min(8, Math.max(...rows.map(r => r.length)));
	return rows.slice(0, 100).map(r => [...r, ...Array(Math.max(0, most - r.length)).fill("")].slice(0, most));
}

const ofLine = node => node.textBetween(0, node.content.size);

const texts = new WeakMap(); // Markdown of texts by their content, which no change of another block replaces

function ofText(node) {
	let text = texts.get(node.content);
	if (text === undefined) {
		text = markdownOf(node);
		text = originals.get(text) ?? text;
		texts.set(node.content, text);
	}
	return text;
}
