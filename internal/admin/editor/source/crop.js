// The part of an image that a mail shows: a shape from its centre, or a frame that the pointer moves and pulls, and whose
// edges have inputs for keys.
import {element} from "./bars.js";

const shapes = ["1:1", "4:3", "3:2", "16:9", "3:4"];

// newCropper returns the inputs. save gets the part as the server has it: "", a shape, or four numbers in percent.
export function newCropper(texts, file, save) {
	let part = [0, 0, 100, 100], value = "";
	const frame = element("div", {class: "canvas-part"}), image = element("img", {src: `/admin/images/${file}?w=600`, alt: "", draggable: "false", onload: () => show(value)});
	const stage = element("div", {class: "canvas-crop"}, image, frame);
	const choice = element("select", {onchange: () => store(choice.value === "own" ? ofNumbers() : choice.value)},
		...[["", texts.crop_whole], ...shapes.map(s => [s, s]), ["own", texts.crop_own]].map(([v, text]) => element("option", {value: v}, text)));
	const numbers = ["left", "top", "width", "height"].map((key, i) => {
		const field = element("input", {type: "number", min: i < 2 ? 0 : 1, max: 100, step: 1, oninput: () => {
			part[i] = +field.value || 0;
			store(ofNumbers());
		}});
		return element("label", {}, texts["crop_" + key], field);
	});
	const own = element("div", {class: "row"}, ...numbers);
	const dom = element("div", {class: "canvas-cropper"}, element("label", {}, texts.crop, choice), stage, own);

	// ofNumbers returns the part as text. It keeps the part in the image.
	function ofNumbers() {
		const round = n => Math.round(n * 100) / 100, clip = (n, least, most) => Math.min(Math.max(n, least), most);
		const [x, y] = part.slice(0, 2).map(n => clip(n, 0, 99));
		part = [round(x), round(y), round(clip(part[2], 1, 100 - x)), round(clip(part[3], 1, 100 - y))];
		return part.join();
	}

	function store(text) {
		show(text);
		save(text);
	}

	function show(text) {
		value = text;
		const isOwn = text.includes(",") || text === ofNumbers() && choice.value === "own";
		if (document.activeElement !== choice) choice.value = isOwn ? "own" : text;
		own.hidden = stage.hidden = !isOwn;
		if (isOwn) part = text.split(",").map(Number);
		else if (image.naturalWidth && text) part = centred(text);
		else if (!text) part = [0, 0, 100, 100];
		numbers.forEach((label, i) => {
			const field = label.lastChild;
			if (document.activeElement !== field) field.value = part[i];
		});
		["left", "top", "width", "height"].forEach((key, i) => frame.style[key] = part[i] + "%");
	}

	function centred(shape) {
		const [a, d] = shape.split(":").map(Number), wide = image.naturalWidth / image.naturalHeight / (a / d);
		const w = wide > 1 ? 100 / wide : 100, h = wide > 1 ? 100 : 100 * wide;
		return [(100 - w) / 2, (100 - h) / 2, w, h];
	}

	stage.addEventListener("pointerdown", event => {
		const box = stage.getBoundingClientRect(), at = e => [(e.clientX - box.left) / box.width * 100, (e.clientY - box.top) / box.height * 100];
		const from = at(event), was = [...part], near = 24 / box.width * 100;
		const pulls = Math.abs(from[0] - was[0] - was[2]) < near && Math.abs(from[1] - was[1] - was[3]) < near;
		const move = e => {
			const [dx, dy] = at(e).map((n, i) => n - from[i]);
			if (pulls) part = [was[0], was[1], was[2] + dx, was[3] + dy];
			else part = [Math.min(Math.max(was[0] + dx, 0), 100 - was[2]), Math.min(Math.max(was[1] + dy, 0), 100 - was[3]), was[2], was[3]];
			show(ofNumbers());
		};
		stage.setPointerCapture(event.pointerId);
		stage.addEventListener("pointermove", move);
		stage.addEventListener("pointerup", () => {
			stage.removeEventListener("pointermove", move);
			store(ofNumbers());
		}, {once: true});
		event.preventDefault();
	});
	return {dom, set value(text) { if (text !== value) show(text); }, get value() { return value; }};
}
