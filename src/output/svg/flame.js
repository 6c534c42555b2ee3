// Takes the still picture over: reads the frames from the document and lays them out again for the
// window, the zoom and the direction. No data is in here; names are only ever set as text.
(() => {
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const HTML = "http://www.w3.org/1999/xhtml";
const PAD = 10; // px beside the graph
const LABEL_PAD = 3;
const LABEL_MIN = 3; // characters
const HIDE_BELOW = 0.1; // px

const root = document.currentScript.closest("svg");
const group = root.querySelector("#frames");
const ROW = +root.dataset.row;

// ---- the frames, by their number in the document: a parent comes before its children
const nodes = Array.from(group.children);
const n = nodes.length;
const total = new Float64Array(n);
const depth = new Uint32Array(n);
const start = new Float64Array(n); // weight to the left
const parent = new Int32Array(n).fill(-1);
const end = new Int32Array(n); // the frames i+1 .. end[i]-1 lie above i
const names = new Array(n);
const numberOf = new Map();

function readFrames() {
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

const titleOf = i => nodes[i].firstChild.textContent.split("\n");
const nameOf = i => names[i] ?? (names[i] = titleOf(i)[0]);

function percent(part, whole) {
	const p = whole ? part / whole * 100 : 0;
	return p > 0 && p < 0.005 ? "<0.01 %" : p.toFixed(2) + " %";
}

// ---- what is shown
const state = { zoom: 0, search: "", inverted: root.dataset.inverted === "1" };
let width = 0; // px of the graph
let focused = 0;
let hits = new Uint8Array(n);
const shown = new Uint8Array(n).fill(1);
const labels = new Array(n); // undefined: as in the document
const widths = new Float64Array(n);

// ---- elements around the graph
function make(tag, attributes = {}, ...children) {
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

const ui = {
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
const graph = document.createElementNS(SVG, "svg");

function build() {
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

function measureFont() {
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

function layout() {
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
function reveal() {
	const height = +graph.getAttribute("height"), room = ui.scroll.clientHeight;
	const rows = Math.max(0, depth[state.zoom] - 4);
	ui.scroll.scrollTop = state.inverted ? rows * ROW : height + 20 - room - rows * ROW;
}

function resize() {
	const now = Math.max(50, ui.scroll.clientWidth - 2 * PAD);
	if (now === width)
		return;
	width = now;
	layout();
}

// ---- details of one frame; of the zoomed one if it is none
function describe(i) {
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

// ---- focus: one frame at a time can be reached by Tab
function focusFrame(i, scroll = true) {
	nodes[focused].removeAttribute("tabindex");
	focused = i;
	const g = nodes[i];
	g.setAttribute("tabindex", "0");
	g.setAttribute("role", "treeitem");
	g.setAttribute("aria-level", depth[i] + 1);
	g.setAttribute("aria-label", titleOf(i).join(", "));
	g.focus({ preventScroll: true });
	if (scroll)
		g.children[1].scrollIntoView({ block: "nearest" });
}

function setEntry(i) {
	nodes[focused].removeAttribute("tabindex");
	focused = i;
	nodes[i].setAttribute("tabindex", "0");
	nodes[i].setAttribute("role", "treeitem");
}

// The widest child that is shown; -1 if there is none.
function childOf(i) {
	let best = -1;
	for (let j = i + 1; j < end[i]; j = end[j])
		if (shown[j] && (best < 0 || widths[j] > widths[best]))
			best = j;
	return best;
}

function besides(i, step) {
	for (let j = i + step; j >= 0 && j < n; j += step)
		if (depth[j] === depth[i] && shown[j])
			return j;
	return -1;
}

function nextHit(step) {
	for (let k = 1; k <= n; k++) {
		const j = ((focused + step * k) % n + n) % n;
		if (hits[j] && shown[j])
			return j;
	}
	return -1;
}

// ---- zoom, search, direction
function zoom(i, remember = true) {
	state.zoom = i;
	layout();
	reveal();
	if (!shown[focused])
		setEntry(i);
	tellFound();
	describe(-1);
	if (remember)
		save(true);
}

function compile(text) {
	return new RegExp(text, /\p{Lu}/u.test(text.replace(/\\[a-z]/gi, "")) ? "u" : "iu");
}

function mark(matches) {
	for (let i = 0; i < n; i++)
		if (hits[i] !== matches[i])
			nodes[i].classList.toggle("hit", !!matches[i]);
	hits = matches;
	group.classList.toggle("searching", !!state.search);
}

// Weight of the stacks through a match at or above `from`: nested matches count once.
function matchedWeight(from) {
	let sum = 0;
	for (let i = from; i < end[from];) {
		if (hits[i]) {
			sum += total[i];
			i = end[i];
		} else {
			i++;
		}
	}
	return sum;
}

let found = { all: 0, frames: 0, error: "" };

function search(text, remember = true) {
	const matches = new Uint8Array(n);
	state.search = text;
	found = { all: 0, frames: 0, error: "" };
	try {
		const re = text ? compile(text) : null;
		for (let i = 0; re && i < n; i++)
			if (!nodes[i].children[1].classList.contains("m") && re.test(nameOf(i)))
				found.frames += matches[i] = 1;
	} catch (e) {
		found.error = "not a regular expression";
		ui.found.title = e.message;
	}
	if (found.error)
		state.search = "";
	mark(matches);
	found.all = matchedWeight(0);
	tellFound();
	ui.reset.disabled = !state.zoom && !state.search;
	if (remember)
		save(false);
}

function tellFound() {
	ui.found.classList.toggle("bad", !!found.error);
	ui.input.classList.toggle("bad", !!found.error);
	ui.input.setAttribute("aria-invalid", !!found.error);
	if (found.error)
		return ui.found.replaceChildren(found.error);
	ui.found.removeAttribute("title");
	if (!state.search)
		return ui.found.replaceChildren();
	const value = make("b", {}, percent(found.all, total[0]));
	const parts = ["matched ", value];
	if (state.zoom)
		parts.push(` \u00b7 ${percent(matchedWeight(state.zoom), total[state.zoom])} of zoom`);
	parts.push(` \u00b7 ${found.frames} ${found.frames === 1 ? "frame" : "frames"}`);
	ui.found.replaceChildren(...parts);
}

function invert(on, remember = true) {
	state.inverted = on;
	ui.invert.setAttribute("aria-pressed", on);
	layout();
	reveal();
	if (remember)
		save(false);
}

function reset() {
	ui.input.value = "";
	search("", false);
	zoom(0);
}

// ---- the view is in the address, so that it can be shared
function save(step) {
	const q = new URLSearchParams();
	if (state.zoom)
		q.set("zoom", state.zoom);
	if (state.search)
		q.set("search", state.search);
	if (state.inverted !== (root.dataset.inverted === "1"))
		q.set("layout", state.inverted ? "icicle" : "flame");
	const hash = "#" + q;
	if (hash === (location.hash || "#"))
		return;
	try {
		history[step ? "pushState" : "replaceState"](null, "", hash);
	} catch {
		// A sandboxed document has no address of its own.
	}
}

function restore() {
	const q = new URLSearchParams(location.hash.slice(1));
	const z = Number(q.get("zoom"));
	const text = q.get("search") ?? "";
	const layoutName = q.get("layout");
	state.inverted = layoutName ? layoutName === "icicle" : root.dataset.inverted === "1";
	ui.invert.setAttribute("aria-pressed", state.inverted);
	ui.input.value = text;
	state.zoom = Number.isInteger(z) && z > 0 && z < n ? z : 0;
	search(text, false);
	if (width)
		zoom(state.zoom, false);
	else
		describe(-1);
}

// ---- events
const frameOf = event => {
	const g = event.target.closest?.("#frames > g");
	return g ? numberOf.get(g) : -1;
};

function toggleKeys(on) {
	ui.keys.hidden = !on;
	ui.help.setAttribute("aria-expanded", on);
}

function escape() {
	if (!ui.keys.hidden)
		return toggleKeys(false);
	if (ui.input.value) {
		ui.input.value = "";
		search("");
	} else if (document.activeElement !== ui.input && state.zoom) {
		zoom(0);
	}
	if (document.activeElement === ui.input)
		focusFrame(shown[focused] ? focused : state.zoom, false);
}

function openSearch() {
	ui.input.focus();
	ui.input.select();
}

function go(i) {
	if (i >= 0)
		focusFrame(i);
}

function move(key, i) {
	const up = state.inverted ? "ArrowDown" : "ArrowUp";
	switch (key) {
	case "ArrowUp":
	case "ArrowDown":
		return go(key === up ? childOf(i) : parent[i]);
	case "ArrowLeft":
		return go(besides(i, -1));
	case "ArrowRight":
		return go(besides(i, 1));
	case "Home":
		return go(state.zoom);
	case "Enter":
	case " ":
		zoom(i);
		return focusFrame(i, false);
	}
}

const COMMANDS = {
	"/": openSearch,
	"?": () => toggleKeys(ui.keys.hidden),
	i: () => invert(!state.inverted),
	n: () => go(nextHit(1)),
	N: () => go(nextHit(-1)),
	Escape: escape,
};
const MOVES = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "Enter", " "];

function onKey(event) {
	const key = event.key;
	if ((event.ctrlKey || event.metaKey) && !event.altKey && key === "f") {
		event.preventDefault();
		return openSearch();
	}
	if (event.ctrlKey || event.metaKey || event.altKey)
		return;
	if (event.target === ui.input) {
		if (key === "Escape") {
			event.preventDefault();
			escape();
		} else if (key === "Enter" && nextHit(1) >= 0) {
			focusFrame(nextHit(1));
		}
		return;
	}
	const onButton = event.target.localName === "button";
	if (MOVES.includes(key) && !onButton) {
		event.preventDefault();
		const i = frameOf(event);
		move(key, i >= 0 ? i : focused);
	} else if (Object.hasOwn(COMMANDS, key)) {
		event.preventDefault();
		COMMANDS[key]();
	}
}

function listen() {
	group.addEventListener("click", e => {
		const i = frameOf(e);
		if (i < 0)
			return;
		zoom(i);
		focusFrame(i, false);
	});
	group.addEventListener("mouseover", e => describe(frameOf(e)));
	group.addEventListener("mouseleave", () => describe(-1));
	group.addEventListener("focusin", e => describe(frameOf(e)));
	ui.input.addEventListener("input", () => search(ui.input.value));
	ui.reset.addEventListener("click", reset);
	ui.invert.addEventListener("click", () => invert(!state.inverted));
	ui.help.addEventListener("click", () => toggleKeys(ui.keys.hidden));
	document.addEventListener("keydown", onKey);
	addEventListener("hashchange", restore);
	addEventListener("popstate", restore);
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolor);
	new ResizeObserver(resize).observe(ui.scroll);
}

// The legend's patches are HTML, which has no fill.
function recolor() {
	for (const i of root.querySelectorAll(".legend i"))
		i.style.background = getComputedStyle(root.querySelector(`#legend .${i.dataset.of}`)).fill;
}

// Out of the document while it changes, so that the browser lays it out only once.
group.remove();
readFrames();
build();
measureFont();
setEntry(0);
restore();
resize();
graph.append(group);
reveal();
listen();
})();
