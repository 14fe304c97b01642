// Blocks that people of the Account have saved under a name. They are put into a mail as copies.
import {blocksOf, nodeOf} from "./blocks.js";
import {element} from "./bars.js";
import {blockAt} from "./keys.js";

// newSaved returns what the menu and the panel need. list has the names; the blocks come from the server.
export function newSaved(view, {texts, saved: list, may_save}, form, announce) {
	async function save(name, blocks) {
		const body = new URLSearchParams(), account = form.elements.of_account;
		if (account) body.append("of_account", account.value);
		body.append("name", name);
		body.append("blocks", JSON.stringify(blocks));
		const answer = await fetch("/admin/blocks", {method: "POST", body, headers: {Accept: "application/json"}});
		const said = await answer.json();
		if (!answer.ok) throw Object.assign(new Error(said.problem), {isSaid: true});
		return said;
	}

	// chosen returns the blocks of the selection: all that it reaches, or the one of the cursor.
	function chosen() {
		const at = blockAt(view.state), {from, to, $from} = view.state.selection, all = [];
		if ($from.sharedDepth(to) === 0 && to - from > at.node.nodeSize) view.state.doc.nodesBetween(from, to, node => {
			all.push(node);
			return false;
		});
		return all.length > 1 ? all : [at.node];
	}

	return {
		all: () => list,
		async nodes(saved) {
			try {
				const answer = await fetch(`/admin/blocks/${saved.id}/content`), {blocks, contents} = await answer.json();
				return blocks.map(b => nodeOf(b, contents)).filter(Boolean);
			} catch {
				announce(texts.saved_gone);
				return [];
			}
		},
		// form returns the inputs that save the block of the panel.
		form(at) {
			if (!may_save || !at) return null;
			const name = element("input", {type: "text", maxlength: 100, "aria-label": texts.save_name, placeholder: texts.save_name, onkeydown: event => event.key === "Enter" && button.click()});
			const button = element("button", {type: "button", onclick: async () => {
				if (!name.value.trim()) return name.focus();
				const now = chosen();
				try {
					const made = await save(name.value, blocksOf({forEach: f => now.forEach(f)}));
					list.push(made);
					list.sort((a, b) => a.name.localeCompare(b.name));
					name.value = "";
					announce(texts.save_done.replace("{name}", made.name));
				} catch (err) {
					announce(err.isSaid ? err.message : texts.save_failed);
				}
			}}, texts.save_block);
			return element("details", {class: "canvas-more"}, element("summary", {}, texts.save_title), element("div", {class: "canvas-item"}, name, button));
		},
	};
}
