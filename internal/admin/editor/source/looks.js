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

// darkGround returns the ground of a block in the dark: a light one that is nearly the card becomes nearly the dark card.
function darkGround(ground) {
	const g = parse(ground), card = parse(theme.card);
	if (g.some((v, i) => Math.abs(v - card[i]) > 60) || contrast(g, parse(darkText)) >= 4.5) return ground;
	return hex(mix(parse(darkCard), g, .08));
}

// inksOn returns the colours of words and links on a ground. own is the colour that the person has chosen, or "".
function inksOn(on, own, usual) {
	const ink = parse(own || usual), words = own || contrast(ink, on) >= 4.5 ? towards(ink, textOn(on), on, 4.5) : textOn(on);
	return [words, towards(parse(theme.accent), words, on, 4.5)];
}

// inks returns the colours of words and links, in the light and in the dark.
function inks(ink, ground) {
	const accent = parse(theme.accent), card = parse(theme.card), dark = parse(darkCard);
	if (ground) {
		const [words, link] = inksOn(parse(ground), ink, theme.text), other = darkGround(ground);
		const [darkWords, darkLink] = other === ground ? [words, link] : inksOn(parse(other), ink, darkText);
		return {words, link, darkWords, darkLink};
	}
	return {
		words: towards(parse(ink), textOn(card), card, 4.5), link: towards(accent, parse(theme.text), card, 4.5),
		darkWords: towards(parse(ink), parse(darkText), dark, 4.5), darkLink: towards(accent, parse(darkText), dark, 4.5),
	};
}

const filled = ["button", "video"];

const flush = ["words", "text", "heading", "quote", "table"];

// toneOf returns the colours of a block as variables of CSS. within is the ground of the columns around it.
function toneOf(colour, ground, within) {
	const on = ground || within, c = inks(colour, on), dark = on && darkGround(on), icon = dark === on ? c.words : parse(iconColours().disc);
	const vars = [`--light-ink: ${hex(c.words)}`, `--light-link: ${hex(c.link)}`, `--dark-ink: ${hex(c.darkWords)}`, `--dark-link: ${hex(c.darkLink)}`, `--icon: ${hex(icon)}`, `--on-icon: ${hex(textOn(icon))}`];
	return ground ? [...vars, `--light-ground: ${ground}`, `--dark-ground: ${dark}`, ...pressOn(ground, dark)] : vars;
}

// pressOn returns the colours of buttons without their own: one that could not be seen on a ground has those of its words.
export function pressOn(ground, dark) {
	const accent = parse(theme.accent), isLost = ground && contrast(accent, parse(ground)) < 2, c = isLost && inks("", ground), usual = [theme.accent, hex(textOn(accent))];
	const [light, other] = isLost ? [[hex(c.words), ground], [hex(c.darkWords), dark]] : [usual, usual];
	return [`--light-press: ${light[0]}`, `--light-press-ink: ${light[1]}`, `--dark-press: ${other[0]}`, `--dark-press-ink: ${other[1]}`];
}

// toneWithin returns the colours of a block with words of its own colour in columns that have a ground; "": the usual ones.
export const toneWithin = (type, {colour, ground}, within) => !colour || ground || ["line", "space", ...filled].includes(type) ? "" : toneOf(colour, "", within).join("; ");

// looksOf returns the class and the style of a block, and whether its content stands in a box, as hasBox and block of the server do.
export function looksOf(type, {colour = "", ground = "", padding = 0, corner = 0, place, file, url}) {
	const isFilled = filled.includes(type), under = isFilled ? "" : ground;
	const box = type !== "space" && (padding > 0 || !isFilled && (ground !== "" || corner > 0 && type !== "image"));
	const inset = box && corner > 0 && !isFilled && type !== "image";
	const vars = [], classes = [];
	if (under || colour && !isFilled && type !== "line") {
		vars.push(...toneOf(type === "line" ? "" : colour, under, ""));
		classes.push("toned");
	}
	if (type === "line" && colour) vars.push(`--rule: ${colour}`), classes.push("lined");
	if (isFilled) {
		const fill = parse(ground || theme.accent);
		if (ground) vars.push(`--fill: ${ground}`);
		if (ground || colour) vars.push(`--fill-ink: ${hex(colour ? towards(parse(colour), textOn(fill), fill, 4.5) : textOn(fill))}`), classes.push("filled");
	}
	if (corner) vars.push(`--corner: ${corner}px`), classes.push("cornered");
	const all = padding || (under || inset ? 20 : 0), isFlush = box && flush.includes(type);
	const isFull = type === "card" && !place && (file || url) && !padding;
	if (box) vars.push(`--top: ${isFull ? 0 : all}px`, `--bottom: ${isFlush ? all : Math.max(0, all - 16)}px`);
	return {box, inset, isFlush, isFull: box && isFull, band: box && !corner && !!ground, classes, style: vars.join("; ")};
}

// iconColours returns the colours of an icon on the ground of the mail.
export function iconColours() {
	const disc = towards(parse(theme.accent), white, parse(darkCard), 3);
	return {disc: hex(disc), line: hex(textOn(disc))};
}
