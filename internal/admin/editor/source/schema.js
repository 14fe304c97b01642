// The document of the editor: a mail is a row of blocks. Texts and quotes have what Markdown can say; headings, buttons
// and the name below a quote have only letters and merge fields. Each block keeps the keys that the editor does not
// know in the attribute "rest".
import {Schema} from "prosemirror-model";

const align = node => node.attrs.align ? {"data-align": node.attrs.align} : {};
const block = (name, node, more) => ({class: name, "data-block": node.type.name, ...align(node), ...more});
const data = node => ({"data-attrs": JSON.stringify(node.attrs)});
const attrsOf = dom => JSON.parse(dom.getAttribute("data-attrs") || "{}");
const parseBlock = name => [{tag: `[data-block=${name}]`, getAttrs: attrsOf}];
const line = {content: "(text | field)*", marks: ""};
const common = {rest: {default: {}}, align: {default: ""}};

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
		toDOM: n => ["div", block("text", n, data(n)), 0], parseDOM: parseBlock("words"),
	},
	heading: {
		...line, group: "block inColumn", isolating: true, attrs: {...common, level: {default: 1}},
		toDOM: n => ["div", block("text", n, data(n)), ["h" + n.attrs.level, 0]], parseDOM: parseBlock("heading"),
	},
	button: {
		...line, group: "block inColumn", isolating: true, attrs: {...common, link: {default: ""}},
		toDOM: n => ["div", block("press", n, data(n)), ["div", {class: "button"}, ["a", 0]]], parseDOM: parseBlock("button"),
	},
	quote: {
		content: "flow+ by", group: "block inColumn", isolating: true, attrs: common,
		toDOM: n => ["div", block("text", n, data(n)), ["blockquote", 0]], parseDOM: parseBlock("quote"),
	},
	by: {...line, isolating: true, toDOM: () => ["p", {class: "by", "data-by": ""}, 0], parseDOM: [{tag: "[data-by]", priority: 60}]},
	image: {
		group: "block inColumn", atom: true,
		attrs: {...common, file: {default: 0}, url: {default: ""}, alt: {default: ""}, width: {default: 0}, link: {default: ""}},
		parseDOM: parseBlock("image"),
		toDOM: n => ["div", block("picture", n, data(n)), ...pictureOf(n.attrs)],
	},
	line: {group: "block inColumn", attrs: common, toDOM: n => ["div", block("rule", n, data(n)), ["hr"]], parseDOM: parseBlock("line")},
	space: {
		group: "block inColumn", attrs: {...common, height: {default: 0}}, parseDOM: parseBlock("space"),
		toDOM: n => ["div", block("space", n, data(n)), ["http://www.w3.org/2000/svg svg", {width: "1", height: String(n.attrs.height || 24), "aria-hidden": "true"}]],
	},
	html: {
		content: "text*", marks: "", group: "block inColumn", code: true, isolating: true, attrs: common,
		toDOM: n => ["div", block("source", n, data(n)), ["pre", {spellcheck: "false"}, 0]],
		parseDOM: [{...parseBlock("html")[0], preserveWhitespace: "full"}],
	},
	// markdown is the source of a text or a quote that has more than the nodes above, such as a table.
	markdown: {
		content: "text*", marks: "", group: "block inColumn", code: true, isolating: true,
		attrs: {...common, type: {default: "text"}},
		toDOM: n => ["div", block("source", n, data(n)), ["pre", 0]],
		parseDOM: [{...parseBlock("markdown")[0], preserveWhitespace: "full"}],
	},
	columns: {
		content: "column column", group: "block", isolating: true, attrs: {...common, share: {default: 0}},
		toDOM: n => ["div", block("columns", n, {...data(n), "data-share": n.attrs.share}), 0], parseDOM: parseBlock("columns"),
	},
	column: {content: "inColumn*", isolating: true, toDOM: n => ["div", {class: n.childCount ? "col" : "col bare", "data-col": ""}, 0], parseDOM: [{tag: "[data-col]"}]},
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

// pictureOf returns what shows an image. The policy of the page refuses pictures of other servers.
function pictureOf({file, url, alt, width}) {
	if (file) return [["img", {src: `/admin/images/${file}`, alt, width: String(width || room)}]];
	return [["span", {class: "none"}, ["span", alt || url]]];
}

// markOf returns a merge field as texts have it.
export function markOf(field) {
	const {name, fallback} = field.attrs;
	return fallback ? `{{${name}|${fallback}}}` : `{{${name}}}`;
}

const isTight = list => ![...list.children].some(item => [...item.children].some(c => c.nodeName === "P"));

const infoOf = pre => (pre.querySelector("code")?.className || "").replace(/^language-/, "");
