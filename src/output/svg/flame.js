// Takes the still picture over: reads the frames from the document and lays them out again for the
// window, the zoom and the direction. No data is in here; names are only ever set as text.
const SVG = "http://www.w3.org/2000/svg";
const HTML = "http://www.w3.org/1999/xhtml";
const PAD = 10; // px beside the graph
const LABEL_PAD = 3;
const LABEL_MIN = 3; // characters
const HIDE_BELOW = 0.1; // px

export const root = document.currentScript.closest("svg");
export const group = root.querySelector("#frames");
const ROW = +root.dataset.row;

// ---- the frames, by their number in the document: a parent comes before its children
export const nodes = Array.from(group.children);
export const n = nodes.length;
export const total = new Float64Array(n);
export const depth = new Uint32Array(n);
const start = new Float64Array(n); // weight to the left
export const parent = new Int32Array(n).fill(-1);
export const end = new Int32Array(n); // the frames i+1 .. end[i]-1 lie above i
const names = new Array(n);
export const numberOf = new Map();

export function readFrames() {
	const path = [];
	const filled = new Float64Array(n);
	for (let i = 0; i < n; i++) {
		const [weight, level] = nodes[i].dataset.v.split(" ").map(Number);
		while (path.length > level)
			end[path.pop()] = i;
		total[i] = weight;
		depth[i] = level;
		if (level) {
			const up = path[level - 1];
			parent[i] = up;
			start[i] = start[up] + filled[up];
			filled[up] += weight;
		}
		path.push(i);
		numberOf.set(nodes[i], i);
	}
	for (const i of path)
		end[i] = n;
}

export const titleOf = i => nodes[i].firstChild.textContent.split("\n");
export const nameOf = i => names[i] ?? (names[i] = titleOf(i)[0]);

export function percent(part, whole) {
	const p = whole ? part / whole * 100 : 0;
	return p > 0 && p < 0.005 ? "<0.01 %" : p.toFixed(2) + " %";
}

// ---- what is shown
export const state = { zoom: 0, search: "", inverted: root.dataset.inverted === "1" };
export let width = 0; // px of the graph
export const shown = new Uint8Array(n).fill(1);
const labels = new Array(n); // undefined: as in the document
export const widths = new Float64Array(n);

// ---- elements around the graph
export function make(tag, attributes = {}, ...children) {
	const e = document.createElementNS(HTML, tag);
	for (const [key, value] of Object.entries(attributes))
		e.setAttribute(key, value);
	e.append(...children);
	return e;
}

function fullText(id) {
	const e = root.querySelector("#" + id);
	return (e.querySelector("title") ?? e).textContent;
}

const KEYS = [
	[["click", "Enter"], "zoom into a frame"],
	[["Esc"], "leave the search, then zoom out"],
	[["\u2190", "\u2191", "\u2192", "\u2193"], "go to the next frame"],
	[["Home"], "go to the zoomed frame"],
	[["/", "Ctrl F"], "search (a regular expression; capitals count if there are any)"],
	[["n", "N"], "go to the next match, the one before"],
	[["i"], "turn upside down"],
	[["?"], "show or hide these keys"],
];

function makeLegend() {
	const legend = make("div", { class: "legend" });
	for (const g of root.querySelectorAll("#legend > g")) {
		const swatch = make("i");
		swatch.style.background = getComputedStyle(g.querySelector("rect")).fill;
		swatch.dataset.of = g.querySelector("rect").getAttribute("class");
		legend.prepend(make("span", {}, swatch, g.querySelector("text").textContent));
	}
	return legend;
}

function makeKeys() {
	const list = make("dl");
	for (const [keys, what] of KEYS)
		list.append(make("dt", {}, ...keys.map(k => make("kbd", {}, k))), make("dd", {}, what));
	return make("div", { class: "keys", role: "dialog", "aria-label": "Keys", hidden: "" },
		make("h2", {}, "Keys"), list);
}

export const ui = {
	input: make("input", { type: "text", placeholder: "Search /", "aria-label": "Search by regular expression",
		spellcheck: "false", autocomplete: "off" }),
	found: make("span", { class: "found", role: "status" }),
	reset: make("button", { type: "button", title: "Show everything (Esc)" }, "Reset"),
	invert: make("button", { type: "button", title: "Turn upside down (i)" }, "Invert"),
	help: make("button", { type: "button", title: "Keys (?)", "aria-label": "Keys" }, "?"),
	keys: makeKeys(),
	what: make("div", { class: "what mono" }),
	more: make("div", { class: "more" }),
	scroll: make("div", { class: "scroll" }),
};
export const graph = document.createElementNS(SVG, "svg");

export function build() {
	const legend = makeLegend();
	const page = make("div", { class: "ui" },
		make("div", { class: "bar" },
			make("div", { class: "names" },
				make("h1", { title: fullText("name") }, fullText("name")),
				make("div", { class: "about", title: fullText("about") }, fullText("about"))),
			make("div", { class: "tools" }, ui.found, ui.input, ui.reset, ui.invert, ui.help)),
		ui.scroll,
		make("div", { class: "foot" }, make("div", { class: "details" }, ui.what, ui.more), legend),
		ui.keys);
	const holder = document.createElementNS(SVG, "foreignObject");
	holder.setAttribute("width", "100%");
	holder.setAttribute("height", "100%");
	holder.append(page);
	graph.setAttribute("role", "tree");
	graph.setAttribute("aria-label", fullText("name"));
	ui.scroll.append(graph);
	for (const name of ["viewBox", "width", "height"])
		root.removeAttribute(name);
	root.classList.add("live");
	root.append(holder);
}

// ---- layout
const measure = document.createElementNS(HTML, "canvas").getContext("2d");
let charWidth = 0;

export function measureFont() {
	const style = getComputedStyle(ui.what);
	measure.font = `${root.dataset.font}px ${style.fontFamily}`;
	charWidth = measure.measureText("0").width;
}

// As much of the name as `room` px hold.
function fit(name, room) {
	const ascii = /^[\x20-\x7e]*$/.test(name);
	if (room < LABEL_MIN * charWidth)
		return "";
	if (ascii ? name.length * charWidth <= room : measure.measureText(name).width <= room)
		return name;
	if (ascii)
		return name.slice(0, Math.floor(room / charWidth) - 1) + "\u2026";
	// At most this many characters can fit, so that a long name costs no more than a short one.
	const chars = Array.from(name.slice(0, Math.ceil(room / charWidth) * 8));
	let low = 0, high = chars.length;
	while (low < high) {
		const mid = (low + high + 1) >> 1;
		if (measure.measureText(chars.slice(0, mid).join("") + "\u2026").width <= room)
			low = mid;
		else
			high = mid - 1;
	}
	return low ? chars.slice(0, low).join("") + "\u2026" : "";
}

function rowY(i) {
	return state.inverted ? depth[i] * ROW : -(depth[i] + 1) * ROW;
}

function setLabel(i, x, w) {
	const merged = nodes[i].children[1].classList.contains("m");
	const label = merged ? "" : fit(nameOf(i), w - 2 * LABEL_PAD);
	let text = nodes[i].children[2];
	if (!text) {
		if (!label)
			return;
		text = nodes[i].appendChild(document.createElementNS(SVG, "text"));
	}
	if (label !== labels[i]) {
		text.textContent = label;
		labels[i] = label;
	}
	if (label) {
		text.setAttribute("x", (x + LABEL_PAD).toFixed(2));
		text.setAttribute("y", rowY(i) + ROW - 4.5);
	}
}

function show(i, x, w, up) {
	const g = nodes[i], rect = g.children[1];
	if (!shown[i]) {
		g.removeAttribute("display");
		shown[i] = 1;
	}
	g.classList.toggle("up", up);
	widths[i] = w;
	rect.setAttribute("x", x.toFixed(2));
	rect.setAttribute("y", rowY(i));
	rect.setAttribute("width", (w > 2 ? w - 0.5 : w).toFixed(2));
	setLabel(i, x, w);
}

function hide(i) {
	if (!shown[i])
		return;
	nodes[i].setAttribute("display", "none");
	shown[i] = 0;
}

export function layout() {
	const z = state.zoom;
	const scale = total[z] ? width / total[z] : 0;
	const keep = new Uint8Array(n);
	let deepest = depth[z];
	for (let i = parent[z]; i >= 0; i = parent[i]) {
		keep[i] = 1;
		show(i, 0, width, true);
	}
	for (let i = z; i < end[z];) {
		const w = i === z ? width : total[i] * scale;
		if (w < HIDE_BELOW && z) {
			i = end[i];
			continue;
		}
		keep[i] = 1;
		deepest = Math.max(deepest, depth[i]);
		show(i, (start[i] - start[z]) * scale, w, false);
		i++;
	}
	for (let i = 0; i < n; i++)
		if (!keep[i])
			hide(i);
	const height = (deepest + 1) * ROW;
	graph.setAttribute("height", height);
	group.setAttribute("transform", `translate(${PAD} ${state.inverted ? 0 : height})`);
	ui.scroll.classList.toggle("flame", !state.inverted);
	ui.reset.disabled = !z && !state.search;
}

// Scrolls so that the zoomed frame and a few below it are in view.
export function reveal() {
	const height = +graph.getAttribute("height"), room = ui.scroll.clientHeight;
	const rows = Math.max(0, depth[state.zoom] - 4);
	ui.scroll.scrollTop = state.inverted ? rows * ROW : height + 20 - room - rows * ROW;
}

export function resize() {
	const now = Math.max(50, ui.scroll.clientWidth - 2 * PAD);
	if (now === width)
		return;
	width = now;
	layout();
}

// ---- details of one frame; of the zoomed one if it is none
export function describe(i) {
	const at = i < 0 ? state.zoom : i;
	const parts = detail(at);
	if (i < 0 && !state.zoom)
		parts.push(fullText("note"));
	ui.what.textContent = nameOf(at);
	ui.more.textContent = parts.join(" \u00b7 ");
}

function detail(i) {
	const [, numbers, where] = titleOf(i);
	const parts = [numbers];
	if (state.zoom && i > state.zoom && i < end[state.zoom])
		parts.push(percent(total[i], total[state.zoom]) + " of the zoomed frame");
	if (where)
		parts.push(where);
	return parts;
}
