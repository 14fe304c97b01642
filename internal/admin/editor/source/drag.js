// Beside the block below the pointer are a grip, by which it is dragged, and between two blocks a button that inserts one.
// Keys do the same by the panel, so both are hidden from screen readers.
import {icon} from "./icons.js";
import {element, openMenu} from "./bars.js";
import {moveTo} from "./keys.js";

// newHandles returns the elements that follow the pointer. host is what they are placed in.
export function newHandles(view, data, host) {
	const {texts} = data;
	const grip = element("button", {type: "button", class: "canvas-grip", tabindex: -1, "aria-hidden": "true", title: texts.drag}, icon("drag"));
	const plus = element("button", {type: "button", class: "canvas-plus", tabindex: -1, "aria-hidden": "true", title: texts.add}, icon("plus"));
	const mark = element("div", {class: "canvas-mark", hidden: true});
	host.append(grip, plus, mark);
	let over = null, gap = null, drag = null;

	const blockOf = target => target.closest?.("[data-block]");
	const posOf = dom => view.posAtDOM(dom, 0) - 1;
	const startOf = dom => {
		const pos = view.posAtDOM(dom, 0), $pos = view.state.doc.resolve(pos);
		for (let d = $pos.depth; d > 0; d--) if (view.nodeDOM($pos.before(d)) === dom) return $pos.before(d);
		return view.nodeDOM(pos) === dom ? pos : posOf(dom);
	};

	// nearest returns the gap between blocks that is nearest to a point: its place in the document and on the page.
	function nearest(x, y) {
		const inside = document.elementsFromPoint(x, y).find(e => view.dom.contains(e) || e === view.dom);
		if (!inside) return null;
		const column = inside.closest(".col"), list = column && drag?.isColumns !== true ? column : view.dom;
		const all = [...list.children].filter(e => e.matches("[data-block]"));
		if (!all.length) return column ? {pos: view.posAtDOM(column, 0), box: column.getBoundingClientRect(), y: column.getBoundingClientRect().top + 8} : {pos: 0, box: view.dom.getBoundingClientRect(), y: view.dom.getBoundingClientRect().top};
		let best = null;
		for (const dom of all) {
			const box = dom.getBoundingClientRect(), start = startOf(dom);
			for (const [at, pos] of [[box.top, start], [box.bottom, start + view.state.doc.nodeAt(start).nodeSize]]) {
				if (!best || Math.abs(at - y) < Math.abs(best.y - y)) best = {pos, box, y: at};
			}
		}
		return best;
	}

	function place(e, left, top) {
		const box = host.getBoundingClientRect();
		e.style.left = left - box.left + "px";
		e.style.top = top - box.top + "px";
	}

	host.addEventListener("pointermove", event => {
		if (drag) return;
		const block = blockOf(event.target);
		if (block && view.dom.contains(block)) {
			over = block;
			const box = block.getBoundingClientRect();
			place(grip, box.left - 12, box.top);
			grip.classList.add("shown");
		}
		if (event.target === plus) return;
		gap = nearest(event.clientX, event.clientY);
		const isNear = gap && Math.abs(gap.y - event.clientY) < 14;
		if (!isNear && over?.isConnected) { // below the block is where the next one goes: it can be seen, but not be hit by mistake
			const start = startOf(over), box = over.getBoundingClientRect();
			gap = {pos: start + view.state.doc.nodeAt(start).nodeSize, box, y: box.bottom};
		}
		plus.classList.toggle("shown", !!isNear);
		plus.classList.toggle("faint", !!gap && !isNear);
		if (gap) place(plus, gap.box.left + gap.box.width / 2 - 12, gap.y - 12);
	});
	host.addEventListener("pointerleave", () => drag || [grip, plus].forEach(e => e.classList.remove("shown", "faint")));
	plus.addEventListener("click", () => gap && openMenu(view, data, plus, gap.pos));

	grip.addEventListener("pointerdown", event => {
		if (!over?.isConnected || event.button !== 0) return;
		const pos = startOf(over);
		drag = {pos, dom: over, isColumns: view.state.doc.nodeAt(pos).type.name === "columns", to: null};
		grip.setPointerCapture(event.pointerId);
		over.classList.add("dragged");
		plus.classList.remove("shown", "faint");
		event.preventDefault();
	});
	grip.addEventListener("pointermove", event => {
		if (!drag) return;
		const to = nearest(event.clientX, event.clientY);
		drag.to = to?.pos ?? null;
		mark.hidden = !to;
		if (!to) return;
		place(mark, to.box.left, to.y - 2);
		mark.style.width = to.box.width + "px";
		if (event.clientY < 60) scrollBy(0, -16);
		if (event.clientY > innerHeight - 60) scrollBy(0, 16);
	});
	const end = isDrop => {
		if (!drag) return;
		const {pos, to, dom} = drag;
		drag = null;
		mark.hidden = true;
		dom.classList.remove("dragged");
		if (isDrop && to !== null) moveTo(view.state, view.dispatch, pos, to);
		view.focus();
	};
	grip.addEventListener("pointerup", () => end(true));
	grip.addEventListener("pointercancel", () => end(false));
}
