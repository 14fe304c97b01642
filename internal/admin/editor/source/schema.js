// The document of the editor: a mail is a row of blocks. Texts and quotes have what Markdown can say; headings, buttons
// and the name below a quote have only letters and merge fields. Each block keeps the keys that the editor does not
// know in the attribute "rest".
import {Schema} from "prosemirror-model";

import {iconColours, looksOf} from "./looks.js";
import {networkOf} from "./social.js";

const data = node => ({"data-attrs": JSON.stringify(node.attrs)});
const attrsOf = dom => JSON.parse(dom.getAttribute("data-attrs") || "{}");
const parseBlock = name => [{tag: `[data-block=${name}]`, getAttrs: attrsOf}];
const line = {content: "(text | field)*", marks: ""};
const common = {rest: {default: {}}, align: {default: ""}, colour: {default: ""}, ground: {default: ""}, padding: {default: 0}, corner: {default: 0}};
const picture = {file: {default: 0}, url: {default: ""}, alt: {default: ""}, crop: {default: ""}, decoration: {default: false}, width: {default: 0}, link: {default: ""}};

// block returns the element of a block: a cell of a class, as in the mail, in a box if it has a ground or space of its own.
function block(name, node, ...content) {
	const type = node.type.name === "words" ? "text" : node.type.name, {align} = node.attrs, looks = looksOf(type, node.attrs);
	const attrs = {"data-block": node.type.name, ...data(node), ...align && {"data-align": align}};
	const style = looks.style && {style: looks.style};
	if (!looks.box) return ["div", {class: [name, ...looks.classes].join(" "), ...attrs, ...style}, ...content];
	const ground = ["div", {class: ["ground", looks.inset && "inset", ...looks.classes].filter(Boolean).join(" ")}, ["div", {class: looks.isFlush ? name + " flush" : name}, ...content]];
	return ["div", {class: looks.inset ? "box" : looks.band ? "band" : "", ...attrs, ...style}, ground];
}

// room is the width of the text of a mail at most. CSS makes pictures smaller where there is less room.
export const room = 900;

const nodes = {
	doc: {content: "block*"},

	text: {group: "inline", inline: true},
	field: {
		group: "inline", inline: true, atom: true, attrs: {name: {default: ""}, fallback: {default: ""}},
		toDOM: n => ["span", {class: "chip", role: "img", "aria-label": n.attrs.name + (n.attrs.fallback && `, ${n.attrs.fallback}`), "data-field": n.attrs.name, "data-fallback": n.attrs.fallback},
			n.attrs.name + (n.attrs.fallback && ` · ${n.attrs.fallback}`)],
		parseDOM: [{tag: "[data-field]", getAttrs: d => ({name: d.dataset.field, fallback: d.dataset.fallback || ""})}],
		leafText: n => markOf(n),
	},
	break: {group: "inline", inline: true, selectable: false, toDOM: () => ["br"], parseDOM: [{tag: "br"}]},

	paragraph: {content: "inline*", group: "flow", toDOM: () => ["p", 0], parseDOM: [{tag: "p"}]},
	subheading: {
		content: "inline*", group: "flow", defining: true, attrs: {level: {default: 2}},
		toDOM: n => ["h" + n.attrs.level, 0],
		parseDOM: [1, 2, 3, 4, 5, 6].map(level => ({tag: "h" + level, attrs: {level}})),
	},
	bullet_list: {
		content: "list_item+", group: "flow", attrs: {tight: {default: true}},
		toDOM: n => ["ul", n.attrs.tight ? {class: "tight"} : {}, 0],
		parseDOM: [{tag: "ul", getAttrs: d => ({tight: isTight(d)})}],
	},
	ordered_list: {
		content: "list_item+", group: "flow", attrs: {tight: {default: true}, start: {default: 1}},
		toDOM: n => ["ol", {...n.attrs.tight && {class: "tight"}, ...n.attrs.start !== 1 && {start: n.attrs.start}}, 0],
		parseDOM: [{tag: "ol", getAttrs: d => ({tight: isTight(d), start: d.hasAttribute("start") ? +d.getAttribute("start") : 1})}],
	},
	list_item: {content: "flow+", defining: true, toDOM: () => ["li", 0], parseDOM: [{tag: "li"}]},
	blockquote: {content: "flow+", group: "flow", defining: true, toDOM: () => ["blockquote", 0], parseDOM: [{tag: "blockquote"}]},
	code_block: {
		content: "text*", marks: "", group: "flow", code: true, defining: true, attrs: {info: {default: ""}},
		toDOM: () => ["pre", ["code", 0]],
		parseDOM: [{tag: "pre", preserveWhitespace: "full", getAttrs: d => ({info: infoOf(d)})}],
	},
	rule: {group: "flow", toDOM: () => ["hr"], parseDOM: [{tag: "hr"}]},

	words: {
		content: "flow+", group: "block inColumn", isolating: true, attrs: common,
		toDOM: n => block("text", n, 0), parseDOM: parseBlock("words"),
	},
	heading: {
		...line, group: "block inColumn", isolating: true, attrs: {...common, level: {default: 1}},
		toDOM: n => block("text", n, ["h" + n.attrs.level, 0]), parseDOM: parseBlock("heading"),
	},
	button: {
		...line, group: "block inColumn", isolating: true, attrs: {...common, link: {default: ""}},
		toDOM: n => block("press", n, ["div", {class: "button"}, ["a", 0]]), parseDOM: parseBlock("button"),
	},
	quote: {
		content: "flow+ by", group: "block inColumn", isolating: true, attrs: common,
		toDOM: n => block("text", n, ["blockquote", 0]), parseDOM: parseBlock("quote"),
	},
	by: {...line, isolating: true, toDOM: () => ["p", {class: "by", "data-by": ""}, 0], parseDOM: [{tag: "[data-by]", priority: 60}]},
	image: {
		group: "block inColumn", atom: true, attrs: {...common, ...picture, caption: {default: ""}}, parseDOM: parseBlock("image"),
		toDOM: n => block("picture", n, ...pictureOf(n.attrs), ...n.attrs.caption ? [["p", {class: "caption"}, n.attrs.caption]] : []),
	},
	video: {
		...line, group: "block inColumn", isolating: true, attrs: {...common, ...picture}, parseDOM: parseBlock("video"),
		toDOM: n => block("film", n, ["div", {class: "fit", style: n.attrs.width ? `max-width: ${n.attrs.width}px` : ""},
			["div", {class: "still", contenteditable: "false"}, ...pictureOf({...n.attrs, width: 0})], ["div", {class: "play"}, ["a", 0]]]),
	},
	card: {
		content: "title body label action", group: "block inColumn", isolating: true,
		attrs: {...common, ...picture, place: {default: ""}}, parseDOM: parseBlock("card"),
		toDOM: n => block("product " + (n.attrs.file || n.attrs.url ? n.attrs.place && "abreast " + n.attrs.place : ""), n,
			["div", {class: "side", contenteditable: "false"}, ...hasPicture(n) ? [["div", {class: looksOf("card", n.attrs).isFull ? "picture full" : "picture"}, ...pictureOf({...n.attrs, width: 0})]] : []],
			["div", {class: "side"}, 0]),
	},
	title: {...line, isolating: true, toDOM: () => ["div", {class: "text", "data-part": "title"}, ["h3", {class: "name title"}, 0]], parseDOM: [{tag: "[data-part=title]"}]},
	body: {content: "flow+", isolating: true, toDOM: () => ["div", {class: "text", "data-part": "body"}, 0], parseDOM: [{tag: "[data-part=body]"}]},
	label: {...line, isolating: true, toDOM: () => ["div", {class: "text", "data-part": "label"}, ["p", {class: "label"}, 0]], parseDOM: [{tag: "[data-part=label]"}]},
	action: {...line, isolating: true, toDOM: () => ["div", {class: "press", "data-part": "action"}, ["div", {class: "button"}, ["a", 0]]], parseDOM: [{tag: "[data-part=action]"}]},
	menu: {
		group: "block inColumn", atom: true, attrs: {...common, items: {default: []}}, parseDOM: parseBlock("menu"),
		toDOM: n => block("menu", n, ...spaced(n.attrs.items.filter(i => i.text).map(i => ["a", i.text]))),
	},
	social: {
		group: "block inColumn", atom: true, attrs: {...common, items: {default: []}}, parseDOM: parseBlock("social"),
		toDOM: n => block("social", n, ...spaced(n.attrs.items.filter(i => i.link).map(i => ["a", iconOf(i)]))),
	},
	table: {
		content: "row+", group: "block inColumn", isolating: true, attrs: common, parseDOM: parseBlock("table"),
		toDOM: n => block("text", n, ["table", {class: fitsPhone(n) ? "grid whole" : "grid"}, ["tbody", 0]]),
	},
	row: {content: "cell+", toDOM: () => ["tr", 0], parseDOM: [{tag: ".grid tr"}]},
	cell: {
		...line, isolating: true, attrs: {head: {default: false}}, toDOM: n => n.attrs.head ? ["th", {scope: "col"}, 0] : ["td", 0],
		parseDOM: [{tag: ".grid td"}, {tag: ".grid th", attrs: {head: true}}],
	},
	line: {group: "block inColumn", attrs: common, toDOM: n => block("rule", n, ["hr"]), parseDOM: parseBlock("line")},
	space: {
		group: "block inColumn", attrs: {...common, height: {default: 0}}, parseDOM: parseBlock("space"),
		toDOM: n => block("space", n, ["http://www.w3.org/2000/svg svg", {width: "1", height: String(n.attrs.height || 24), "aria-hidden": "true"}]),
	},
	html: {
		content: "text*", marks: "", group: "block inColumn", code: true, isolating: true, attrs: common,
		toDOM: n => block("source", n, ["pre", {spellcheck: "false"}, 0]),
		parseDOM: [{...parseBlock("html")[0], preserveWhitespace: "full"}],
	},
	// markdown is the source of a text or a quote that has more than the nodes above, such as a table.
	markdown: {
		content: "text*", marks: "", group: "block inColumn", code: true, isolating: true,
		attrs: {...common, type: {default: "text"}},
		toDOM: n => block("source", n, ["pre", 0]),
		parseDOM: [{...parseBlock("markdown")[0], preserveWhitespace: "full"}],
	},
	columns: {
		content: "column{2,3}", group: "block", isolating: true, attrs: common, parseDOM: parseBlock("columns"),
		toDOM: n => block("columns", n, 0),
	},
	column: {
		content: "inColumn*", isolating: true, attrs: {share: {default: 50}}, parseDOM: [{tag: "[data-col]", getAttrs: d => ({share: +d.dataset.col})}],
		toDOM: n => ["div", {class: n.childCount ? "col" : "col bare", "data-col": n.attrs.share, style: `--share: ${n.attrs.share}; width: ${n.attrs.share}%`}, 0],
	},
};

const marks = {
	link: {
		attrs: {href: {default: ""}, title: {default: null}}, inclusive: false,
		toDOM: m => ["a", {href: m.attrs.href, ...m.attrs.title && {title: m.attrs.title}}, 0],
		parseDOM: [{tag: "a[href]", getAttrs: d => ({href: d.getAttribute("href"), title: d.getAttribute("title")})}],
	},
	strong: {toDOM: () => ["strong", 0], parseDOM: [{tag: "strong"}, {tag: "b"}]},
	em: {toDOM: () => ["em", 0], parseDOM: [{tag: "em"}, {tag: "i"}]},
	strike: {toDOM: () => ["del", 0], parseDOM: [{tag: "del"}, {tag: "s"}, {tag: "strike"}]},
	code: {code: true, toDOM: () => ["code", 0], parseDOM: [{tag: "code"}]},
};

export const schema = new Schema({nodes, marks});

// isSample reports whether an address is that of a picture of a starting template.
export const isSample = url => url.startsWith("/f/samples/");

// pictureOf returns what shows an image. The policy of the page refuses pictures of other servers.
function pictureOf({file, url, alt, width, crop}) {
	const src = file ? `/admin/images/${file}?w=1104&crop=${encodeURIComponent(crop)}` : isSample(url) && url;
	if (src) return [["img", {src, alt, width: String(width || room)}]];
	return [["span", {class: "none"}, ["span", alt || url]]];
}

// fitsPhone reports whether a phone shows a table without breaking a word, as fitsPhone of the server does.
function fitsPhone(table) {
	const longest = [];
	table.forEach(row => row.forEach((cell, _, i) => longest[i] = Math.max(longest[i] || 0, ...cell.textBetween(0, cell.content.size).split(/\s+/).map(w => [...w].length))));
	return longest.reduce((sum, n) => sum + n + 1, 0) <= 34;
}

const hasPicture = ({attrs}) => attrs.file || attrs.url;

// spaced returns elements with a space between them.
const spaced = all => all.length ? all.flatMap((e, i) => i ? [" ", e] : [e]) : [["span", {class: "none"}]];

const iconOf = item => {
	const {title, path} = networkOf(item), {disc, line} = iconColours();
	return ["http://www.w3.org/2000/svg svg", {viewBox: "0 0 24 24", width: "32", height: "32", role: "img", "aria-label": item.text || title},
		["circle", {cx: "12", cy: "12", r: "12", fill: disc}],
		["path", {d: path, fill: "none", stroke: line, "stroke-width": "1.5", "stroke-linecap": "round", "stroke-linejoin": "round"}]];
};

// markOf returns a merge field as texts have it.
export function markOf(field) {
	const {name, fallback} = field.attrs;
	return fallback ? `{{${name}|${fallback}}}` : `{{${name}}}`;
}

const isTight = list => ![...list.children].some(item => [...item.children].some(c => c.nodeName === "P"));

const infoOf = pre => (pre.querySelector("code")?.className || "").replace(/^language-/, "");
