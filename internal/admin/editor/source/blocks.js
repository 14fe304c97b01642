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
	const {type, text = "", level, height, share, by = "", file, url, alt, width, link, align, html = "", left, right, ...rest} = block;
	const common = {rest, align: align || ""};
	switch (type) {
	case "heading": return schema.node("heading", {...common, level: level || 1}, lineOf(text));
	case "button": return schema.node("button", {...common, link: link || ""}, lineOf(text));
	case "image": return schema.node("image", {...common, file: file || 0, url: url || "", alt: alt || "", width: width || 0, link: link || ""});
	case "space": return schema.node("space", {...common, height: height || 0});
	case "line": return schema.node("line", common);
	case "html": return schema.node("html", common, html ? schema.text(html) : null);
	case "columns": return schema.node("columns", {...common, share: share || 0}, [left, right].map(side => schema.node("column", null, (side || []).map(b => nodeOf(b, queue)).filter(Boolean))));
	case "text": case "quote": return wordsOf(type, text, by, common, queue.shift() ?? "");
	}
	return null;
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
	const {rest, align, ...attrs} = node.attrs;
	const block = {...rest};
	const put = (key, value) => {
		if (value) block[key] = value;
	};
	put("align", align);
	switch (node.type.name) {
	case "words": block.type = "text"; put("text", ofText(node)); break;
	case "quote":
		block.type = "quote";
		put("text", ofText(node));
		put("by", ofLine(node.lastChild));
		break;
	case "markdown": block.type = attrs.type; put("text", node.textContent); break;
	case "heading": block.type = "heading"; put("text", ofLine(node)); put("level", attrs.level); break;
	case "button": block.type = "button"; put("text", ofLine(node)); put("link", attrs.link); break;
	case "html": block.type = "html"; put("html", node.textContent); break;
	case "columns":
		block.type = "columns";
		put("share", attrs.share);
		if (node.child(0).childCount) block.left = blocksOf(node.child(0));
		if (node.child(1).childCount) block.right = blocksOf(node.child(1));
		break;
	default:
		block.type = node.type.name;
		for (const key of ["file", "url", "alt", "width", "link", "height"]) put(key, attrs[key]);
	}
	return block;
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
