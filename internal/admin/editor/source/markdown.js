// Markdown of what a person typed. The server reads it with goldmark, and is the only reader: the editor gets texts as the
// HTML that the server made of them. Where marks of Markdown would be read otherwise, tags of HTML stand in their place.
import {markOf} from "./schema.js";

// markdownOf returns the Markdown of the nodes of a text.
export function markdownOf(parent) {
	let last = parent.childCount;
	while (last > 0 && isEmpty(parent.child(last - 1))) last--; // an empty line at the end is only where the cursor is
	const all = [];
	for (let i = 0; i < last; i++) if (parent.child(i).type.name !== "by") all.push(parent.child(i));
	return flow(all).join("\n\n");
}

export const isEmpty = node => node.type.name === "paragraph" && /^[ \t\u00a0]*$/.test(node.textContent) && !node.textBetween(0, node.content.size, "", "x").includes("x");

// flow returns the texts of nodes below each other. A list after one of the same kind has other marks.
function flow(nodes, isInside) {
	let odd = false, before = "";
	return nodes.map(node => {
		odd = node.type.name === before && !odd;
		const text = one(node, odd, isInside && ["paragraph", ""].includes(before));
		before = node.type.name;
		return text;
	});
}

function one(node, odd, isInside) {
	switch (node.type.name) {
	case "paragraph": return isEmpty(node) ? "&nbsp;" : lines(inline(node, "\\\n"));
	case "subheading": return "#".repeat(node.attrs.level) + " " + inline(node, "<br>").replace(/(^|\s)(#+)$/, "$1\\$2");
	case "rule": return "___";
	case "code_block": return fenced(node);
	case "blockquote": return flow(children(node)).join("\n\n").replace(/^/gm, "> ").replace(/^> $/gm, ">");
	case "bullet_list": return list(node, isInside, () => odd ? "* " : "- ");
	case "ordered_list": return list(node, isInside, i => node.attrs.start + i + (odd ? ") " : ". "));
	}
	return "";
}

const children = node => Array.from({length: node.childCount}, (_, i) => node.child(i));

function fenced(node) {
	const text = node.textContent;
	const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(m => m[0].length + 1)));
	return fence + node.attrs.info + "\n" + text + (/^\n*$/.test(text) ? "" : "\n") + fence;
}

// list returns the items below each other. A second paragraph in an item needs an empty line before it. A mark alone on its
// line must not stand below a paragraph: it would be part of it.
function list(node, isInside, mark) {
	const items = children(node);
	const needsSpace = item => children(item).some((c, i, all) => i > 0 && (c.type.name === "ordered_list" && c.attrs.start !== 1 ||
		c.type.name === "paragraph" && !["rule", "code_block", "subheading"].includes(all[i - 1].type.name)));
	const space = !node.attrs.tight || items.some(needsSpace) ? "\n\n" : "\n";
	return items.map((item, i) => {
		let inside = children(item);
		if (inside.length > 1 && isEmpty(inside[0])) inside = inside.slice(1);
		const head = mark(i);
		if (inside.length === 1 && isEmpty(inside[0]) && !(isInside && i === 0)) return head.trimEnd();
		const text = flow(inside, true).join(space);
		return head + text.replace(/\n(?=[^\n])/g, "\n" + " ".repeat(head.length));
	}).join(space);
}

// lines returns a paragraph in which no line begins like a list, a heading or another block.
function lines(text) {
	return text.split("\n").map(line => {
		line = line.replace(/^[ \t]+/, "");
		if (/^(#{1,6}([ \t]|$)|>|[-+]([ \t]|$)|[ \t|:=-]+\\?$|[|:])/.test(line)) return "\\" + line;
		return line.replace(/^(\d{1,9})([.)])(?=[ \t]|\\?$)/, "$1\\$2");
	}).join("\n");
}

// The marks, from the outer to the inner one.
const delimiters = {strong: ["**", "strong"], em: ["*", "em"], strike: ["~~", "del"]};
const order = ["link", "strong", "em", "strike", "code"];

// inline returns the text of a paragraph. A token is a text, or begins or ends a pair of delimiters.
function inline(node, lineBreak) {
	const nodes = children(node);
	while (nodes.length && isSpace(nodes.at(-1))) nodes.pop();
	const tokens = [];
	group(nodes, 0, tokens, lineBreak);
	for (let changed = true; changed;) changed = moveSpace(tokens);
	for (let changed = true; changed;) changed = chooseTags(tokens);
	return tokens.map(t => t.text ?? (t.pair.tag ? `<${t.end ? "/" : ""}${delimiters[t.pair.name][1]}>` : delimiters[t.pair.name][0])).join("").replace(/^[ \t]+|[ \t]+$/g, "");
}

const isSpace = node => node.isText && !node.marks.some(m => m.type.name === "code") && /^[ \t\n]*$/.test(node.text);

function group(nodes, level, tokens, lineBreak) {
	if (level === order.length) {
		nodes.forEach((n, i) => tokens.push({text: plain(n, lineBreak, i === nodes.length - 1)}));
		return;
	}
	const name = order[level], markIn = n => n.marks.find(m => m.type.name === name);
	for (let i = 0; i < nodes.length;) {
		const mark = markIn(nodes[i]);
		let end = i + 1;
		while (end < nodes.length && (mark ? markIn(nodes[end])?.eq(mark) : !markIn(nodes[end]))) end++;
		const inside = nodes.slice(i, end);
		i = end;
		if (!mark) group(inside, level + 1, tokens, lineBreak);
		else if (name === "code") tokens.push({text: code(inside), hard: true});
		else if (name === "link") link(mark, inside, level, tokens, lineBreak);
		else {
			const pair = {name, tag: false};
			tokens.push({pair});
			group(inside, level + 1, tokens, lineBreak);
			tokens.push({pair, end: true});
		}
	}
}

function link(mark, inside, level, tokens, lineBreak) {
	const {href, title} = mark.attrs, text = inside.map(n => n.isText ? n.text : "\n").join("");
	if (text === href && !title && /^https?:\/\/[\w./#?=-]+$/.test(href) && inside.every(n => n.marks.length === 1)) {
		tokens.push({text: `<${href}>`, hard: true});
		return;
	}
	tokens.push({text: "[", hard: true});
	group(inside, level + 1, tokens, lineBreak);
	let to = href.replace(/&(?=#|\w+;)/g, "&amp;");
	const bare = to.replace(/\{\{.*?\}\}/g, "x");
	if (!bare || /[\s<>()\\]/.test(bare)) to = `<${to.replace(/[<>\\]/g, "\\$&").replace(/\n/g, "%0A")}>`;
	const says = title ? ` "${title.replace(/[\\"]/g, "\\$&").replace(/&(?=#|\w+;)/g, "&amp;")}"` : "";
	tokens.push({text: `](${to}${says})`, hard: true});
}

function code(inside) {
	const text = inside.map(n => n.isText ? n.text : n.type.name === "field" ? markOf(n) : " ").join("").replace(/\n/g, " ");
	const fence = "`".repeat(Math.max(0, ...[...text.matchAll(/`+/g)].map(m => m[0].length)) + 1);
	const pad = /^`|`$|^ .*[^ ].* $/.test(text) ? " " : "";
	return fence + pad + text + pad + fence;
}

function plain(node, lineBreak, isLast) {
	if (node.type.name === "field") return markOf(node);
	if (node.type.name === "break") return isLast ? "<br>" : lineBreak;
	return node.text.replace(/[\n\t]/g, " ")
		.replace(/[\\`*[\]~]/g, "\\$&")
		.replace(/(^|[^\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, (m, a) => (a ?? "") + "\\_")
		.replace(/<(?=[a-z/!?])/gi, "\\<").replace(/&(?=#|[a-z]\w*;)/gi, "&amp;").replace(/!$/, "\\!")
		.replace(/\\\\$/, "&#92;") // goldmark reads a backslash before a line break as a part of it
		// This looks like a web address or an e-mail address, of which goldmark makes links, even inside of links.
		.replace(/(https?|ftp):(?=\/\/)/gi, "$1\\:").replace(/www\.(?=\S)/gi, "www\\.").replace(/(?<=\S)@(?=\w)/g, "\\@");
}

// moveSpace moves space out of delimiters: Markdown has none at their inner sides.
function moveSpace(tokens) {
	for (let i = 0; i < tokens.length; i++) {
		const t = tokens[i];
		if (!t.pair) continue;
		if (!t.end && tokens[i + 1].pair === t.pair) { // nothing is inside
			tokens.splice(i, 2);
			return true;
		}
		const at = t.end ? i - 1 : i + 1, inner = tokens[at];
		if (inner.text === undefined || inner.hard) continue;
		const space = (t.end ? /[ \u00a0]+$/ : /^[ \u00a0]+/).exec(inner.text)?.[0];
		if (space === undefined && inner.text !== "") continue;
		inner.text = t.end ? inner.text.slice(0, inner.text.length - (space || "").length) : inner.text.slice((space || "").length);
		if (space) tokens.splice(t.end ? i + 1 : i, 0, {text: space});
		if (inner.text === "") tokens.splice(tokens.indexOf(inner), 1);
		return true;
	}
	return false;
}

// chooseTags makes tags of a pair whose delimiters would be text. CommonMark 0.31, 6.2
function chooseTags(tokens) {
	const edge = (i, step) => {
		const t = tokens[i + step];
		if (!t) return " ";
		if (t.pair) return t.pair.tag ? (step < 0 ? ">" : "<") : "*";
		return step < 0 ? [...t.text].at(-1) : [...t.text][0];
	};
	for (let i = 0; i < tokens.length; i++) {
		const t = tokens[i];
		if (!t.pair || t.pair.tag) continue;
		const outer = edge(i, t.end ? 1 : -1), inner = edge(i, t.end ? -1 : 1);
		const besides = [tokens[i - 1], tokens[i + 1]].some(o => o?.pair && !o.pair.tag);
		const isLong = t.pair.name === "strike" && [inner, outer].includes("~"); // goldmark reads a longer run as text
		if (besides || isLong || /\s/.test(inner) || isMark(inner) && !/\s/.test(outer) && !isMark(outer)) {
			t.pair.tag = true;
			return true;
		}
	}
	return false;
}

const isMark = c => /[\p{P}\p{S}]/u.test(c);
