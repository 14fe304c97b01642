// What a block has in place of the theme: colours, space and corners. The server decides the same for the mail
// (internal/mail/html_looks.go, internal/colour), and a test compares both.

// theme has the colours of the mail: accent, card and text. main.js sets them before the first block is shown.
export const theme = {accent: "#146c4f", card: "#ffffff", text: "#22252a"};

const darkCard = "#1e2124", darkText = "#e6e3dd", white = [255, 255, 255], inkColour = [22, 24, 26];

const parse = text => /^#[0-9a-f]{6}$/.test(text) ? [1, 3, 5].map(i => parseInt(text.slice(i, i + 2), 16)) : [0, 0, 0];
const hex = c => "#" + c.map(v => Math.round(v).toString(16).padStart(2, "0")).join("");
const mix = (a, b, part) => a.map((v, i) => v + (b[i] - v) * part);

function contrast(a, b) {
	const light = c => c.reduce((sum, v, i) => sum + [.2126, .7152, .0722][i] * (v / 255 <= .04045 ? v / 255 / 12.92 : ((v / 255 + .055) / 1.055) ** 2.4), 0);
	const [x, y] = [light(a), light(b)];
	return (Math.max(x, y) + .05) / (Math.min(x, y) + .05);
}

// towards returns the first colour from c towards another one that has a contrast with a ground.
function towards(c, other, ground, least) {
	for (let part = 0; part < 1; part += .1) {
		const m = mix(c, other, part);
		if (contrast(m, ground) >= least) return m;
	}
	return other;
}

const textOn = c => contrast(c, white) >= 4.5 || contrast(c, white) >= contrast(c, inkColour) ? white : inkColour;

// inks returns the colours of words, links and what stands on the colour of the words, in the light and in the dark.
function inks(ink, ground) {
	const accent = parse(theme.accent), card = parse(theme.card), dark = parse(darkCard);
	if (ground) {
		const on = parse(ground), own = parse(ink || theme.text);
		const words = ink || contrast(own, on) >= 4.5 ? towards(own, textOn(on), on, 4.5) : textOn(on);
		const link = towards(accent, words, on, 4.5);
		return {words, link, darkWords: words, darkLink: link};
	}
	return {
		words: towards(parse(ink), textOn(card), card, 4.5), link: towards(accent, parse(theme.text), card, 4.5),
		darkWords: towards(parse(ink), parse(darkText), dark, 4.5), darkLink: towards(accent, parse(darkText), dark, 4.5),
	};
}

const filled = ["button", "video"];

// looksOf returns the class and the style of a block, and whether its content stands in a box, as hasBox and block of the server do.
export function looksOf(type, {colour = "", ground = "", padding = 0, corner = 0, place, file, url}) {
	const isFilled = filled.includes(type), under = isFilled ? "" : ground;
	const box = type !== "space" && (padding > 0 || !isFilled && (ground !== "" || corner > 0 && type !== "image"));
	const inset = box && corner > 0 && !isFilled && type !== "image";
	const vars = [], classes = [];
	if (under || colour && !isFilled && type !== "line") {
		const c = inks(type === "line" ? "" : colour, under);
		vars.push(`--light-ink: ${hex(c.words)}`, `--light-link: ${hex(c.link)}`, `--dark-ink: ${hex(c.darkWords)}`, `--dark-link: ${hex(c.darkLink)}`, `--on-ink: ${hex(textOn(c.words))}`);
		classes.push("toned");
	}
	if (type === "line" && colour) vars.push(`--rule: ${colour}`), classes.push("lined");
	if (under) {
		vars.push(`--ground: ${under}`);
		if (contrast(parse(theme.accent), parse(under)) < 2) classes.push("swapped");
	}
	if (isFilled) {
		const fill = parse(ground || theme.accent);
		if (ground) vars.push(`--fill: ${ground}`);
		if (ground || colour) vars.push(`--fill-ink: ${hex(colour ? towards(parse(colour), textOn(fill), fill, 4.5) : textOn(fill))}`), classes.push("filled");
	}
	if (corner) vars.push(`--corner: ${corner}px`), classes.push("cornered");
	const all = padding || (under || inset ? 20 : 0);
	const isFull = type === "card" && !place && (file || url) && !padding;
	const top = Math.max(0, isFull ? 0 : all - (type === "heading" ? 12 : 0)), bottom = Math.max(0, all - 16);
	if (box) vars.push(`--top: ${top}px`, `--bottom: ${bottom}px`);
	return {box, inset, isFull: box && isFull, band: box && !corner && !!ground, classes, style: vars.join("; ")};
}

// iconColours returns the colours of an icon on the ground of the mail.
export function iconColours() {
	const disc = towards(parse(theme.accent), white, parse(darkCard), 3);
	return {disc: hex(disc), line: hex(textOn(disc))};
}
