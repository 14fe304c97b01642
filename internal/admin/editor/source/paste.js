// What is pasted: the structure of texts of Word, Google Docs, mail programs and web pages stays, and the rest is dropped.
import {Slice} from "prosemirror-model";
import {fieldsIn} from "./keys.js";
import {lineOf} from "./blocks.js";

// cleaned returns pasted HTML with only the elements that a text can have. Styles are read from another attribute, because
// the policy of the page refuses them.
export function cleaned(html) {
	if (html.includes("data-pm-slice")) return html; // it is from an editor
	const unstyled = html.replace(/<style\b[^]*?<\/style>/gi, "").replace(/<\w[^>]*>/g, tag => tag.replace(/\sstyle\s*=/gi, " data-style="));
	const body = new DOMParser().parseFromString(unstyled, "text/html").body;
	for (const e of [...body.querySelectorAll("style, script, meta, title, xml, template, o\\:p, img, svg, video, iframe, object")]) {
		if (e.nodeName !== "O:P" || !e.textContent.trim()) e.remove();
	}
	for (const e of body.querySelectorAll(".Apple-converted-space")) e.textContent = " ";
	for (const p of body.querySelectorAll("p.MsoTitle")) replaceBy(p, "h1");
	listsOfWord(body);
	for (const e of [...body.querySelectorAll("*")]) {
		const style = e.getAttribute("data-style") || "";
		const wrap = name => {
			const inner = e.ownerDocument.createElement(name);
			inner.append(...e.childNodes);
			e.append(inner);
		};
		const weight = /(?<![-\w])font-weight:\s*(\w+)/.exec(style)?.[1];
		if (["B", "STRONG"].includes(e.nodeName) && weight && (weight === "normal" || +weight < 600)) {
			e.replaceWith(...e.childNodes); // Google Docs begins with such an element
			continue;
		}
		if (["SPAN", "P", "LI", "FONT"].includes(e.nodeName) && e.textContent.trim()) {
			if (weight === "bold" || +weight >= 600) wrap("strong");
			if (/font-style:\s*italic/.test(style)) wrap("em");
			if (/text-decoration[^;]*line-through/.test(style)) wrap("del");
		}
	}
	for (const e of [...body.querySelectorAll("*")]) {
		const href = e.nodeName === "A" && e.getAttribute("href"), start = e.nodeName === "OL" && e.getAttribute("start");
		for (const a of e.getAttributeNames()) e.removeAttribute(a);
		if (href && /^(https?:|mailto:|tel:|#|\{\{)/i.test(href)) e.setAttribute("href", href);
		if (start) e.setAttribute("start", start);
	}
	for (const p of [...body.querySelectorAll("li > p:only-child, li > p:first-child:has(+ :is(ul, ol):last-child)")]) p.replaceWith(...p.childNodes);
	tables(body);
	for (const p of [...body.querySelectorAll("p, div, h1, h2, h3, h4, h5, h6")]) { // paragraphs have space between them already
		if (!p.textContent.trim() && !p.closest("[data-block]")) p.remove();
	}
	for (const br of [...body.querySelectorAll("br")]) if (isBeside(br.previousElementSibling) && !br.previousSibling?.data?.trim() || isBeside(br.nextElementSibling) && !br.nextSibling?.data?.trim()) br.remove();
	return body.innerHTML;
}

const isBeside = e => e?.matches("p, div, ul, ol, h1, h2, h3, h4, h5, h6, blockquote");

function replaceBy(e, name) {
	const made = e.ownerDocument.createElement(name);
	made.append(...e.childNodes);
	e.replaceWith(made);
	return made;
}

// listsOfWord makes lists of paragraphs that Word marks as items.
function listsOfWord(body) {
	let list = null;
	for (const p of [...body.querySelectorAll("p")]) {
		const at = /mso-list:[^;]*level(\d)/.exec(p.getAttribute("data-style") || "");
		if (!at) continue;
		const mark = p.querySelector("[data-style*='mso-list:Ignore'], [data-style*='mso-list: Ignore']");
		const isNumber = /^\s*\(?(\d+|[a-z]|[ivx]+)[.)]/i.test((mark || p).textContent);
		mark?.remove();
		const kind = isNumber ? "OL" : "UL", follows = list && list.last.nextElementSibling === p && (+at[1] > 1 || list.last.nodeName === kind);
		if (!follows) {
			list = {stack: []};
			p.before(list.last = p.ownerDocument.createElement(isNumber ? "ol" : "ul"));
			list.stack.push(list.last);
		}
		const level = Math.min(+at[1], list.stack.length + 1);
		list.stack.length = Math.min(list.stack.length, level);
		if (list.stack.length < level) {
			const inner = p.ownerDocument.createElement(isNumber ? "ol" : "ul");
			(list.stack.at(-1).lastElementChild || list.stack.at(-1)).append(inner);
			list.stack.push(inner);
		}
		const item = p.ownerDocument.createElement("li");
		item.append(...p.childNodes);
		list.stack.at(-1).append(item);
		p.remove();
	}
}

// tables keeps tables of words, and makes a paragraph of each cell of others: the tables of mails only place their cells.
function tables(body) {
	for (const table of [...body.querySelectorAll("table")].filter(isOfWords)) {
		for (const br of table.querySelectorAll("br")) br.replaceWith(" "); // a cell has one line
		const rows = [...table.rows].map(row => [...row.cells]), head = rows[0].every(c => c.nodeName === "TH" || c.querySelector("strong, b") && c.textContent.trim() === c.querySelector("strong, b").textContent.trim());
		const make = (name, ...inside) => {
			const e = body.ownerDocument.createElement(name);
			e.append(...inside);
			return e;
		};
		const grid = make("table", ...rows.map((row, i) => make("tr", ...row.map(c => make(head && i === 0 ? "th" : "td", c.textContent.replace(/\s+/g, " ").trim())))));
		grid.className = "grid";
		const block = make("div", grid);
		block.dataset.block = "table";
		table.replaceWith(block);
	}
	const isOther = e => !e.closest("[data-block]");
	for (const cell of [...body.querySelectorAll("td, th")].filter(isOther)) {
		if (!cell.querySelector("p, ul, ol, h1, h2, h3, h4, table, div")) {
			const p = body.ownerDocument.createElement("p");
			p.append(...cell.childNodes);
			cell.append(p);
		}
	}
	for (const e of [...body.querySelectorAll("table, tbody, thead, tfoot, tr, td, th, caption, colgroup, col")].filter(isOther)) e.replaceWith(...e.childNodes);
}

// isOfWords reports whether a table has two rows and columns at least, of short texts.
function isOfWords(table) {
	const width = table.rows[0]?.cells.length;
	return table.rows.length > 1 && width > 1 && width <= 8 && table.rows.length <= 100 && !table.parentElement.closest("table, li, blockquote") && !table.querySelector("table, ul, ol, h1, h2, h3, h4, a") &&
		[...table.rows].every(r => r.cells.length === width) && [...table.querySelectorAll("td, th")].every(c => c.textContent.trim().length <= 100 && c.querySelectorAll("p, div").length < 2);
}

// withFields makes merge fields of texts that look like them.
export const withFields = slice => new Slice(fieldsIn(slice.content, lineOf), slice.openStart, slice.openEnd);
