// What a person can do to blocks and texts, by keys, by the shorthands of Markdown, and by the buttons of bars.js.
import {NodeSelection, TextSelection, Selection} from "prosemirror-state";
import {Fragment} from "prosemirror-model";
import {baseKeymap, chainCommands, createParagraphNear, exitCode, liftEmptyBlock, newlineInCode, splitBlock, toggleMark} from "prosemirror-commands";
import {redo, undo} from "prosemirror-history";
import {InputRule, inputRules, textblockTypeInputRule, wrappingInputRule} from "prosemirror-inputrules";
import {liftListItem, sinkListItem, splitListItem} from "prosemirror-schema-list";
import {schema} from "./schema.js";

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
	case "columns": return schema.node("columns", null, ["", ""].map(() => schema.node("column", null, newBlock("words"))));
	}
	return schema.node(type);
}

// select puts the cursor into a block, or selects one that has no text.
export function select(tr, pos) {
	const node = tr.doc.nodeAt(pos);
	if (!node) return tr.setSelection(Selection.near(tr.doc.resolve(Math.min(pos, tr.doc.content.size)), -1));
	const inside = node.isAtom ? null : Selection.findFrom(tr.doc.resolve(pos + 1), 1, true);
	return tr.setSelection(inside && inside.from < pos + node.nodeSize ? inside : NodeSelection.create(tr.doc, pos)).scrollIntoView();
}

export const insertAt = (pos, type) => (state, dispatch) => {
	dispatch?.(select(state.tr.insert(pos, newBlock(type)), pos));
	return true;
};

export const addBelow = type => (state, dispatch) => {
	const at = blockAt(state);
	let pos = at ? at.pos + at.node.nodeSize : state.doc.content.size;
	if (at && type === "columns" && at.parent.type === nodes.column) pos = at.$pos.after(1);
	return insertAt(pos, type)(state, dispatch);
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
	if (!isWhole && ![nodes.heading, nodes.button, nodes.by].includes($from.parent.type)) return false;
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
	"Enter": chainCommands(newText, newlineInCode, splitListItem(nodes.list_item), createParagraphNear, liftEmptyBlock, splitBlock),
	"Mod-Enter": chainCommands(exitCode, addBelow("words")),
	"Shift-Enter": chainCommands(newlineInCode, hardBreak),
	"Tab": sinkListItem(nodes.list_item), "Shift-Tab": liftListItem(nodes.list_item),
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
