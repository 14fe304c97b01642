// Pictures that are dropped, pasted or chosen are stored in the library of images, whole: the server makes what mails show,
// and leaves out what else the file says, such as a place. The browser makes those smaller that the server would refuse.
import {NodeSelection} from "prosemirror-state";
import {isSample, schema} from "./schema.js";

const kinds = {"image/jpeg": "image/jpeg", "image/png": "image/png", "image/webp": "image/jpeg", "image/gif": ""};

export const picturesOf = transfer => [...transfer?.files || []].filter(f => f.type in kinds);

// smaller returns a picture that has at most so many bytes. One that moves stays as it is.
async function smaller(file, bytes, most) {
	if (file.size <= bytes) return file;
	const kind = kinds[file.type];
	if (!kind) return file;
	const bitmap = await createImageBitmap(file);
	const width = Math.min(bitmap.width, most), canvas = document.createElement("canvas");
	canvas.width = width;
	canvas.height = Math.max(1, Math.round(bitmap.height * width / bitmap.width));
	canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height);
	const made = await new Promise(done => canvas.toBlob(done, kind, 0.86));
	const name = file.name.replace(/\.\w+$/, "") + (kind === "image/png" ? ".png" : ".jpg");
	return made && (kind !== "image/png" || made.size < file.size || width < bitmap.width) ? new File([made], name, {type: kind}) : file;
}

// newUploads returns what stores pictures. map keeps the places to which they go while the person types on.
export function newUploads(view, {texts, images, room, max_upload}, form, announce) {
	const waiting = new Set();

	async function store(file) {
		const body = new FormData(), account = form.elements.of_account;
		if (account) body.append("of_account", account.value);
		const made = await smaller(file, max_upload, 2 * room);
		body.append("file", made, made.name);
		const answer = await fetch("/admin/images", {method: "POST", body, headers: {Accept: "application/json"}});
		const said = await answer.json();
		if (!answer.ok) throw Object.assign(new Error(said.problem), {isSaid: true});
		return said;
	}

	// add stores pictures, and shows them at a place between blocks, or in the block there if it is an image.
	async function add(files, pos, replace) {
		const place = {pos};
		waiting.add(place);
		for (const file of files) {
			announce(texts.uploading + " " + file.name);
			try {
				const image = await store(file);
				images.unshift(image);
				show(image, place, replace);
				replace = false;
				announce(texts.uploaded + " " + image.name);
			} catch (err) {
				announce(`${file.name}: ${err.isSaid ? err.message : texts.not_uploaded}`);
			}
		}
		waiting.delete(place);
	}

	function show(image, place, replace) {
		const {tr, doc} = view.state, old = doc.nodeAt(place.pos);
		const attrs = {file: image.id, url: "", crop: "", width: Math.min(image.width, 2000), ...isSample(old?.attrs.url || "") && {alt: ""}};
		if (replace && old && "file" in old.attrs) tr.setNodeMarkup(place.pos, null, {...old.attrs, ...attrs});
		else tr.insert(place.pos, schema.node("image", attrs));
		const at = place.pos;
		view.dispatch(tr.setSelection(NodeSelection.create(tr.doc, at)).scrollIntoView());
		place.pos = at + 1;
	}

	// placeOf returns the end of the block at a position, or the block if it is an image without a picture.
	function placeOf(pos) {
		const $pos = view.state.doc.resolve(pos);
		for (let d = $pos.depth; d >= 0; d--) {
			if (!["doc", "column"].includes($pos.node(d).type.name)) continue;
			const after = $pos.nodeAfter;
			if ($pos.depth === d) return {pos, replace: after?.type === schema.nodes.image && !after.attrs.file && !after.attrs.url};
			return {pos: $pos.after(d + 1), replace: false};
		}
		return {pos: 0, replace: false};
	}

	return {
		add,
		map: mapping => waiting.forEach(place => place.pos = mapping.map(place.pos)),
		// take takes the pictures of an event, if it has any.
		take(transfer, pos) {
			const files = picturesOf(transfer);
			if (!files.length || [...transfer.types].includes("text/html") && transfer.getData("text/html").includes("<p")) return false;
			const at = placeOf(pos);
			add(files, at.pos, at.replace);
			return true;
		},
	};
}
