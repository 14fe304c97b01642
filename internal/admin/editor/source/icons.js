// The pictures on buttons, drawn for a square of 16 in the colour of the text.
const paths = {
	undo: "M6 3 2.5 6.5 6 10M3 6.5h6a4 4 0 0 1 0 8H6", redo: "m10 3 3.5 3.5L10 10m3-3.5H7a4 4 0 0 0 0 8h3",
	link: "M6.5 9.5a3 3 0 0 0 4.2 0l2.4-2.4a3 3 0 0 0-4.2-4.2l-.9.9M9.5 6.5a3 3 0 0 0-4.2 0L2.9 8.9a3 3 0 0 0 4.2 4.2l.9-.9",
	bullets: "M6 3.5h8M6 8h8M6 12.5h8M2 3.5h1M2 8h1M2 12.5h1", numbers: "M6.5 3.5H14M6.5 8H14M6.5 12.5H14M2 2.2l1-.7v4M1.7 10.3c.4-1 2-.9 2 .2 0 .8-1 1.4-2 2.5h2.2",
	quoted: "M3 4h3.5v4c0 2-1 3.5-3 4M9.5 4H13v4c0 2-1 3.5-3 4M3 4v4h3.5M9.5 4v4H13", left: "M2 3.5h12M2 8h7M2 12.5h10", right: "M2 3.5h12M7 8h7M4 12.5h10", centred: "M2 3.5h12M4.5 8h7M3 12.5h10",
	up: "M8 13V3M4 7l4-4 4 4", down: "M8 3v10M4 9l4 4 4-4", copy: "M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1", remove: "M2.5 4.5h11M6 4V2.5h4V4M4 4.5l.7 9h6.6l.7-9M6.7 7v4M9.3 7v4",
	image: "M2 3h12v10H2zM2 11l3.5-4 3 3.5 2-2L14 12M10.5 6h.1", drag: "M6 3h.1M10 3h.1M6 8h.1M10 8h.1M6 13h.1M10 13h.1", plus: "M8 3v10M3 8h10",
	words: "M2 4h12M2 8h12M2 12h8", heading: "M3.5 3v10M3.5 8h9M12.5 3v10", quote: "M3 4h3.5v4c0 2-1 3.5-3 4M9.5 4H13v4c0 2-1 3.5-3 4M3 4v4h3.5M9.5 4v4H13",
	table: "M2 3h12v10H2zM2 6.5h12M2 9.8h12M7 3v10", video: "M2 3h12v10H2zM6.5 5.8v4.4L10.3 8z", card: "M3 1.5h10v13H3zM3 7h10M5.5 9.5h5M5.5 12h3",
	button: "M2 5h12v6H2zM5 8h6", menu: "M1.5 8h3M6.5 8h3M11.5 8h3", social: "M2.5 8a2 2 0 1 0 4 0 2 2 0 1 0-4 0M9.5 4a2 2 0 1 0 4 0 2 2 0 1 0-4 0M9.5 12a2 2 0 1 0 4 0 2 2 0 1 0-4 0M6.3 7 9.7 5M6.3 9l3.4 2",
	columns: "M2 3h5v10H2zM9 3h5v10H9z", columns3: "M1.5 3h3.4v10H1.5zM6.3 3h3.4v10H6.3zM11.1 3h3.4v10h-3.4z", line: "M2 8h12", space: "M3 2h10M3 14h10M8 5v6M6.3 6.5 8 4.8l1.7 1.7M6.3 9.5 8 11.2l1.7-1.7",
	html: "M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5", saved: "M4 2h8v12l-4-3-4 3z",
};

// icon returns a picture. A screen reader says the label of its button.
export function icon(name, size = 16) {
	const space = "http://www.w3.org/2000/svg", svg = document.createElementNS(space, "svg"), path = document.createElementNS(space, "path");
	for (const [key, value] of Object.entries({width: size, height: size, viewBox: "0 0 16 16", "aria-hidden": "true", class: "canvas-icon"})) svg.setAttribute(key, value);
	path.setAttribute("d", paths[name]);
	svg.append(path);
	return svg;
}
