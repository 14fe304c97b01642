/*! The editor of enlist. It contains ProseMirror (prosemirror-commands 1.7.2, prosemirror-history 1.5.2, prosemirror-inputrules 1.7.0,
prosemirror-keymap 1.2.3, prosemirror-model 1.25.13, prosemirror-schema-list 1.6.1, prosemirror-state 1.4.4, prosemirror-transform 1.12.7,
prosemirror-view 1.44.0), orderedmap 2.1.1, rope-sequence 1.3.4 and w3c-keyname 2.2.8, under this licence:

Copyright (C) 2015-2017 by Marijn Haverbeke <marijn@haverbeke.berlin> and others

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in
all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN
THE SOFTWARE.
*/
// The editor of a Message of blocks: it takes the place of the form's blocks, and sends them with the form as JSON. Without
// this script, the form is as the server wrote it. The server gives all that is here with the page: the blocks, the HTML
// of their texts, the names of Fields, the images and the texts of the buttons.
import {EditorState, Plugin, PluginKey} from "prosemirror-state";
import {Decoration, DecorationSet, EditorView} from "prosemirror-view";
import {DOMSerializer} from "prosemirror-model";
import {history} from "prosemirror-history";
import {keymap} from "prosemirror-keymap";
import {schema} from "./schema.js";
import {blocksOf, docOf} from "./blocks.js";
import {markdownOf} from "./markdown.js";
import {addBelow, blockAt, dropEmptied, keys, rules} from "./keys.js";
import {askLink, closeAsk, element, isInLink, missing, newToolbar, openSlash} from "./bars.js";
import {newPanel} from "./panel.js";
import {newInbox} from "./inbox.js";
import {checkMarks, newChecks, noteAt, pathOf} from "./checks.js";
import {newLive} from "./live.js";
import {newUploads} from "./upload.js";
import {newHandles} from "./drag.js";
import {newSaved} from "./saved.js";
import {pressOn, theme, toneWithin} from "./looks.js";
import {networks} from "./social.js";
import {cleaned, withFields} from "./paste.js";

const refusedKey = new PluginKey("refused");

function start(place, data) {
	const form = place.closest("form"), {texts} = data;
	data.saved ??= [];
	Object.assign(theme, data.theme);
	networks.push(...data.networks);
	const state = EditorState.create({doc: docOf(data.blocks, data.contents), plugins: [rules, keymap({...keys, "Mod-k": () => askLink(view, texts) || true,
		"Alt-F10": () => toolbar.dom.querySelector("button:enabled, select:enabled").focus() || true}), history(), hints(texts), refused(data), checkMarks]});
	const rows = element("div", {class: "rows"});
	const logo = data.logo && element("div", {class: "picture"}, element("img", {src: `/admin/images/${data.logo}`, alt: data.logo_text, width: data.logo_width}));
	const card = element("div", {class: "card"}, element("div", {class: "top"}), logo || null, rows,
		element("div", {class: "foot"}, element("p", {}, ...data.foot.flatMap((line, i) => i ? [element("br"), line] : [line]))));
	const canvas = element("div", {class: "canvas"}, element("div", {class: "paper"}, element("div", {class: "around"}, card)));
	canvas.style.cssText = [`--room: ${data.room}px`, ...pressOn("", "")].join("; ");
	const live = element("div", {class: "canvas-live second", role: "status"});
	const work = element("div", {class: "canvas-work"});

	const view = new EditorView({mount: rows}, {
		state,
		attributes: ({doc}) => ({id: "mail", role: "textbox", "aria-multiline": "true", "aria-label": texts.mail, spellcheck: "true", ...!doc.childCount && {class: "blank", "data-hint": texts.hint_text}}),
		nodeViews: {heading: headed, subheading: headed, title: headed, cell: headed},
		handleDOMEvents: {mouseup: () => view.state.doc.childCount || addBelow("words")(view.state, view.dispatch)},
		handleTextInput: (_, from, to, text) => text === "/" && openSlash(view, data),
		handleClick: (_, pos, event) => void (event.target.closest(".text a, .caption a") && requestAnimationFrame(() => isInLink(view.state) && askLink(view, texts, true))),
		handleClickOn: (_, pos, node, at, event) => void (event.target.closest(".none") && "file" in node.attrs && setTimeout(choosePicture)),
		transformPastedHTML: cleaned, transformPasted: withFields,
		handlePaste: (_, event) => data.may_upload && uploads.take(event.clipboardData, placeToPaste(view.state.selection)),
		handleDrop: (_, event, slice, moved) => !moved && data.may_upload &&
			uploads.take(event.dataTransfer, view.posAtCoords({left: event.clientX, top: event.clientY})?.pos ?? view.state.doc.content.size),
		dispatchTransaction(tr) {
			if (tr.getMeta("uiEvent") === "paste") dropEmptied(view.state, tr);
			view.updateState(view.state.apply(tr));
			uploads.map(tr.mapping);
			update();
			if (!tr.docChanged) return;
			form.dispatchEvent(new Event("input", {bubbles: true}));
		},
	});
	const refusedAt = pos => refusedKey.getState(view.state).find(pos, pos + 1)[0]?.spec.text, wrongAt = pos => refusedAt(pos) || noteAt(view.state, pos);
	const choosePicture = () => panel.dom.querySelector(data.images.length ? ".pictures button" : "input[type=file]")?.[data.images.length ? "focus" : "click"]();
	const announce = text => live.textContent = text;
	const uploads = newUploads(view, data, form, announce);
	data.saved = newSaved(view, data, form, announce);
	const toolbar = newToolbar(view, {...data, mail: "mail"});
	const panel = newPanel(view, data, {announce, wrongAt, isRefused: refusedAt, uploads, pathOf: pos => pathOf(view.state.doc, pos, inbox.blocks().length)});
	const looks = newLooks(canvas, texts);
	work.append(element("div", {class: "canvas-view"}, canvas), panel.dom);
	place.append(element("div", {class: "canvas-top"}, toolbar.dom, looks), work, live);
	for (const old of document.querySelectorAll("[data-without-script]")) old.remove();
	place.hidden = false;
	place.closest(".editor").classList.add("with-canvas");
	newHandles(view, data, work.firstChild);

	const inbox = newInbox(form, data);
	const all = () => [...inbox.blocks(), ...blocksOf(view.state.doc)];

	const update = () => {
		if (document.querySelector(".canvas-ask.look") && !isInLink(view.state)) closeAsk();
		toolbar.update();
		panel.update();
	};
	update();

	// The blocks are sent with the form. ui/kept.js keeps the text until the server has it.
	form.inside = {
		text: () => JSON.stringify({doc: view.state.doc.toJSON(), preheader: inbox.text()}),
		put(text) {
			const {doc, preheader} = JSON.parse(text), node = schema.nodeFromJSON(doc);
			node.check();
			view.dispatch(view.state.tr.replaceWith(0, view.state.doc.content.size, node.content));
			inbox.set(preheader);
		},
	};
	form.addEventListener("formdata", event => event.formData.set("blocks", JSON.stringify(all())));
	newChecks(view, form, texts, () => inbox.blocks().length);
	newLive(form, "/admin/messages/contacts");
	place.canvas = {view, blocks: all, written}; // for tests
}

// written returns the Markdown of texts, as if a person had changed each of them; null: it is edited as Markdown.
const written = contents => contents.map(html => {
	const {firstChild} = docOf([{type: "text"}], [html]);
	return firstChild.type.name === "markdown" ? null : markdownOf(firstChild);
});

// headed draws a heading, or a cell. As long as it is empty, it is no heading for screen readers.
function headed(first) {
	let node = first;
	const {dom, contentDOM} = DOMSerializer.renderSpec(document, node.type.spec.toDOM(node));
	const update = next => {
		if (!next.sameMarkup(node)) return false;
		node = next;
		if (node.content.size) contentDOM.removeAttribute("role");
		else contentDOM.setAttribute("role", node.type === schema.nodes.cell ? "cell" : "presentation");
		return true;
	};
	update(node);
	return {dom, contentDOM, update};
}

// placeToPaste is an image without a picture that is selected, or else the end of the selection.
const placeToPaste = ({from, to, node}) => node?.type === schema.nodes.image && !node.attrs.file ? from : to;

// newLooks returns the buttons that show the mail as on a phone or in the dark.
function newLooks(canvas, texts) {
	const toggle = (key, name) => {
		const b = element("button", {type: "button", class: "tag off", "aria-pressed": "false", onclick: () => {
			const is = canvas.classList.toggle(name);
			b.setAttribute("aria-pressed", is);
			b.classList.toggle("off", !is);
		}}, texts[key]);
		return b;
	};
	return element("p", {class: "row canvas-looks"}, toggle("phone", "phone"), toggle("dark", "dark"));
}

// hints shows what an empty text is for, what a block needs, and which block has the cursor.
function hints(texts) {
	return new Plugin({props: {decorations(state) {
		const all = [], at = blockAt(state);
		if (at) all.push(Decoration.node(at.pos, at.pos + at.node.nodeSize, {class: "current"}));
		state.doc.descendants((node, pos, parent) => {
			const needs = missing(texts, node);
			if (parent.type.name === "column") {
				const style = toneWithin(node.type.name, node.attrs, state.doc.resolve(pos).node(1).attrs.ground);
				if (style) all.push(Decoration.node(pos, pos + node.nodeSize, {style}));
			}
			if (node.attrs?.rest?.show_if) all.push(Decoration.node(pos, pos + node.nodeSize, {class: "some"}));
			if (needs) all.push(Decoration.node(pos, pos + node.nodeSize, {class: "needs", "data-needs": needs}));
			if (node.isTextblock) {
				if (node.content.size === 0 && (parent.childCount === 1 || !["words", "quote", "body"].includes(parent.type.name) || node.type.name === "by")) {
					const hint = texts[{paragraph: "hint_text", heading: "hint_heading", button: "hint_button", by: "hint_by", html: "hint_html", video: "hint_video", title: "hint_title", label: "hint_label", action: "hint_button"}[node.type.name]];
					if (hint && !["list_item", "blockquote"].includes(parent.type.name)) all.push(Decoration.node(pos, pos + node.nodeSize, {class: "empty", "data-hint": hint}));
				}
				return false;
			}
			return true;
		});
		return DecorationSet.create(state.doc, all);
	}}});
}

// refused marks the blocks that the server has refused, until they change.
function refused(data) {
	return new Plugin({
		key: refusedKey,
		state: {
			init: (_, state) => {
				const all = [], queue = [...data.wrong];
				state.doc.descendants((node, pos) => {
					if (!node.type.spec.group?.includes("block")) return node.type.name === "column";
					const text = queue.shift();
					if (text) all.push(Decoration.node(pos, pos + node.nodeSize, {class: "refused"}, {text}));
					return node.type.name === "columns";
				});
				return DecorationSet.create(state.doc, all);
			},
			apply: (tr, set) => set.map(tr.mapping, tr.doc),
		},
		props: {decorations(state) { return this.getState(state); }},
	});
}

// write begins to count and to check what is typed into a Message without blocks.
function write({dataset}, form) {
	const data = JSON.parse(dataset.writing);
	newInbox(form, data);
	newChecks(null, form, data.texts, () => 0);
	newLive(form, "/admin/messages/contacts");
}

const place = document.getElementById("canvas"), writing = document.querySelector("[data-writing]");
if (writing) write(writing, writing.closest("form"));
if (place) {
	const data = JSON.parse(place.dataset.canvas);
	for (const key of ["blocks", "contents", "wrong", "images", "fields", "saved"]) data[key] ??= []; // Go writes an empty list as null
	start(place, data);
}
