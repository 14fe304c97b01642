// What a person can do to blocks and texts, by keys, by the shorthands of Markdown, and by the buttons of bars.js.
import {NodeSelection, TextSelection, Selection} from "prosemirror-state";
import {Fragment} from "prosemirror-model";
import {baseKeymap, chainCommands, createParagraphNear, exitCode, liftEmptyBlock, newlineInCode, splitBlock, toggleMark} from "prosemirror-commands";
import {redo, undo} from "prosemirror-history";
import {InputRule, inputRules, textblockTypeInputRule, wrappingInputRule} from "prosemirror-inputrules";
import {liftListItem, sinkListItem, splitListItem} from "prosemirror-schema-list";
import {schema} from "./schema.js";
import {emptyTable} from "./blocks.js";

const {nodes, marks} = schema;

const isBlock = node => node.type.spec.group?.split(" ").includes("block");

// blockAt returns the innermost block of the selection, or null: where it is, in what, and the depth of its parent.
export function blockAt(state) {
	const {selection} = state, {$from} = selection;
	if (selection instanceof NodeSelection && isBlock(selection.node)) {
		return {node: selection.node, pos: $from.pos, parent: $from.parent, index: $from.index(), $pos: $from};
	}
	for (let d = $from.depth; d > 0; d--) {
		if (isBlock($from.node(d))) {
			return {node: $from.node(d), pos: $from.before(d), parent: $from.node(d - 1), index: $from.index(d - 1), $pos: state.doc.resolve($from.before(d))};
		}
	}
	return null;
}

// newBlock returns an empty block of a type.
export function newBlock(type) {
	switch (type) {
	case "quote": return schema.node("quote", null, [schema.node("paragraph"), schema.node("by")]);
	case "words": return schema.node("words", null, schema.node("paragraph"));
	case "columns": return columnsOf([50, 50]);
	case "columns3": return columnsOf([33, 33, 33]);
	case "card": return schema.node("card", null, [schema.node("title"), schema.node("body", null, schema.node("paragraph")), schema.node("label"), schema.node("action")]);
	case "table": return emptyTable();
	case "menu": return schema.node("menu", {align: "center", items: [1, 2, 3].map(n => ({network: "", text: "Link " + n, link: ""}))});
	case "social": return schema.node("social", {align: "center", items: [{network: "", text: "", link: ""}]});
	}
	return schema.node(type);
}

const columnsOf = shares => schema.node("columns", null, shares.map(share => schema.node("column", {share}, newBlock("words"))));

// setShares changes the widths and the number of columns. The conditions of columns go with their blocks: the second and the
// third of three columns become one, whose blocks get them. If a block has its own, it changes nothing and returns false.
export function setShares(view, pos, shares) {
	const node = view.state.doc.nodeAt(pos), {middle_if, right_if, ...rest} = node.attrs.rest;
	const sides = [0, 1, 2].map(i => i < node.childCount ? node.child(i).content : Fragment.from(newBlock("words")));
	let conditions = {middle_if, right_if};
	if (shares.length > node.childCount) conditions = {middle_if: right_if};
	if (shares.length < node.childCount) {
		const middle = shownTo(sides[1], middle_if), right = shownTo(sides[2], right_if);
		if (!middle || !right) return false;
		sides[1] = middle.append(right);
		conditions = {};
	}
	for (const key in conditions) if (conditions[key]) rest[key] = conditions[key];
	const columns = schema.node("columns", {...node.attrs, rest}, shares.map((share, i) => schema.node("column", {share}, sides[i])));
	const tr = view.state.tr.replaceWith(pos, pos + node.nodeSize, columns);
	view.dispatch(tr.setSelection(NodeSelection.create(tr.doc, pos)));
	return true;
}

// shownTo returns the blocks of a column with its condition, or null if one has a condition already.
function shownTo(blocks, show_if) {
	const all = [];
	blocks.forEach(b => all.push(b));
	if (!show_if) return blocks;
	if (all.some(b => b.attrs.rest.show_if)) return null;
	return Fragment.from(all.map(b => b.type.create({...b.attrs, rest: {...b.attrs.rest, show_if}}, b.content)));
}

// cellAt returns where the cell of the cursor is in its table, or null.
export function cellAt({$from}) {
	for (let d = $from.depth; d > 1; d--) {
		if ($from.node(d).type === nodes.cell) return {table: $from.node(d - 2), pos: $from.before(d - 2), row: $from.index(d - 2), column: $from.index(d - 1)};
	}
	return null;
}

// change replaces the rows of a table, and puts the cursor into a cell.
function changeTable(state, dispatch, at, rows, row, column) {
	const made = schema.node("table", at.table.attrs, rows.map(cells => schema.node("row", null, cells)));
	const tr = state.tr.replaceWith(at.pos, at.pos + at.table.nodeSize, made);
	let pos = at.pos + 1;
	for (let i = 0; i < row; i++) pos += made.child(i).nodeSize;
	pos++;
	for (let i = 0; i < column; i++) pos += made.child(row).child(i).nodeSize;
	dispatch?.(tr.setSelection(TextSelection.create(tr.doc, pos + 1)).scrollIntoView());
	return true;
}

const cellsOf = table => Array.from({length: table.childCount}, (_, i) => Array.from({length: table.child(i).childCount}, (_, j) => table.child(i).child(j)));

// onTable returns a command that changes a table: "row" or "column", and 1 to add one after the cursor, -1 to remove it.
export const onTable = (what, step) => (state, dispatch) => {
	const at = cellAt(state.selection);
	if (!at) return false;
	const {row, column} = at, rows = cellsOf(at.table), last = (what === "row" ? rows : rows[0]).length;
	if (step < 0 ? last < 2 : last >= (what === "row" ? 100 : 8)) return false;
	if (what === "row" && step > 0) rows.splice(row + 1, 0, rows[0].map(() => schema.node("cell")));
	else if (what === "row") {
		const head = rows[0][0].attrs.head;
		rows.splice(row, 1);
		rows[0] = rows[0].map(c => schema.node("cell", {head}, c.content));
	} else for (const cells of rows) cells.splice(step > 0 ? column + 1 : column, step > 0 ? 0 : 1, ...step > 0 ? [schema.node("cell", {head: cells[0].attrs.head})] : []);
	const to = step > 0 ? 1 : 0;
	return changeTable(state, dispatch, at, rows, Math.min(rows.length - 1, row + (what === "row" ? to : 0)), Math.min(rows[0].length - 1, column + (what === "column" ? to : 0)));
};

// setHead says whether the first row of a table has the headings.
export function setHead(view, pos, head) {
	const table = view.state.doc.nodeAt(pos), tr = view.state.tr;
	table.child(0).forEach((cell, offset) => tr.setNodeMarkup(pos + 2 + offset, null, {...cell.attrs, head}));
	view.dispatch(tr);
}

// toCell goes to another cell: by steps of cells, or of rows. Behind the last one it adds a row.
const toCell = (step, isRow) => (state, dispatch) => {
	const at = cellAt(state.selection);
	if (!at) return false;
	const width = at.table.child(0).childCount, next = at.row * width + at.column + step * (isRow ? width : 1), rows = cellsOf(at.table);
	if (next < 0) return false;
	if (next >= rows.length * width) {
		if (rows.length >= 100) return false;
		rows.push(rows[0].map(() => schema.node("cell")));
	}
	return changeTable(state, dispatch, at, rows, Math.floor(next / width), next % width);
};

// nextPart goes from one line of a card to what is below it.
const nextPart = (state, dispatch) => {
	const {$from} = state.selection;
	if (![nodes.title, nodes.label].includes($from.parent.type)) return false;
	dispatch?.(state.tr.setSelection(Selection.near(state.doc.resolve($from.after()), 1)).scrollIntoView());
	return true;
};

// select puts the cursor into a block, or selects one that has no text.
export function select(tr, pos) {
	const node = tr.doc.nodeAt(pos);
	if (!node) return tr.setSelection(Selection.near(tr.doc.resolve(Math.min(pos, tr.doc.content.size)), -1));
	const inside = node.isAtom ? null : Selection.findFrom(tr.doc.resolve(pos + 1), 1, true);
	return tr.setSelection(inside && inside.from < pos + node.nodeSize ? inside : NodeSelection.create(tr.doc, pos)).scrollIntoView();
}

// insertAt inserts a block of a type, or some nodes. What does not fit into a column goes below the columns.
export const insertAt = (pos, type) => (state, dispatch) => {
	const $pos = state.doc.resolve(pos);
	if ($pos.parent.type === nodes.column && isOutside(type)) pos = $pos.after(1);
	const tr = state.tr.insert(pos, Array.isArray(type) ? type : newBlock(type)), before = tr.steps.length;
	dropEmpty(tr, pos, state.selection.$from);
	dispatch?.(select(tr, tr.mapping.slice(before).map(pos)));
	return true;
};

const isEmptyText = node => node?.type === nodes.words && node.childCount === 1 && node.firstChild.type === nodes.paragraph && node.firstChild.content.size === 0;

// dropEmpty removes an empty text that a block at a place makes needless: the only other one of its column, or the one before
// it, or its empty last line, in which the cursor was.
function dropEmpty(tr, pos, $cursor) {
	const $pos = tr.doc.resolve(pos), {parent, nodeBefore: before} = $pos, after = $pos.nodeAfter, hadCursor = before?.type === nodes.words && $cursor && $cursor.depth > 1 && $cursor.pos === pos - 2;
	if (hadCursor && before.lastChild.content.size === 0 && before.lastChild.type === nodes.paragraph) {
		if (before.childCount === 1) tr.delete(pos - before.nodeSize, pos);
		else tr.delete(pos - 3, pos - 1);
	} else if (parent.type === nodes.column && parent.childCount === 2) {
		if (isEmptyText(before)) tr.delete(pos - before.nodeSize, pos);
		else if (isEmptyText(parent.lastChild) && parent.lastChild !== after) tr.delete(pos + after.nodeSize, pos + after.nodeSize + parent.lastChild.nodeSize);
	}
}

const isOutside = type => Array.isArray(type) ? type.some(n => n.type === nodes.columns) : type.startsWith("columns");

// dropEmptied removes the text of the cursor from a change that has left it empty beside new blocks, such as a pasted table.
export function dropEmptied(state, tr) {
	const at = blockAt(state), node = at && tr.doc.nodeAt(at.pos);
	if (isEmptyText(node) && tr.doc.resolve(at.pos).parent.childCount > at.parent.childCount) tr.delete(at.pos, at.pos + node.nodeSize);
}

export const addBelow = type => (state, dispatch) => {
	const at = blockAt(state);
	return insertAt(at ? at.pos + at.node.nodeSize : state.doc.content.size, type)(state, dispatch);
};

// moveTo moves a block to a place between blocks, with the selection in it.
export function moveTo(state, dispatch, pos, target) {
	const node = state.doc.nodeAt(pos), tr = state.tr, {selection} = state;
	if (target >= pos && target <= pos + node.nodeSize) return false;
	const to = target > pos ? target - node.nodeSize : target;
	const isIn = selection.from >= pos && selection.to <= pos + node.nodeSize;
	tr.delete(pos, pos + node.nodeSize).insert(to, node);
	if (selection instanceof TextSelection && isIn) {
		tr.setSelection(TextSelection.create(tr.doc, selection.anchor - pos + to, selection.head - pos + to));
	} else tr.setSelection(NodeSelection.create(tr.doc, to));
	if (state.doc.resolve(pos).parent !== state.doc.resolve(target).parent) dropEmpty(tr, to);
	dispatch?.(tr.scrollIntoView());
	return true;
}

// move moves a block up or down. From the edge of a column it goes out of the columns.
export const move = step => (state, dispatch) => {
	const at = blockAt(state);
	if (!at) return false;
	const {parent, index, pos, node} = at, next = index + step;
	if (next >= 0 && next < parent.childCount) {
		const target = step < 0 ? pos - parent.child(next).nodeSize : pos + node.nodeSize + parent.child(next).nodeSize;
		return moveTo(state, dispatch, pos, target);
	}
	if (parent.type !== nodes.column) return false;
	return moveTo(state, dispatch, pos, step < 0 ? at.$pos.before(1) : at.$pos.after(1));
};

export const copy = (state, dispatch) => {
	const at = blockAt(state);
	if (!at) return false;
	const pos = at.pos + at.node.nodeSize;
	dispatch?.(select(state.tr.insert(pos, at.node), pos));
	return true;
};

export const remove = (state, dispatch) => {
	const at = blockAt(state);
	if (!at) return false;
	const tr = state.tr.delete(at.pos, at.pos + at.node.nodeSize), {nodeBefore, nodeAfter} = tr.doc.resolve(at.pos);
	dispatch?.(select(tr, nodeAfter || !nodeBefore ? at.pos : at.pos - nodeBefore.nodeSize));
	return true;
};

// setAttribute changes a key of a block.
export function setAttribute(view, pos, key, value) {
	view.dispatch(view.state.tr.setNodeAttribute(pos, key, value));
}

// escape selects the block of the cursor, and then the columns around it.
const escape = (state, dispatch) => {
	const at = blockAt(state);
	if (!at) return false;
	const outer = state.selection instanceof NodeSelection && state.selection.node === at.node;
	if (outer && at.parent.type !== nodes.column) return false;
	dispatch?.(state.tr.setSelection(NodeSelection.create(state.doc, outer ? at.$pos.before(1) : at.pos)));
	return true;
};

// newText begins a text below a heading, a button, the end of a quote or a block that is selected as a whole.
const newText = (state, dispatch) => {
	const {$from} = state.selection, isWhole = state.selection instanceof NodeSelection && isBlock(state.selection.node);
	if (!isWhole && ![nodes.heading, nodes.button, nodes.by, nodes.video, nodes.action].includes($from.parent.type)) return false;
	return addBelow("words")(state, dispatch);
};

const removeEmpty = (state, dispatch) => {
	const at = blockAt(state);
	if (!at || !state.selection.empty || at.node.isAtom || at.node.textContent || at.node.childCount > 1) return false;
	if (at.node.type === nodes.words && at.node.firstChild.type !== nodes.paragraph) return false;
	return remove(state, dispatch);
};

const hardBreak = (state, dispatch) => {
	if (!state.selection.$from.parent.type.contentMatch.matchType(nodes.break)) return false;
	dispatch?.(state.tr.replaceSelectionWith(schema.node("break")).scrollIntoView());
	return true;
};

export const keys = {
	...baseKeymap,
	"Mod-z": undo, "Mod-y": redo, "Shift-Mod-z": redo,
	"Mod-b": toggleMark(marks.strong), "Mod-i": toggleMark(marks.em), "Mod-Shift-x": toggleMark(marks.strike), "Mod-e": toggleMark(marks.code),
	"Alt-Shift-ArrowUp": move(-1), "Alt-Shift-ArrowDown": move(1),
	"Mod-Shift-d": copy, "Mod-Shift-Backspace": remove, "Escape": escape,
	"Enter": chainCommands(toCell(1, true), nextPart, newText, newlineInCode, splitListItem(nodes.list_item), createParagraphNear, liftEmptyBlock, splitBlock),
	"Mod-Enter": chainCommands(exitCode, addBelow("words")),
	"Shift-Enter": chainCommands(newlineInCode, hardBreak),
	"Tab": chainCommands(toCell(1), sinkListItem(nodes.list_item)), "Shift-Tab": chainCommands(toCell(-1), liftListItem(nodes.list_item)),
	"Backspace": chainCommands(removeEmpty, baseKeymap.Backspace), "Delete": chainCommands(removeEmpty, baseKeymap.Delete),
};

// marked is the shorthand of a mark: the text between two delimiters.
function marked(expression, type, attrs = () => null) {
	return new InputRule(expression, (state, match, start, end) => {
		if (!state.doc.resolve(start).parent.type.allowsMarkType(type)) return null;
		const before = match[0].length - match[0].trimStart().length; // a space before the first delimiter
		const tr = state.tr.replaceWith(start + before, end, schema.text(match[1], [type.create(attrs(match)), ...state.doc.resolve(start + before).marks()]));
		return tr.removeStoredMark(type);
	});
}

const field = new InputRule(/\{\{([^{}|]+)(?:\|([^{}]*))?\}\}$/, (state, match, start, end) =>
	state.doc.resolve(start).parent.type.spec.code ? null :
		state.tr.replaceWith(start, end, schema.node("field", {name: match[1].trim(), fallback: (match[2] || "").trim()})));

// address makes a link of a web address when a space follows it.
const address = new InputRule(/(?:^|\s)((?:https?:\/\/|www\.)[^\s<>]+[^\s<>.,;:!?)])\s$/, (state, match, start, end) => {
	const from = start + match[0].indexOf(match[1]), $from = state.doc.resolve(from);
	if (!$from.parent.type.allowsMarkType(marks.link)) return null;
	const href = match[1].startsWith("www.") ? "http://" + match[1] : match[1];
	return state.tr.insertText(" ", end).addMark(from, from + match[1].length, marks.link.create({href})).removeStoredMark(marks.link);
});

// inWords limits the shorthand of a block to texts in Markdown.
function inWords(rule) {
	const handler = rule.handler;
	rule.handler = (state, ...rest) => state.doc.resolve(rest[1]).node(-1)?.type.contentMatch.defaultType === nodes.paragraph ? handler(state, ...rest) : null;
	return rule;
}

export const rules = inputRules({rules: [
	field, address,
	marked(/\*\*([^*\s](?:[^*]*[^*\s])?)\*\*$/, marks.strong),
	marked(/(?:^|[\s(])\*([^*\s](?:[^*]*[^*\s])?)\*$/, marks.em), marked(/(?:^|[\s(])_([^_\s](?:[^_]*[^_\s])?)_$/, marks.em),
	marked(/~~([^~\s](?:[^~]*[^~\s])?)~~$/, marks.strike), marked(/`([^`]+)`$/, marks.code),
	marked(/\[([^[\]]+)\]\(([^()\s]+)\)$/, marks.link, m => ({href: m[2]})),
	inWords(wrappingInputRule(/^\s*[-*+]\s$/, nodes.bullet_list)),
	inWords(wrappingInputRule(/^(\d{1,9})[.)]\s$/, nodes.ordered_list, m => ({start: +m[1]}), (m, n) => n.childCount + n.attrs.start === +m[1])),
	inWords(wrappingInputRule(/^\s*>\s$/, nodes.blockquote)),
	inWords(textblockTypeInputRule(/^(#{1,6})\s$/, nodes.subheading, m => ({level: m[1].length}))),
	inWords(textblockTypeInputRule(/^```$/, nodes.code_block)),
]});

// fieldsIn makes merge fields of what looks like them in a pasted text.
export function fieldsIn(fragment, lineOf) {
	const all = [];
	fragment.forEach(node => {
		if (node.isText && node.text.includes("{{") && !node.marks.some(m => m.type === marks.code)) all.push(...lineOf(node.text).map(n => n.mark(node.marks)));
		else all.push(node.isText || node.type.spec.code ? node : node.copy(fieldsIn(node.content, lineOf)));
	});
	return Fragment.from(all);
}
